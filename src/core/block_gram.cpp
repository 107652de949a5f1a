// block_gram.cpp -- engine `screened`: the small block of C among the inputs that the screen lets through.
//
// Each row is gathered at the n resident inputs and added to their block, n^2 multiplications, eq. (15). An entry that
// is asked for and not known yet costs one dot product over the history. Where more are unknown than that is worth,
// products with C come from the scores of the history instead (score_cache.cpp).
#include "block_gram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "kernels.hpp"

namespace sluice::core {

namespace {

// Where an input that is no longer asked for loses its place within this number of rows, its entries of C are seldom of use
// again: they are then not computed in advance. (Measured, 1,000 and 5,000 inputs: 24 and 10 rows where all inputs are
// alike, 120 and more where few matter.)
constexpr std::uint64_t kStays = 48;
// Otherwise they may cost this many times what products without them cost.
constexpr std::size_t kInvestment = 2;

// Most words have none, and not every processor counts them in one instruction.
std::size_t count_bits(std::uint64_t bits) {
    return bits != 0 ? static_cast<std::size_t>(std::popcount(bits)) : 0;
}

}  // namespace

BlockGram::BlockGram(std::size_t inputs, std::size_t most, std::optional<History> history,
                     std::optional<SingleGram> single)
    : inputs_(inputs),
      most_(most),
      resident_(inputs, room(inputs)),
      stride_(column_stride(room(inputs))),
      words_(words(inputs)),
      C_(room(inputs) * stride_),
      known_(room(inputs) * words_),
      history_(std::move(history)),
      single_(std::move(single)),
      gathered_(stride_),
      series_length_(history_ ? history_->capacity() + RowBuffer::kMost : 0),
      series_(kOwners * series_length_),
      owners_lack_(words_, 0),
      scores_(series_length_, room(inputs)),
      in_support_(words_, 0),
      in_inputs_(words_, 0),
      lacks_many_(words_, 0),
      products_(stride_) {
    columns_.reserve(room(inputs));
    updated_.reserve(room(inputs));
    lacking_.reserve(room(inputs));
    entries_.reserve(kOwners * room(inputs));
    owners_.reserve(kOwners);
    if (!history_) {
        coming_row_.emplace(inputs, 1);
    }
}

std::size_t BlockGram::bytes_for(std::size_t inputs, std::size_t room) {
    return (room * column_stride(room) * sizeof(double)) + (inputs * sizeof(std::uint32_t));
}

double* BlockGram::row() {
    return recent().next();
}

void BlockGram::note_whether_entries_stay() {
    entries_stay_ = resident_.rows_unused() > kStays;
}

void BlockGram::add_row(double weight, Workers& workers) {
    scores_.row_added();
    resident_.next_row();
    note_whether_entries_stay();
    const double root = std::sqrt(weight);
    const double* h = recent().next();
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        gathered_[place] = root * h[resident_.input(place)];
    }
    const double* row = gathered_.data();
    updated_.clear();
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        if (knows_others(place)) {
            updated_.push_back(place);
        } else {
            column(place)[place] += row[place] * row[place];
        }
    }
    // Threads do not share this: products read what is written here, and each line would move from one core to the other and
    // back. (Measured, 190 inputs of 5,000: 12 microseconds with one thread, 48 with two. With products by the same threads,
    // each with columns of its own, both together took 20 to 34 instead of 21.)
    for (std::size_t first = 0; first < updated_.size(); first += kernels::kColumnsAtOnce) {
        const auto places = std::span(updated_).subspan(first);
        const std::size_t columns = std::min(places.size(), kernels::kColumnsAtOnce);
        std::array<double, kernels::kColumnsAtOnce> factors{};
        std::array<double*, kernels::kColumnsAtOnce> to{};
        for (std::size_t c = 0; c < columns; ++c) {
            factors[c] = row[places[c]];
            to[c] = column(places[c]);
        }
        kernels::add_rows(&row, factors.data(), 1, 0, padded(resident_.count()), to.data(), columns);
    }
    if (single_) {
        single_->add_row(h, weight, workers);
    }
    if (history_) {
        history_->recent().push(weight);
        if (history_->recent().full()) {
            history_->archive(workers);
        }
    }
}

bool BlockGram::knows_others(std::size_t place) const {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words_; ++word) {
        const Bits bits = known(place)[word] & ~(word == place / 64 ? Bits{1} << (place % 64) : Bits{0});
        count += bits != 0 ? 1U : 0U;
    }
    return count > 0;
}

