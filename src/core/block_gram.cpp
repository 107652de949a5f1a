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

#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

// Where an input that is no longer asked for loses its place within this number of rows, its entries of C are seldom of use
// again: they are then not computed in advance. (Measured, 1,000 and 5,000 inputs: 24 and 10 rows where all inputs are
// alike, 120 and more where few matter.)
constexpr std::uint64_t kStays = 48;

// An update of this number of entries, some microseconds, is worth sharing.
constexpr std::size_t kEntriesWorthSharing = std::size_t{1} << 15U;

}  // namespace

BlockGram::BlockGram(std::size_t inputs, std::size_t most, std::optional<History> history)
    : inputs_(inputs),
      most_(most),
      resident_(inputs, room(inputs)),
      stride_(column_stride(room(inputs))),
      words_(words(inputs)),
      C_(room(inputs) * stride_),
      known_(room(inputs) * words_),
      history_(std::move(history)),
      gathered_(stride_),
      series_(history_ ? history_->capacity() + RowBuffer::kMost : 0),
      scores_(series_.size(), room(inputs)),
      in_support_(words_, 0),
      in_inputs_(words_, 0),
      products_(stride_) {
    columns_.reserve(room(inputs));
    lacking_.reserve(room(inputs));
    entries_.reserve(room(inputs));
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

void BlockGram::add_row(double weight, Workers& workers) {
    scores_.row_added();
    resident_.next_row();
    const double root = std::sqrt(weight);
    const double* h = recent().next();
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        gathered_[place] = root * h[resident_.input(place)];
    }
    const double* row = gathered_.data();
    const std::size_t pieces = resident_.count() * resident_.count() < kEntriesWorthSharing ? 1 : resident_.count();
    workers.share(pieces, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        for (std::size_t place = first; place < (last == pieces ? resident_.count() : last); ++place) {
            double* own = column(place);
            const std::array<double, kernels::kColumnsAtOnce> factor = {row[place]};
            if (knows_others(place)) {
                kernels::add_rows(&row, factor.data(), 1, 0, padded(resident_.count()), &own, 1);
            } else {
                own[place] += row[place] * row[place];
            }
        }
    });
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

std::size_t BlockGram::unknown(std::span<const std::size_t> support, std::span<const std::size_t> inputs,
                               std::size_t enough) const {
    auto has_no_place = [&](std::size_t j) { return !resident_.has(j); };
    if (std::ranges::any_of(support, has_no_place) || std::ranges::any_of(inputs, has_no_place)) {
        return kAll;
    }
    note_places(support, in_support_);
    std::size_t count = 0;
    for (const std::size_t i : inputs) {
        if (count > enough) {
            break;
        }
        const Bits* have = known(resident_.place(i));
        for (std::size_t word = 0; word < words_; ++word) {
            const Bits lacking = in_support_[word] & ~have[word];
            count += lacking != 0 ? static_cast<std::size_t>(std::popcount(lacking)) : 0U;
        }
    }
    return count;
}

void BlockGram::note_places(std::span<const std::size_t> inputs, std::vector<Bits>& bits) const {
    std::ranges::fill(bits, Bits{0});
    for (const std::size_t j : inputs) {
        bits[resident_.place(j) / 64] |= Bits{1} << (resident_.place(j) % 64);
    }
}

