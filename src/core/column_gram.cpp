// column_gram.cpp -- engines `dense` and `columns`: whole columns of C, all of them or those in use.
//
//     C v = sum_s C_s v_s + sum_b h_b (weight_b h_b v)                      C_s: as of the last settling, h_b: rows since
//
// Rows wait, eight at most, and are added to all kept columns at once: each column is then read and written once for
// eight rows, and products take the waiting rows for further columns. Where all of C is small enough for the nearer
// caches each row is added as it comes.
//
// Columns kept for later, which were not asked for of late, lag behind: they take in 64 rows at once, an eighth of them
// at each settling, and what they lack when they are asked for. Rows are added one by one in the order they came, so
// that no bit depends on when.
#include "column_gram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

constexpr std::size_t kAtOnce = 128;  // C of so many inputs fits into 128 kB
constexpr std::size_t kPiece = 512;   // eight rows of so many inputs fit into 32 kB

constexpr std::size_t kLate = 8;                              // settlings after which every column takes its rows
constexpr std::size_t kLateRows = kLate * RecentRows::kMost;  // rows kept for that
constexpr std::uint64_t kIdle = 64;                           // rows after which a column may lag
// Lengths of the history after which a column not asked for is given up: to rebuild one costs far more than to keep it.
constexpr std::uint64_t kGivenUp = 4;
constexpr std::size_t kTogether = 64;  // columns whose shares of 64 rows fit into 32 kB
constexpr std::size_t kRebuilt = 8;    // columns rebuilt in one pass over the history

}  // namespace

ColumnGram::ColumnGram(std::size_t inputs)
    : inputs_(inputs),
      stride_(column_stride(inputs)),
      C_(inputs * stride_),
      recent_(std::in_place, inputs, inputs <= kAtOnce ? 1 : RecentRows::kMost),
      shares_(kTogether * kLateRows) {
    behind_.reserve(inputs);
}

ColumnGram::ColumnGram(std::size_t inputs, std::size_t room, std::optional<History> history)
    : inputs_(inputs),
      stride_(column_stride(inputs)),
      resident_(std::in_place, inputs, room),
      C_(room * stride_),
      history_(std::move(history)),
      as_of_(room, 0),
      late_(history_ ? kLateRows * stride_ : 0),
      late_weights_(history_ ? kLateRows : 0, 0.0),
      shares_(kTogether * kLateRows),
      series_(history_ ? kRebuilt * history_->room() : 0) {
    pointers_.reserve(room + RecentRows::kMost);
    behind_.reserve(room);
    newcomers_.reserve(room + kRebuilt);
    expected_.reserve(kRebuilt);
    if (!history_) {
        recent_.emplace(inputs, RecentRows::kMost);
    }
}

std::size_t ColumnGram::bytes_for(std::size_t inputs, std::size_t room) {
    return room * column_stride(inputs) * sizeof(double);
}

std::size_t ColumnGram::late_bytes_for(std::size_t inputs) {
    return kLateRows * column_stride(inputs) * sizeof(double);
}

void ColumnGram::take(double weight, Workers& workers) {
    if (at_once()) {
        double* h = recent_->next();
        const double root = std::sqrt(weight);
        for (std::size_t j = 0; j < inputs_; ++j) {
            h[j] *= root;
        }
        kernels::add_outer(h, inputs_, padded(inputs_), stride_, C_.data());
        return;
    }
    if (resident_) {
        resident_->next_row();
        expected_.clear();
    }
    recent().push(weight);
    if (recent().full()) {
        settle(workers);
    }
}

// The waiting rows are added to the kept columns: to those in use, and to some of the others those of earlier settlings too.
void ColumnGram::settle(Workers& workers) {
    if (may_lag()) {
        resident_->release_unused(kGivenUp * history_->room());
        keep_late_rows();
        history_->archive();
    }
    behind_.clear();
    for (std::size_t c = 0; c < columns(); ++c) {
        if (in_use(c) && (!may_lag() || resident_->idle_rows(c) < kIdle || c % kLate == history_->archived() % kLate)) {
            behind_.push_back({.place = c, .rows = rows_behind(c)});
        }
    }
    catch_up(workers);
    if (recent_) {
        recent_->clear();
    }
}

void ColumnGram::keep_late_rows() {
    for (std::size_t b = 0; b < RecentRows::kMost; ++b) {
        const std::size_t slot = ((history_->archived() * RecentRows::kMost) + b) % kLateRows;
        std::copy_n(recent().row(b), inputs_, late_.data() + (slot * stride_));
        late_weights_[slot] = recent().weight(b);
    }
}

