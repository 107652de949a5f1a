// history.cpp -- the rows that still have weight, kept input by input.
//
//     C_ij = sum_t weight_t h_ti h_tj                                                                         eq. (15)
//
// h are the deviations that the moments add to C, already centred and with missing values at their mean. Eight rows at
// a time move from row order to input order, so that each input gets one full cache line. The ring takes 8 bytes per
// input and row, 4 in single precision.
#include "history.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

constexpr double kNegligibleWeight = 1e-16;  // of a row, relative to the newest

// A loop of this number of multiplications, some five microseconds, is worth sharing: the other core has to fetch the series.
// (Measured, refit, 5,000 inputs that are alike: with half of this, the products of a row take 39 microseconds; one thread: 33.)
constexpr std::size_t kWorthSharing = std::size_t{1} << 15U;

/// The pieces that a loop is shared in: all of them where its work is worth it, else one.
std::size_t pieces_for(std::size_t work, std::size_t most) {
    return work < kWorthSharing ? 1 : most;
}

constexpr std::size_t kScoredRows = 8 * kLanes;  // of one piece

void scale(std::span<double> values, double factor) {
    for (double& v : values) {
        v *= factor;
    }
}

}  // namespace

std::size_t History::rows_for(double forgetting) {
    assert(forgetting < 1.0);
    constexpr double kMost = 1e15;  // for a forgetting factor next to 1
    const double rows = std::min(std::ceil(std::log(kNegligibleWeight) / std::log(forgetting)), kMost);
    return padded(std::max<std::size_t>(static_cast<std::size_t>(rows), 1));
}

std::size_t History::bytes_for(std::size_t inputs, std::size_t rows, bool single) {
    return inputs * ((rows * (single ? sizeof(float) : sizeof(double))) + (RowBuffer::kMost * sizeof(double)));
}

History::History(std::size_t inputs, std::size_t rows, bool single)
    : inputs_(inputs),
      rows_(padded(rows)),
      stride_(column_stride(rows)),
      weights_(rows_, 0.0),
      double_ring_(single ? 0 : inputs * stride_),
      single_ring_(single ? inputs * stride_ : 0),
      recent_(inputs, RowBuffer::kMost),
      series_(rows_, 0.0) {
    sums_.reserve(rows_ + RowBuffer::kMost);
}

void History::archive() {
    Workers alone(1);
    archive(alone);
}

void History::archive(Workers& workers) {
    assert(recent_.full());
    for (std::size_t b = 0; b < kLanes; ++b) {
        weights_[next_ + b] = recent_.weight(b);
    }
    workers.share_inputs(inputs_, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        const std::size_t first = from * kPiece;
        const std::size_t count = std::min(to * kPiece, inputs_) - first;
        std::array<const double*, kLanes> rows{};
        for (std::size_t b = 0; b < kLanes; ++b) {
            rows[b] = recent_.row(b) + first;
        }
        const std::size_t place = (first * stride_) + next_;
        if (double_ring_.size() > 0) {
            kernels::transpose_rows(rows.data(), count, stride_, double_ring_.data() + place);
        } else {
            kernels::transpose_rows(rows.data(), count, stride_, single_ring_.data() + place);
        }
    });
    used_ = std::min(used_ + kLanes, rows_);
    next_ = next_ + kLanes == rows_ ? 0 : next_ + kLanes;
    ++archived_;
    recent_.clear();
}

// Weights fall with age: the oldest eight rows that weigh enough are found by bisection.
kernels::RingRows History::newest_rows(double share) const {
    double newest = used_ > 0 ? weights_[newest_slot() + kLanes - 1] : 0.0;
    if (recent_.count() > 0) {
        newest = recent_.weight(recent_.count() - 1);
    }
    const std::size_t oldest = used_ == rows_ ? next_ : 0;
    std::size_t low = 0;  // eight rows each, from the oldest on
    std::size_t high = used_ / kLanes;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        const std::size_t slot = (oldest + (middle * kLanes)) % rows_;
        if (weights_[slot + kLanes - 1] >= share * newest) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const std::size_t first = oldest + (low * kLanes);
    if (first >= used_) {
        return {.first = first - used_, .last = oldest, .wrapped = 0};
    }
    return {.first = first, .last = used_, .wrapped = oldest};
}

double History::ring_value(std::size_t j, std::size_t slot) const {
    return double_ring_.size() > 0 ? double_ring_[(j * stride_) + slot]
                                   : static_cast<double>(single_ring_[(j * stride_) + slot]);
}

double History::row(std::size_t t, std::span<double> h) const {
    if (t >= used_) {
        std::copy_n(recent_.row(t - used_), inputs_, h.begin());
        return recent_.weight(t - used_);
    }
    const std::size_t slot = ((used_ == rows_ ? next_ : 0) + t) % rows_;
    for (std::size_t j = 0; j < inputs_; ++j) {
        h[j] = ring_value(j, slot);
    }
    return weights_[slot];
}