// Computes unknown entries, `most` of them, each by a dot product over the history. The series of an input of the
// support comes first where it serves several entries: it is weighted once for all of them.
void BlockGram::compute_unknown(std::span<const std::size_t> support, std::span<const std::size_t> inputs,
                                std::size_t most) const {
    auto complete = [&](std::size_t j, const std::vector<Bits>& others, std::size_t least) {
        const Bits* have = known(resident_.place(j));
        lacking_.clear();
        for (std::size_t word = 0; word < words_; ++word) {
            for (Bits bits = others[word] & ~have[word]; bits != 0 && lacking_.size() < most; bits &= bits - 1U) {
                lacking_.push_back(resident_.input((word * 64) + static_cast<std::size_t>(std::countr_zero(bits))));
            }
        }
        if (lacking_.size() < std::min(least, most) || lacking_.empty()) {
            return;
        }
        most -= lacking_.size();
        history_->series(j, series_.all());
        entries_.resize(lacking_.size());
        const std::array<const double*, 1> series = {series_.data()};
        history_->dots(lacking_, series, history_->all_rows(), entries_, workers_.get());
        const std::size_t place = resident_.place(j);
        for (std::size_t e = 0; e < lacking_.size(); ++e) {
            const std::size_t there = resident_.place(lacking_[e]);
            column(place)[there] = entries_[e];
            column(there)[place] = entries_[e];
            known(place)[there / 64] |= Bits{1} << (there % 64);
            known(there)[place / 64] |= Bits{1} << (place % 64);
        }
    };
    note_places(support, in_support_);
    note_places(inputs, in_inputs_);
    for (const std::size_t j : support) {
        complete(j, in_inputs_, 3);
    }
    for (const std::size_t i : inputs) {
        complete(i, in_support_, 1);
    }
}

void BlockGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, std::span<double> out) const {
    multiply_newest_at(support, coefficient, inputs, 0.0, out);
}

void BlockGram::multiply_newest_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                   std::span<const std::size_t> inputs, double least_weight,
                                   std::span<double> out) const {
    const std::size_t by_scores = support.size() + inputs.size();  // passes over the history
    const std::size_t lacking = unknown(support, inputs, by_scores);
    if (lacking > 0 && history_) {
        if (lacking > by_scores) {
            scores_.multiply(
                *history_, resident_,
                {.support = support, .coefficient = coefficient, .inputs = inputs, .least_weight = least_weight}, out,
                workers_.get());
            // Some entries are computed nevertheless, so that those of inputs that stay become known after some rows:
            // but not while inputs come and go, and more entries are lost than computed.
            if (lacking != kAll && !any_admitted_ && resident_.rows_unused() > kStays) {
                compute_unknown(support, inputs, by_scores / 16);
            }
            return;
        }
        compute_unknown(support, inputs, lacking);
    }
    columns_.clear();
    for (const std::size_t j : support) {
        columns_.push_back(column(resident_.place(j)));
    }
    kernels::columns_product(columns_.data(), columns_.size(), coefficient.data(), 1, 0, padded(resident_.count()),
                             products_.data(), 0);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        out[i] = products_[resident_.place(inputs[i])];
    }
}

void BlockGram::inner_products(std::span<const std::span<const std::size_t>> supports,
                               std::span<const std::span<const double>> coefficients,
                               std::span<const std::size_t> selected, std::span<double> A) const {
    const std::size_t R = supports.size();
    std::size_t cost = R * R;
    for (const auto& support : supports) {
        cost += support.size();
    }
    if (!history_ || unknown(selected, selected, 2 * cost) / 2 <= cost) {
        Gram::inner_products(supports, coefficients, selected, A);
        return;
    }
    scores_.inner_products(*history_, supports, coefficients, A, workers_.get());
}

void BlockGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    if (history_ && unknown(inputs, inputs, 0) > 0) {
        compute_unknown(inputs, inputs, inputs.size() * inputs.size());
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
    for (double& v : C_.all()) {
        v *= factor;
    }
    if (history_) {
        history_->scale_weights(factor);
    }
}

void BlockGram::scale_input(std::size_t j, double factor) {
    scores_.clear();
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
    return C_.bytes() + resident_.bytes() + (history_ ? history_->bytes() : coming_row_->bytes());
}

void BlockGram::save(StateWriter& out) const {
    resident_.save(out);
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        out.put_all(std::span<const double>(column(place), resident_.count()));
        out.put_all(std::span<const Bits>(known(place), words_));
    }
    if (history_) {
        history_->save(out);
        scores_.save(*history_, out);
    }
}

void BlockGram::load(StateReader& in) {
    resident_.load(in);
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        in.get_all(std::span(column(place), resident_.count()));
        in.get_all(std::span(known(place), words(in.stored_inputs(inputs_))));
    }
    if (history_) {
        history_->load(in);
        scores_.load(*history_, inputs_, in);
    }
}

}  // namespace sluice::core
