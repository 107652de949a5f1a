// row_pass.cpp -- the one pass over all inputs that a row costs.
//
// In pieces (workers.hpp) that fit the nearest cache: x is read, mean, C_jj and M are read and written, h is written, 8 (6 + 2 q) bytes
// an input. The sums over M~ that the step needs, and the candidates of each component, are found in the same pass; sums
// are made of each piece and added in order.
#include "row_pass.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "input_moments.hpp"

namespace sluice::core {

CandidateFilter::CandidateFilter(std::size_t directions, std::size_t outputs, std::size_t capacity, std::size_t workers)
    : g(directions * outputs, 0.0),
      least_square(directions, 0.0),
      bound_square(directions, 0.0),
      capacity_(capacity),
      by_worker_(workers) {
    for (Notes& notes : by_worker_) {
        notes.hits.assign(directions, std::vector<std::uint32_t>(capacity + kLanes));
        notes.counts = Buffer<std::size_t>(padded(directions));
    }
}

void CandidateFilter::clear() {
    for (Notes& notes : by_worker_) {
        std::ranges::fill(notes.counts.all(), 0);
        notes.places.clear();  // a copy of this filter has lists of its own
        for (auto& list : notes.hits) {
            notes.places.push_back(list.data());
        }
    }
}

std::size_t CandidateFilter::count(std::size_t direction) const {
    std::size_t sum = 0;
    for (const Notes& notes : by_worker_) {
        sum += notes.counts[direction];
    }
    return sum;
}

void CandidateFilter::candidates(std::size_t direction, std::vector<std::size_t>& into) const {
    into.clear();
    for (const Notes& notes : by_worker_) {
        const auto& list = notes.hits[direction];
        into.insert(into.end(), list.begin(), list.begin() + static_cast<std::ptrdiff_t>(notes.counts[direction]));
    }
}

void CandidateFilter::set_destination(kernels::CrossPass& pass, std::size_t worker) {
    Notes& notes = by_worker_[worker];
    pass.directions = least_square.size();
    pass.g = g.data();
    pass.least_square = least_square.data();
    pass.bound_square = bound_square.data();
    pass.hits = notes.places.data();
    pass.counts = notes.counts.data();
    pass.room = capacity_;
}

PassSums InputMoments::add(const Row& row, std::span<const double> output_deviations, const PassUnits& units,
                           CandidateFilter* filter) {
    assert(row.x.size() == p_ && output_deviations.size() == q_);
    if (filter != nullptr) {
        filter->clear();
    }
    for (std::size_t k = 0; k < q_; ++k) {
        output_step_[k] = output_deviations[k] * row_weight();
    }
    double* h = gram_->row();
    const RowWeights weights = next_weights();
    weight_ += 1.0;  // from here on variances include the row
    auto add_squares = [&](std::size_t piece) {
        double* own = h + (piece * kPiece);
        center_piece(piece, row, weights, own);
        kernels::add_squares(own, row_weight(), piece_size(piece), square_.data() + (piece * kPiece));
    };
    // Piece by piece through both halves, unless some columns have units of their own: the largest of those that vary
    // must be known first.
    int top = 0;
    workers_.share_inputs(p_, [&](std::size_t worker, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
            add_squares(piece);
            if (!any_units_) {
                sum_piece(piece, h + (piece * kPiece), units, top, filter, worker);
            }
        }
    });
    if (any_units_) {
        top = top_exponent();
        workers_.share_inputs(p_, [&](std::size_t worker, std::size_t first, std::size_t last) {
            for (std::size_t piece = first; piece < last; ++piece) {
                sum_piece(piece, h + (piece * kPiece), units, top, filter, worker);
            }
        });
    }
    gram_->add_row(row_weight(), workers_);
    ++rows_;
    return sum_up(top);
}

PassSums InputMoments::sums(const PassUnits& units) const {
    const int top = any_units_ ? top_exponent() : 0;
    workers_.share_inputs(p_, [&](std::size_t worker, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
            sum_piece(piece, nullptr, units, top, nullptr, worker);
        }
    });
    return sum_up(top);
}

void InputMoments::input_weights(bool scale_inputs, int top_exponent, std::span<double> w) const {
    workers_.share_inputs(p_, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
            (void)piece_units(piece, scale_inputs, top_exponent, w.data() + (piece * kPiece));
        }
    });
}