bool BlockGram::prepare(std::span<const std::size_t> inputs, std::span<const double> square, Workers& workers) {
    workers_ = Borrowed(workers);
    if (single_) {
        single_->keep_in_range(square);
    }
    if (!resident_.request(inputs)) {
        return history_.has_value();  // products then come from the scores alone
    }
    any_admitted_ = false;
    for (const std::size_t input : inputs) {
        if (!resident_.has(input)) {
            admit(input, square[input]);
            any_admitted_ = true;
        }
    }
    return true;
}

// With a history, the entries of an admitted input are computed when first asked for; until then the numbers that its
// place held before stay there and are not used. Without one, they start from zero.
void BlockGram::admit(std::size_t input, double square) {
    const std::size_t place = resident_.admit(input);
    scores_.place_changed(place);
    const Bits bit = Bits{1} << (place % 64);
    std::fill_n(known(place), words_, history_ ? Bits{0} : ~Bits{0});
    for (std::size_t other = 0; other < resident_.count(); ++other) {
        Bits& bits = known(other)[place / 64];
        bits = history_ ? bits & ~bit : bits | bit;
        if (!history_) {
            column(other)[place] = 0.0;
            column(place)[other] = 0.0;
        }
    }
    column(place)[place] = square;
    known(place)[place / 64] |= bit;
}

void BlockGram::note_places(std::span<const std::size_t> inputs, std::vector<Bits>& bits) const {
    std::ranges::fill(bits, Bits{0});
    for (const std::size_t j : inputs) {
        bits[resident_.place(j) / 64] |= Bits{1} << (resident_.place(j) % 64);
    }
}

// lacks_many_: of the support, those that lack enough of the inputs for their own series to come first. Returns how many
// there are, or one more than `enough`.
std::size_t BlockGram::note_many_lacking(std::span<const std::size_t> support, std::size_t enough) const {
    constexpr std::size_t kMany = 8;
    std::ranges::fill(lacks_many_, Bits{0});
    std::size_t count = 0;
    for (const std::size_t j : support) {
        if (count > enough) {
            break;
        }
        const std::size_t place = resident_.place(j);
        std::size_t lacking = 0;
        for (std::size_t word = 0; word < words_; ++word) {
            lacking += count_bits(in_inputs_[word] & ~known(place)[word]);
        }
        lacks_many_[place / 64] |= (lacking >= kMany ? Bits{1} : Bits{0}) << (place % 64);
        count += lacking >= kMany ? 1U : 0U;
    }
    return count;
}

std::size_t BlockGram::series_for_unknown(std::span<const std::size_t> support, std::span<const std::size_t> inputs,
                                          std::size_t enough) const {
    auto has_no_place = [&](std::size_t j) { return !resident_.has(j); };
    if (std::ranges::any_of(support, has_no_place) || std::ranges::any_of(inputs, has_no_place)) {
        return kAll;
    }
    auto series_of = [](std::size_t owners, std::size_t others) {
        return owners + ((owners + kOwners - 1) / kOwners * others);
    };
    note_places(support, in_support_);
    Bits any_lacking = 0;
    for (const std::size_t i : inputs) {
        const Bits* have = known(resident_.place(i));
        for (std::size_t word = 0; word < words_; ++word) {
            any_lacking |= in_support_[word] & ~have[word];
        }
    }
    if (any_lacking == 0) {
        return 0;
    }
    note_places(inputs, in_inputs_);
    const std::size_t first = series_of(note_many_lacking(support, kOwners * (enough / inputs.size())), inputs.size());
    if (first > enough) {
        return first;
    }
    std::size_t owners = 0;  // inputs that lack others of the support
    std::ranges::fill(owners_lack_, Bits{0});
    for (const std::size_t i : inputs) {
        const Bits* have = known(resident_.place(i));
        Bits any = 0;
        for (std::size_t word = 0; word < words_; ++word) {
            const Bits lacking = in_support_[word] & ~lacks_many_[word] & ~have[word];
            owners_lack_[word] |= lacking;
            any |= lacking;
        }
        owners += any != 0 ? 1U : 0U;
    }
    std::size_t others = 0;
    for (const Bits bits : owners_lack_) {
        others += count_bits(bits);
    }
    return first + series_of(owners, others);
}