std::size_t ColumnGram::rows_behind(std::size_t place) const {
    return may_lag() ? (history_->archived() - as_of_[place]) * RecentRows::kMost : recent_->count();
}

// The newest `count` rows that columns may lack, in order.
void ColumnGram::lacked_rows(std::size_t count, const double** rows, double* weights) const {
    for (std::size_t b = 0; b < count; ++b) {
        if (may_lag()) {
            const std::size_t slot = ((history_->archived() * RecentRows::kMost) - count + b) % kLateRows;
            rows[b] = late_.data() + (slot * stride_);
            weights[b] = late_weights_[slot];
        } else {
            rows[b] = recent_->row(b);
            weights[b] = recent_->weight(b);
        }
    }
}

// C_ij += sum_b weight_b h_bj h_bi for the columns j of behind_ and the rows b that each lacks. Four columns at once, for
// as many rows as one of them lacks: the others have a share of 0 in those that they have already.
void ColumnGram::catch_up(Workers& workers) {
    constexpr std::size_t kGroup = kernels::kColumnsAtOnce;
    std::ranges::sort(behind_, [](const Behind& a, const Behind& b) {
        return a.rows != b.rows ? a.rows < b.rows : a.place < b.place;
    });
    for (std::size_t done = 0; done < behind_.size(); done += kTogether) {
        const auto some = std::span(behind_).subspan(done, std::min(kTogether, behind_.size() - done));
        const std::size_t most = some.back().rows;
        std::array<const double*, kLateRows> rows{};
        std::array<double, kLateRows> weights{};
        lacked_rows(most, rows.data(), weights.data());
        for (std::size_t c = 0; c < some.size(); ++c) {
            double* shares = shares_.data() + (c / kGroup * kLateRows * kGroup) + (c % kGroup);
            for (std::size_t b = 0; b < most; ++b) {
                shares[b * kGroup] = b + some[c].rows >= most ? weights[b] * rows[b][input(some[c].place)] : 0.0;
            }
        }
        const std::size_t settlings = std::max(most / RecentRows::kMost, std::size_t{1});
        const std::size_t piece = kPiece / std::bit_ceil(settlings);  // of so many inputs the rows fit into 32 kB
        const std::size_t pieces = (padded(inputs_) + piece - 1) / piece;
        workers.share(pieces, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
            for (std::size_t first = from * piece; first < std::min(to * piece, padded(inputs_)); first += piece) {
                const std::size_t last = std::min(first + piece, padded(inputs_));
                for (std::size_t c = 0; c < some.size(); c += kGroup) {
                    const auto group = some.subspan(c, std::min(kGroup, some.size() - c));
                    std::array<double*, kGroup> into{};
                    std::ranges::transform(group, into.begin(), [&](const Behind& one) { return column(one.place); });
                    const std::size_t skip = most - group.back().rows;
                    kernels::add_rows(rows.data() + skip, shares_.data() + (((c / kGroup * kLateRows) + skip) * kGroup),
                                      most - skip, first, last, into.data(), group.size());
                }
            }
        });
    }
    for (const Behind& one : behind_) {
        if (may_lag()) {
            as_of_[one.place] = history_->archived();
        }
    }
}

bool ColumnGram::prepare(std::span<const std::size_t> inputs, std::span<const double> square, Workers& workers) {
    if (!resident_) {
        return true;
    }
    if (!resident_->ask(inputs)) {
        return false;
    }
    behind_.clear();
    newcomers_.clear();
    for (const std::size_t input : inputs) {
        if (!resident_->has(input)) {
            resident_->admit(input);
            newcomers_.push_back(input);
        } else if (may_lag() && rows_behind(place(input)) > 0) {
            behind_.push_back({.place = place(input), .rows = rows_behind(place(input))});
        }
    }
    catch_up(workers);
    if (history_) {
        rebuild(workers);
    } else {
        start_from_zero(square);
    }
    return true;
}

void ColumnGram::expect(std::span<const std::size_t> inputs) {
    expected_.assign(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(std::min(inputs.size(), kRebuilt)));
}

// The newcomers' columns as of the last settling: one pass over the history for several of them. Where it must be made,
// those expected next are taken along while there are places free.
void ColumnGram::rebuild(Workers& workers) {
    const std::size_t length = history_->room();
    for (const std::size_t input : expected_) {
        if (!newcomers_.empty() && newcomers_.size() < kRebuilt && !resident_->has(input) && resident_->has_room()) {
            resident_->admit(input);
            newcomers_.push_back(input);
        }
    }
    for (std::size_t done = 0; done < newcomers_.size(); done += kRebuilt) {
        const auto some = std::span(newcomers_).subspan(done, std::min(kRebuilt, newcomers_.size() - done));
        for (std::size_t c = 0; c < some.size(); ++c) {
            history_->ring_series(some[c], std::span(series_).subspan(c * length, length));
            as_of_[place(some[c])] = history_->archived();
        }
        workers.share(inputs_, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                for (std::size_t c = 0; c < some.size(); ++c) {
                    column(place(some[c]))[i] = history_->ring_dot(i, std::span(series_).subspan(c * length, length));
                }
            }
        });
    }
}