void History::ring_series(std::size_t j, std::span<double> series) const {
    if (double_ring_.size() > 0) {
        kernels::multiply(double_ring_.data() + (j * stride_), weights_.data(), used_, series.data());
    } else {
        const float* h = single_ring_.data() + (j * stride_);
        for (std::size_t t = 0; t < used_; ++t) {
            series[t] = weights_[t] * static_cast<double>(h[t]);
        }
    }
}

void History::series(std::size_t j, std::span<double> series) const {
    ring_series(j, series);
    for (std::size_t b = 0; b < recent_.count(); ++b) {
        series[used_ + b] = recent_.weight(b) * recent_.row(b)[j];
    }
}

double History::ring_dot(std::size_t i, std::span<const double> series) const {
    return double_ring_.size() > 0 ? kernels::dot(double_ring_.data() + (i * stride_), series.data(), used_)
                                   : kernels::dot(single_ring_.data() + (i * stride_), series.data(), used_);
}

double History::dot(std::size_t i, std::span<const double> series) const {
    double sum = ring_dot(i, series);
    for (std::size_t b = 0; b < recent_.count(); ++b) {
        sum += recent_.row(b)[i] * series[used_ + b];
    }
    return sum;
}

// The series of some inputs are added to the scratch list.
void History::gather_series(std::span<const std::size_t> inputs) const {
    for (const std::size_t j : inputs) {
        if (double_ring_.size() > 0) {
            double_series_.push_back(double_ring_.data() + (j * stride_));
        } else {
            single_series_.push_back(single_ring_.data() + (j * stride_));
        }
    }
}

void History::dots(std::span<const std::size_t> inputs, std::span<const double* const> series,
                   const kernels::RingRows& rows, std::span<double> out, Workers& workers) const {
    const std::size_t targets = series.size();
    double_series_.clear();
    single_series_.clear();
    gather_series(inputs);
    const std::size_t pieces = pieces_for(inputs.size() * targets * rows.count(), inputs.size());
    workers.share(pieces, [&](std::size_t /*worker*/, std::size_t first, std::size_t to) {
        const std::size_t count = (to == pieces ? inputs.size() : to) - first;
        double* own = out.data() + (first * targets);
        if (double_ring_.size() > 0) {
            kernels::dots(double_series_.data() + first, count, series.data(), targets, rows, own);
        } else {
            kernels::dots(single_series_.data() + first, count, series.data(), targets, rows, own);
        }
        for (std::size_t b = 0; b < recent_.count(); ++b) {
            const double* h = recent_.row(b);
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t m = 0; m < targets; ++m) {
                    own[(i * targets) + m] += h[inputs[first + i]] * series[m][used_ + b];
                }
            }
        }
    });
}

void History::scores(std::span<const ScoresOf> all, const kernels::RingRows& rows, Workers& workers) const {
    if (double_ring_.size() > 0) {
        double_series_.clear();
        for (const ScoresOf& of : all) {
            gather_series(of.support);
        }
        const std::size_t of_each = (rows.count() + kScoredRows - 1) / kScoredRows;
        const std::size_t blocks = of_each * all.size();
        const std::size_t pieces = pieces_for(double_series_.size() * rows.count(), blocks);
        workers.share(pieces, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
            const std::size_t end = to == pieces ? blocks : to;
            std::size_t first_series = 0;
            for (std::size_t v = 0; v < all.size(); ++v) {
                const std::size_t before = v * of_each;
                const std::size_t first = std::clamp(from, before, before + of_each) - before;
                const std::size_t last = std::clamp(end, before, before + of_each) - before;
                ring_scores(all[v], first_series, std::min(first * kScoredRows, rows.count()),
                            std::min(last * kScoredRows, rows.count()), rows);
                first_series += all[v].support.size();
            }
        });
    } else {
        for (const ScoresOf& of : all) {
            std::fill_n(of.scores.plain.begin(), used_, 0.0);
            for (std::size_t s = 0; s < of.support.size(); ++s) {
                kernels::add_multiple(single_ring_.data() + (of.support[s] * stride_), of.coefficient[s], used_,
                                      of.scores.plain.data());
            }
            weigh(of.scores);
        }
    }
    for (const ScoresOf& of : all) {
        recent_scores(of.support, of.coefficient, of.scores);
    }
}

// Rows number from .. to - 1 of the given ones.
void History::ring_scores(const ScoresOf& of, std::size_t first_series, std::size_t from, std::size_t to,
                          const kernels::RingRows& rows) const {
    auto add_up = [&](std::size_t first, std::size_t last) {
        kernels::weighted_scores(double_series_.data() + first_series, of.support.size(), of.coefficient.data(),
                                 weights_.data(), first, last, of.scores.plain.data(), of.scores.weighted.data());
    };
    const std::size_t unwrapped = rows.last - rows.first;  // the others are at the beginning of the ring
    if (from < unwrapped) {
        add_up(rows.first + from, rows.first + std::min(to, unwrapped));
    }
    if (to > unwrapped) {
        add_up(std::max(from, unwrapped) - unwrapped, to - unwrapped);
    }
}