// Each entry is a dot product over the history. The series of up to three inputs, the owners, meet those of all inputs that
// one of them lacks: first those of the support that lack many, then whatever inputs still lack one of the support.
void BlockGram::compute_unknown(std::span<const std::size_t> support, std::span<const std::size_t> inputs,
                                std::size_t most) const {
    auto complete = [&](std::span<const std::size_t> owners, const std::vector<Bits>& others,
                        const std::vector<Bits>* among) {
        owners_.clear();
        std::ranges::fill(owners_lack_, Bits{0});
        for (const std::size_t j : owners) {
            const std::size_t place = resident_.place(j);
            if (among != nullptr && ((*among)[place / 64] >> (place % 64) & 1U) == 0) {
                continue;
            }
            std::size_t lacking = 0;
            for (std::size_t word = 0; word < words_ && lacking < most; ++word) {
                const Bits bits = others[word] & ~known(place)[word];
                owners_lack_[word] |= bits;
                lacking += count_bits(bits);
            }
            if (lacking == 0) {
                continue;
            }
            most -= std::min(most, lacking);
            owners_.push_back(j);
            if (owners_.size() == kOwners || most == 0) {
                compute_entries();
            }
        }
        compute_entries();
    };
    note_places(support, in_support_);
    note_places(inputs, in_inputs_);
    (void)note_many_lacking(support, kAll - 1);
    complete(support, in_inputs_, &lacks_many_);
    complete(inputs, in_support_, nullptr);
}

// The entries of owners_ at the places of owners_lack_; those that are known stay as they are.
void BlockGram::compute_entries() const {
    lacking_.clear();
    for (std::size_t word = 0; word < words_; ++word) {
        for (Bits bits = std::exchange(owners_lack_[word], Bits{0}); bits != 0; bits &= bits - 1U) {
            lacking_.push_back(resident_.input((word * 64) + static_cast<std::size_t>(std::countr_zero(bits))));
        }
    }
    if (owners_.empty()) {
        return;
    }
    std::array<const double*, kOwners> series{};
    for (std::size_t o = 0; o < owners_.size(); ++o) {
        const auto own = series_.all().subspan(o * series_length_, series_length_);
        history_->series(owners_[o], own);
        series[o] = own.data();
    }
    entries_.resize(lacking_.size() * owners_.size());
    history_->dots(lacking_, std::span(series).first(owners_.size()), history_->all_rows(), entries_, workers_.get());
    for (std::size_t o = 0; o < owners_.size(); ++o) {
        const std::size_t place = resident_.place(owners_[o]);
        for (std::size_t e = 0; e < lacking_.size(); ++e) {
            const std::size_t there = resident_.place(lacking_[e]);
            if ((known(place)[there / 64] >> (there % 64) & 1U) != 0) {
                continue;
            }
            const double entry = entries_[(e * owners_.size()) + o];
            column(place)[there] = entry;
            column(there)[place] = entry;
            known(place)[there / 64] |= Bits{1} << (there % 64);
            known(there)[place / 64] |= Bits{1} << (place % 64);
        }
    }
    owners_.clear();
}

void BlockGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, std::span<double> out) const {
    multiply_newest_at(support, coefficient, inputs, 0.0, out);
}

void BlockGram::multiply_newest_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                   std::span<const std::size_t> inputs, double least_weight,
                                   std::span<double> out) const {
    const std::size_t by_scores = support.size() + inputs.size();  // series that are read
    // With a refit, entries of inputs that are chosen are asked for themselves soon after.
    const std::size_t most = single_ ? kAll - 1 : entries_stay_ ? kInvestment * by_scores : by_scores;
    const std::size_t by_entries = series_for_unknown(support, inputs, most);
    if (by_entries > 0 && history_) {
        if (by_entries > most) {
            scores_.multiply(
                *history_, resident_,
                {.support = support, .coefficient = coefficient, .inputs = inputs, .least_weight = least_weight}, out,
                workers_.get());
            // Some entries are computed nevertheless, so that those of inputs that stay become known after some rows:
            // but not while inputs come and go, and more entries are lost than computed.
            if (by_entries != kAll && !any_admitted_ && entries_stay_) {
                compute_unknown(support, inputs, by_scores / 16);
            }
            return;
        }
        compute_unknown(support, inputs, kAll);
    }
    multiply_block(support, coefficient);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        out[i] = products_[resident_.place(inputs[i])];
    }
}