std::size_t InputMoments::piece_size(std::size_t piece) const {
    return std::min(kPiece, padded(p_) - (piece * kPiece));
}

// h of one piece; the means and gaps take the row into account.
void InputMoments::center_piece(std::size_t piece, const Row& row, const RowWeights& weights, double* h) {
    const std::size_t first = piece * kPiece;
    const std::size_t size = std::min(kPiece, p_ - first);
    const double* unit = traits_[piece].units ? units_.units() + first : nullptr;
    const bool fast =
        weights.before > 0.0 && !traits_[piece].gaps &&
        ((row.in_range && unit == nullptr) || kernels::within(row.x.data() + first, unit, size, kInRange));
    if (fast) {
        kernels::centre(row.x.data() + first, unit, size,
                        {.step = weights.step, .root = weights.root, .center = center_}, mean_.data() + first, h);
        return;
    }
    bool gaps = false;
    for (std::size_t i = 0; i < size; ++i) {
        const Entry done = entry(first + i, row.x[first + i], weights);
        h[i] = done.h;
        mean_[first + i] = done.mean;
        gap_[first + i] = done.gap;
        gaps = gaps || done.gap != 0.0;
    }
    std::fill(h + size, h + padded(size), 0.0);
    traits_[piece].gaps = gaps;
}

// M of one piece gains h'(output deviations), where h is given; then its sums.
void InputMoments::sum_piece(std::size_t piece, const double* h, const PassUnits& units, int top_exponent,
                             CandidateFilter* filter, std::size_t worker) const {
    alignas(64) std::array<double, kPiece> w;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
    const auto sums = piece_units(piece, units.scale_inputs, top_exponent, w.data());
    const double square = cross_piece(piece, h, w.data(), units, filter, worker);
    piece_sums_[piece] = {.square = square, .trace = sums.trace, .varying = sums.varies};
}

// w = D^2 of one piece
kernels::InputSums InputMoments::piece_units(std::size_t piece, bool scale_inputs, int top_exponent, double* w) const {
    const std::size_t first = piece * kPiece;
    const std::size_t size = std::min(kPiece, p_ - first);
    const kernels::Units how{
        .variance = scale_ / weight_, .floor = center_ ? kConstant * kConstant : 0.0, .scale = scale_inputs};
    if (!traits_[piece].gaps && !traits_[piece].units && weight_ > 0.0) {
        return kernels::input_units(square_.data() + first, mean_.data() + first, how, padded(size), w);
    }
    kernels::InputSums sums{.trace = 0.0, .varies = 0};
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t j = first + i;
        w[i] = 0.0;
        if (varies(j)) {
            w[i] =
                scale_inputs ? 1.0 / square_[j] : power_of_two(2 * std::max(units_.exponent(j) - top_exponent, -500));
            ++sums.varies;
        }
    }
    std::fill(w + size, w + padded(size), 0.0);
    sums.trace = kernels::weighted_sum(w, square_.data() + first, padded(size));
    return sums;
}

double InputMoments::cross_piece(std::size_t piece, const double* h, const double* w, const PassUnits& units,
                                 CandidateFilter* filter, std::size_t worker) const {
    const std::size_t first = piece * kPiece;
    kernels::CrossPass pass{.M = const_cast<double*>(M_.data()) + first,  // written only where h is given
                            .stride = stride_,
                            .outputs = q_,
                            .h = h,
                            .dy = output_step_.data(),
                            .e = units.e.data(),
                            .w = w,
                            .square = square_.data() + first,
                            .directions = 0,
                            .g = nullptr,
                            .least_square = nullptr,
                            .bound_square = nullptr,
                            .first = first,
                            .hits = nullptr,
                            .counts = nullptr,
                            .room = 0};
    if (filter != nullptr) {
        filter->set_destination(pass, worker);
    }
    return kernels::cross_pass(pass, piece_size(piece));
}

int InputMoments::top_exponent() const {
    return largest_exponent(
        p_, [&](std::size_t j) { return units_.exponent(j); }, [&](std::size_t j) { return varies(j); });
}

PassSums InputMoments::sum_up(int top_exponent) const {
    PassSums all{.top_exponent = top_exponent};
    for (const PieceSums& piece : piece_sums_) {
        all.input_trace += piece.trace;
        all.cross_square += piece.square;
        all.varying += piece.varying;
    }
    return all;
}

}  // namespace sluice::core