// Where there is no history, a newcomer's cross-moments start from now.
void ColumnGram::start_from_zero(std::span<const double> square) {
    for (const std::size_t input : newcomers_) {
        double* own = column(place(input));
        std::fill(own, own + stride_, 0.0);
        own[input] = square[input];
        for (std::size_t b = 0; b < recent_->count(); ++b) {  // these are added when they settle
            own[input] -= recent_->weight(b) * recent_->row(b)[input] * recent_->row(b)[input];
        }
    }
}

bool ColumnGram::at_once() const {
    return !resident_ && inputs_ <= kAtOnce;
}

void ColumnGram::multiply_at_once(std::span<const std::size_t> support, std::span<const double> coefficient,
                                  double* all) const {
    std::array<const double*, kAtOnce> pointers;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
    for (std::size_t s = 0; s < support.size(); ++s) {
        pointers[s] = column(support[s]);
    }
    kernels::columns_product(pointers.data(), support.size(), coefficient.data(), 1, 0, padded(inputs_), all, 0);
}

void ColumnGram::inner_products(std::span<const std::span<const std::size_t>> supports,
                                std::span<const std::span<const double>> coefficients,
                                std::span<const std::size_t> selected, std::span<double> A) const {
    if (!at_once()) {
        Gram::inner_products(supports, coefficients, selected, A);
        return;
    }
    const std::size_t R = supports.size();
    for (std::size_t r = 0; r < R; ++r) {
        alignas(64) std::array<double, kAtOnce> all;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
        multiply_at_once(supports[r], coefficients[r], all.data());
        for (std::size_t s = 0; s <= r; ++s) {
            double sum = 0.0;
            for (std::size_t i = 0; i < supports[s].size(); ++i) {
                sum += coefficients[s][i] * all[supports[s][i]];
            }
            A[(r * R) + s] = sum;
            A[(s * R) + r] = sum;
        }
    }
}

void ColumnGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                             std::span<const std::size_t> inputs, std::span<double> out) const {
    if (at_once()) {
        alignas(64) std::array<double, kAtOnce> all;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
        multiply_at_once(support, coefficient, all.data());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[i] = all[inputs[i]];
        }
        return;
    }
    const RecentRows& rows = recent();
    std::array<double, RecentRows::kMost> along{};
    for (std::size_t b = 0; b < rows.count(); ++b) {
        for (std::size_t s = 0; s < support.size(); ++s) {
            along[b] += rows.weight(b) * rows.row(b)[support[s]] * coefficient[s];
        }
    }
    std::fill_n(out.begin(), inputs.size(), 0.0);
    auto add = [&](const double* from, double factor) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[i] += from[inputs[i]] * factor;
        }
    };
    for (std::size_t s = 0; s < support.size(); ++s) {
        add(column(place(support[s])), coefficient[s]);
    }
    for (std::size_t b = 0; b < rows.count(); ++b) {
        add(rows.row(b), along[b]);
    }
}

double ColumnGram::at(std::size_t i, std::size_t j) const {
    const RecentRows& rows = recent();
    double sum = column(place(j))[i];
    for (std::size_t b = 0; b < rows.count(); ++b) {
        sum += rows.weight(b) * rows.row(b)[i] * rows.row(b)[j];
    }
    return sum;
}

void ColumnGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t n = inputs.size();
    for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t i = 0; i <= c; ++i) {  // from one of the two columns, so that the block is symmetric
            out[(c * n) + i] = at(inputs[i], inputs[c]);
            out[(i * n) + c] = out[(c * n) + i];
        }
    }
}

void ColumnGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::size_t targets, double* out, std::size_t out_stride, Workers& workers) const {
    if (at_once() && targets == 1) {
        multiply_at_once(support, coefficient, out);
        return;
    }
    const RecentRows& rows = recent();
    pointers_.clear();
    factors_.assign(coefficient.begin(), coefficient.end());
    for (const std::size_t j : support) {
        pointers_.push_back(column(place(j)));
    }
    for (std::size_t b = 0; b < rows.count(); ++b) {
        pointers_.push_back(rows.row(b));
        for (std::size_t m = 0; m < targets; ++m) {
            double along = 0.0;
            for (std::size_t s = 0; s < support.size(); ++s) {
                along += rows.row(b)[support[s]] * coefficient[(s * targets) + m];
            }
            factors_.push_back(along * rows.weight(b));
        }
    }
    workers.share((padded(inputs_) + kPiece - 1) / kPiece,
                  [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
                      const std::size_t last = std::min(to * kPiece, padded(inputs_));
                      kernels::columns_product(pointers_.data(), pointers_.size(), factors_.data(), targets,
                                               from * kPiece, last, out, out_stride);
                  });
}

void ColumnGram::scale(double factor) {
    constexpr double kNegligible = 0x1p-900;  // weighs nothing, and would end as a slow denormal
    for (double& v : C_.all().first(columns() * stride_)) {
        v *= factor;
        v = std::abs(v) < kNegligible ? 0.0 : v;
    }
    for (double& weight : late_weights_) {
        weight *= factor;
    }
    if (history_) {
        history_->scale_weights(factor);
    } else {
        recent_->scale_weights(factor);
    }
}

void ColumnGram::scale_input(std::size_t j, double factor) {
    for (std::size_t c = 0; c < columns(); ++c) {
        column(c)[j] *= factor;
        if (in_use(c) && input(c) == j) {
            for (std::size_t i = 0; i < inputs_; ++i) {
                column(c)[i] *= factor;
            }
        }
    }
    for (std::size_t slot = 0; slot < late_weights_.size(); ++slot) {
        late_[(slot * stride_) + j] *= factor;
    }
    if (history_) {
        history_->scale_input(j, factor);
    } else {
        recent_->scale_input(j, factor);
    }
}

void ColumnGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    if (history_) {  // columns come anew from the history
        history_->append(*later.history(), factor, h, weight);
        resident_->clear();
        return;
    }
    Workers alone(1);
    settle(alone);
    auto theirs = dynamic_cast<const ColumnGram&>(later);
    theirs.settle(alone);
    for (std::size_t c = 0; c < columns(); ++c) {
        if (!in_use(c)) {
            continue;
        }
        const std::size_t j = input(c);
        const bool known = !theirs.resident_ || theirs.resident_->has(j);
        for (std::size_t i = 0; i < inputs_; ++i) {
            const double added = known ? theirs.column(theirs.place(j))[i] : 0.0;
            column(c)[i] = (factor * column(c)[i]) + added + (weight * (h[i] * h[j]));
        }
    }
}

void ColumnGram::take_over(const History& history, Workers& workers) {
    assert(!resident_);
    for (std::size_t j = 0; j < inputs_; ++j) {
        const double one = 1.0;
        history.multiply({&j, 1}, {&one, 1}, 1, column(j), stride_, workers);
    }
}

std::size_t ColumnGram::bytes() const {
    return bytes_for(inputs_, columns()) + (resident_ ? resident_->bytes() : 0) +
           (history_ ? history_->bytes() + late_.bytes() : recent_->bytes());
}

void ColumnGram::save(StateWriter& out) const {
    if (resident_) {
        resident_->save(out);
    }
    Buffer<double> settled(stride_);  // what lags behind is saved as it will be, what is given up as nothing
    for (std::size_t c = 0; c < columns(); ++c) {
        if (in_use(c)) {
            std::copy_n(column(c), stride_, settled.data());
        } else {
            std::fill_n(settled.data(), stride_, 0.0);
        }
        const std::size_t lacks = may_lag() && in_use(c) ? rows_behind(c) : 0;
        std::array<const double*, kLateRows> rows{};
        std::array<double, kLateRows> weights{};
        lacked_rows(lacks, rows.data(), weights.data());
        for (std::size_t b = 0; b < lacks; ++b) {
            const std::array<double, kernels::kColumnsAtOnce> share = {weights[b] * rows[b][input(c)]};
            double* into = settled.data();
            kernels::add_rows(&rows[b], share.data(), 1, 0, padded(inputs_), &into, 1);
        }
        out.put_all(std::span<const double>(settled.data(), inputs_));
    }
    if (history_) {
        history_->save(out);
    } else {
        recent_->save(out);
    }
}

void ColumnGram::load(StateReader& in) {
    if (resident_) {
        resident_->load(in);
    }
    for (std::size_t c = 0; c < columns(); ++c) {
        in.get_all(std::span(column(c), inputs_));
    }
    if (history_) {
        history_->load(in);
        std::ranges::fill(as_of_, history_->archived());
    } else {
        recent_->load(in);
    }
}

}  // namespace sluice::core