// products_ = C v at all places, as far as the entries are known.
void BlockGram::multiply_block(std::span<const std::size_t> support, std::span<const double> coefficient) const {
    columns_.clear();
    for (const std::size_t j : support) {
        columns_.push_back(column(resident_.place(j)));
    }
    kernels::columns_product(columns_.data(), columns_.size(), coefficient.data(), 1, 0, padded(resident_.count()),
                             products_.data(), 0);
}

void BlockGram::inner_products(std::span<const std::span<const std::size_t>> supports,
                               std::span<const std::span<const double>> coefficients,
                               std::span<const std::size_t> selected, std::span<double> A) const {
    const std::size_t R = supports.size();
    std::size_t cost = R * R;
    for (const auto& support : supports) {
        cost += support.size();
    }
    const std::size_t most = entries_stay_ ? kInvestment * cost : cost;
    const std::size_t by_entries = history_ ? series_for_unknown(selected, selected, most) : 0;
    if (by_entries > most) {
        scores_.inner_products(*history_, supports, coefficients, A, workers_.get());
        return;
    }
    if (by_entries > 0) {
        compute_unknown(selected, selected, kAll);
    }
    for (std::size_t r = 0; r < R; ++r) {
        multiply_block(supports[r], coefficients[r]);
        for (std::size_t s = 0; s <= r; ++s) {
            double sum = 0.0;
            for (std::size_t i = 0; i < supports[s].size(); ++i) {
                sum += coefficients[s][i] * products_[resident_.place(supports[s][i])];
            }
            A[(r * R) + s] = sum;
            A[(s * R) + r] = sum;
        }
    }
}

void BlockGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    if (history_) {
        compute_unknown(inputs, inputs, kAll);
    }
    const std::size_t n = inputs.size();
    for (std::size_t c = 0; c < n; ++c) {
        const double* own = column(resident_.place(inputs[c]));
        for (std::size_t i = 0; i < n; ++i) {
            out[(c * n) + i] = own[resident_.place(inputs[i])];
        }
    }
}

void BlockGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                         double* out, std::size_t out_stride, Workers& workers) const {
    if (history_) {
        history_->multiply(support, coefficient, targets, out, out_stride, workers);
        return;
    }
    for (std::size_t m = 0; m < targets; ++m) {  // an input outside the block counts as unrelated
        double* to = out + (m * out_stride);
        std::fill(to, to + inputs_, 0.0);
        for (std::size_t place = 0; place < resident_.count(); ++place) {
            double sum = 0.0;
            for (std::size_t s = 0; s < support.size(); ++s) {
                sum += column(place)[resident_.place(support[s])] * coefficient[(s * targets) + m];
            }
            to[resident_.input(place)] = sum;
        }
    }
}

void BlockGram::scale(double factor) {
    scores_.weights_scaled();
    if (single_) {
        single_->scale(factor);
    }
    for (double& v : C_.all()) {
        v *= factor;
    }
    if (history_) {
        history_->scale_weights(factor);
    }
}

void BlockGram::scale_input(std::size_t j, double factor) {
    scores_.clear();
    if (single_) {
        single_->scale_input(j, factor);
    }
    if (resident_.has(j)) {
        const std::size_t place = resident_.place(j);
        for (std::size_t other = 0; other < resident_.count(); ++other) {
            column(place)[other] *= factor;
            column(other)[place] *= factor;
        }
    }
    if (history_) {
        history_->scale_input(j, factor);
    }
}

void BlockGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    if (history_) {  // the block is computed again from the history
        history_->append(*later.history(), factor, h, weight);
        if (single_) {
            single_->append(*later.history(), factor, h, weight);
        }
        scores_.clear();
        resident_.clear();
        return;
    }
    const auto& theirs = dynamic_cast<const BlockGram&>(later);
    for (std::size_t a = 0; a < resident_.count(); ++a) {
        for (std::size_t b = 0; b < resident_.count(); ++b) {
            const std::size_t i = resident_.input(a);
            const std::size_t j = resident_.input(b);
            const bool known = theirs.resident_.has(i) && theirs.resident_.has(j);
            const double added = known ? theirs.column(theirs.resident_.place(i))[theirs.resident_.place(j)] : 0.0;
            column(a)[b] = (factor * column(a)[b]) + added + (weight * h[i] * h[j]);
        }
    }
}

std::size_t BlockGram::bytes() const {
    return C_.bytes() + resident_.bytes() + (history_ ? history_->bytes() : coming_row_->bytes()) +
           (single_ ? single_->bytes() : 0);
}

}  // namespace sluice::core