void History::newest_ring_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                                 const Scores& scores) const {
    for (std::size_t slot = newest_slot(); slot < newest_slot() + kLanes; ++slot) {
        double sum = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s) {
            sum += coefficient[s] * ring_value(support[s], slot);
        }
        scores.plain[slot] = sum;
        scores.weighted[slot] = sum * weights_[slot];
    }
}

void History::recent_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                            const Scores& scores) const {
    for (std::size_t b = 0; b < recent_.count(); ++b) {
        double sum = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s) {
            sum += coefficient[s] * recent_.row(b)[support[s]];
        }
        scores.plain[used_ + b] = sum;
        scores.weighted[used_ + b] = sum * recent_.weight(b);
    }
}

void History::weigh(const Scores& scores) const {
    kernels::multiply(scores.plain.data(), weights_.data(), used_, scores.weighted.data());
}

void History::multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                       double* out, std::size_t out_stride, Workers& workers) const {
    // sums_t = weight_t (h_t v_m) for all rows and targets, then one dot product per input and target
    sums_.assign(targets * (rows_ + RowBuffer::kMost), 0.0);
    for (std::size_t m = 0; m < targets; ++m) {
        double* sums = sums_.data() + (m * (rows_ + RowBuffer::kMost));
        for (std::size_t s = 0; s < support.size(); ++s) {
            const double v = coefficient[(s * targets) + m];
            ring_series(support[s], series_);
            for (std::size_t t = 0; t < used_; ++t) {
                sums[t] += v * series_[t];
            }
            for (std::size_t b = 0; b < recent_.count(); ++b) {
                sums[rows_ + b] += v * recent_.weight(b) * recent_.row(b)[support[s]];
            }
        }
    }
    workers.share(inputs_, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            for (std::size_t m = 0; m < targets; ++m) {
                const double* sums = sums_.data() + (m * (rows_ + RowBuffer::kMost));
                double sum = ring_dot(i, {sums, used_});
                for (std::size_t b = 0; b < recent_.count(); ++b) {
                    sum += recent_.row(b)[i] * sums[rows_ + b];
                }
                out[(m * out_stride) + i] = sum;
            }
        }
    });
}

void History::scale_weights(double factor) {
    scale(weights_, factor);
    recent_.scale_weights(factor);
}

void History::scale_input(std::size_t j, double factor) {
    for (std::size_t t = 0; t < used_; ++t) {
        if (double_ring_.size() > 0) {
            double_ring_[(j * stride_) + t] *= factor;
        } else {
            single_ring_[(j * stride_) + t] *= static_cast<float>(factor);
        }
    }
    recent_.scale_input(j, factor);
}

void History::append(const History& later, double factor, std::span<const double> row, double weight) {
    scale_weights(factor);
    const auto push = [&](double its_weight) {
        recent_.push(its_weight);
        if (recent_.full()) {
            archive();
        }
    };
    for (std::size_t t = 0; t < later.length(); ++t) {
        push(later.row(t, {recent_.next(), inputs_}));
    }
    std::copy_n(row.begin(), inputs_, recent_.next());
    push(weight);
}

std::size_t History::bytes() const {
    return double_ring_.bytes() + single_ring_.bytes() + recent_.bytes() + (weights_.size() * sizeof(double));
}

void History::save(StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(used_));
    out.put(static_cast<std::uint64_t>(next_));
    out.put(archived_);
    out.put_all(std::span<const double>(weights_).first(used_));
    for (std::size_t j = 0; j < inputs_; ++j) {
        if (double_ring_.size() > 0) {
            out.put_all(double_ring_.all().subspan(j * stride_, used_));
        } else {
            out.put_all(single_ring_.all().subspan(j * stride_, used_));
        }
    }
    recent_.save(out);
}

void History::load(StateReader& in) {
    std::uint64_t used = 0;
    std::uint64_t next = 0;
    in.get(used);
    in.get(next);
    in.get(archived_);
    in.require(used <= rows_, "the history holds more rows than its capacity");
    in.require(used % kLanes == 0 && next < rows_ && next % kLanes == 0 && (used == rows_ || next == used),
               "the position of the newest row in the history is out of range");
    used_ = used;
    next_ = next;
    in.get_all(std::span(weights_).first(used_));
    in.require(std::ranges::all_of(weights_, [](double w) { return w >= 0.0; }),
               "the weight of a row in the history is negative");
    for (std::size_t j = 0; j < in.stored_inputs(inputs_); ++j) {
        if (double_ring_.size() > 0) {
            in.get_all(double_ring_.all().subspan(j * stride_, used_));
        } else {
            in.get_all(single_ring_.all().subspan(j * stride_, used_));
        }
    }
    recent_.load(in);
}

}  // namespace sluice::core
