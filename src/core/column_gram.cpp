// column_gram.cpp -- engines `dense` and `columns`: whole columns of C, all of them or those in use.
//
//     C v = sum_s C_s v_s + sum_b h_b (weight_b h_b v)                      C_s: as of the last settling, h_b: rows since
//
// Rows wait, eight at most, and are added to all kept columns at once: each column is then read and written once for
// eight rows, and products take the waiting rows for further columns. Where all of C is small enough for the nearer
// caches each row is added as it comes.
#include "column_gram.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

constexpr std::size_t kAtOnce = 128;  // C of so many inputs fits into 128 kB
constexpr std::size_t kPiece = 512;   // eight rows of so many inputs fit into 32 kB

}  // namespace

ColumnGram::ColumnGram(std::size_t inputs)
    : inputs_(inputs),
      stride_(column_stride(inputs)),
      C_(inputs * stride_),
      recent_(std::in_place, inputs, inputs <= kAtOnce ? 1 : RecentRows::kMost) {}

ColumnGram::ColumnGram(std::size_t inputs, std::size_t room, std::optional<History> history)
    : inputs_(inputs),
      stride_(column_stride(inputs)),
      resident_(std::in_place, inputs, room),
      C_(room * stride_),
      history_(std::move(history)),
      series_(history_ ? history_->room() : 0) {
    pointers_.reserve(room + RecentRows::kMost);
    if (!history_) {
        recent_.emplace(inputs, RecentRows::kMost);
    }
}

std::size_t ColumnGram::bytes_for(std::size_t inputs, std::size_t room) {
    return room * column_stride(inputs) * sizeof(double);
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
    }
    recent().push(weight);
    if (recent().full()) {
        settle(workers);
    }
}

// The waiting rows are added to every kept column. A column that was not asked for longer than the history is, is given up:
// to rebuild it costs as much as to keep it for so many rows.
void ColumnGram::settle(Workers& workers) {
    if (resident_ && history_) {
        resident_->release_unused(history_->room());
    }
    const RecentRows& rows = recent();
    workers.share((stride_ + kPiece - 1) / kPiece, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        std::array<const double*, RecentRows::kMost> pointers{};
        std::array<double, RecentRows::kMost * kernels::kTogether> factors{};
        for (std::size_t b = 0; b < rows.count(); ++b) {
            pointers[b] = rows.row(b);
        }
        for (std::size_t piece = from; piece < to; ++piece) {
            const std::size_t first = piece * kPiece;
            const std::size_t last = std::min(first + kPiece, padded(inputs_));
            std::array<double*, kernels::kTogether> together{};
            std::size_t waiting = 0;
            for (std::size_t c = 0; c < columns(); ++c) {
                if (!in_use(c)) {
                    continue;
                }
                for (std::size_t b = 0; b < rows.count(); ++b) {
                    factors[(b * kernels::kTogether) + waiting] = rows.weight(b) * rows.row(b)[input(c)];
                }
                together[waiting++] = column(c);
                if (waiting == kernels::kTogether) {
                    kernels::add_rows_together(pointers.data(), factors.data(), rows.count(), first, last,
                                               together.data());
                    waiting = 0;
                }
            }
            for (std::size_t c = 0; c < waiting; ++c) {  // those that are left
                std::array<double, RecentRows::kMost> own{};
                for (std::size_t b = 0; b < rows.count(); ++b) {
                    own[b] = factors[(b * kernels::kTogether) + c];
                }
                kernels::add_rows(pointers.data(), own.data(), rows.count(), first, last, together[c]);
            }
        }
    });
    if (history_) {
        history_->archive();
    } else {
        recent_->clear();
    }
}

bool ColumnGram::prepare(std::span<const std::size_t> inputs, std::span<const double> square, Workers& workers) {
    if (!resident_) {
        return true;
    }
    if (!resident_->ask(inputs)) {
        return false;
    }
    for (const std::size_t input : inputs) {
        if (!resident_->has(input)) {
            rebuild(input, square[input], workers);
        }
    }
    return true;
}

// A newcomer's column as of the last settling.
void ColumnGram::rebuild(std::size_t input, double square, Workers& workers) {
    double* own = column(resident_->admit(input));
    if (!history_) {
        std::fill(own, own + stride_, 0.0);
        own[input] = square;
        for (std::size_t b = 0; b < recent_->count(); ++b) {  // these are added when they settle
            own[input] -= recent_->weight(b) * recent_->row(b)[input] * recent_->row(b)[input];
        }
        return;
    }
    history_->ring_series(input, series_);
    workers.share(inputs_, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            own[i] = history_->ring_dot(i, series_);
        }
    });
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
    for (double& v : C_.all()) {
        v *= factor;
        v = std::abs(v) < kNegligible ? 0.0 : v;
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
           (history_ ? history_->bytes() : recent_->bytes());
}

void ColumnGram::save(StateWriter& out) const {
    if (resident_) {
        resident_->save(out);
    }
    for (std::size_t c = 0; c < columns(); ++c) {
        out.put_all(std::span(column(c), inputs_));
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
    } else {
        recent_->load(in);
    }
}

}  // namespace sluice::core
