// input_moments.cpp -- weighted second moments of the inputs.
//
//     C_t = lambda C_{t-1} + x_t'x_t,     M_t = lambda M_{t-1} + x_t'y_t                                      eq. (15)
//
// Centred, the rank-one terms are those of the deviations d = x_t - mean_{t-1}, e = y_t - mean_{t-1}:
//     C_t = lambda C_{t-1} + f d'd,   f = lambda n_{t-1} / n_t,   n_t = lambda n_{t-1} + 1,   mean_t = mean_{t-1} + d / n_t
// This equals sum w x'x - n mean'mean exactly, without its cancellation: a constant column has C_jj = 0 to the bit, and
// a mean a million times the deviation costs no digits.
//
//   code      paper   size   meaning
//   gram_     C       pp     as much of it as its engine keeps; its diagonal is square_
//   M_        M       pq     C and M are divided by scale_, so that forgetting costs one multiplication per row
//   scale_    -       1      lambda^t; brought back by a power of two (exact) before it runs out of exponent
//   weight_   -       1      n, the sum of lambda^age
//   h         x       p      sqrt(f) d: C gains h'h / scale_, M gains h'(sqrt(f) e) / scale_
//
// A missing input counts as its mean: d = 0. Its mean moves only with the rows in which it was present, whose weight
// n - gap takes the place of n above.
#include "input_moments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine.hpp"
#include "kernels.hpp"
#include "small_numbers.hpp"

namespace sluice::core {

InputMoments::InputMoments(std::size_t inputs, std::size_t outputs, const StreamOptions& options)
    : p_(inputs),
      q_(outputs),
      stride_(column_stride(inputs)),
      forgetting_(options.forgetting),
      center_(options.center),
      gram_(make_gram(plan_engine(inputs, outputs, options), inputs, outputs, options)),
      square_(padded(inputs)),
      M_(stride_ * outputs),
      units_(moment_units(inputs)),
      mean_(padded(inputs)),
      gap_(padded(inputs)),
      traits_(pieces()),
      output_step_(outputs),
      piece_sums_(pieces()),
      workers_(options.threads) {}

double InputMoments::forget() {
    weight_ *= forgetting_;
    scale_ *= forgetting_;
    if (scale_ >= kLeastScale) {
        return 1.0;
    }
    // A forgetting near the smallest number leaves nothing at all of what was there.
    const bool nothing_left = scale_ < power_of_two(-kExponentLimit);
    const int bits = nothing_left ? 0 : -std::ilogb(scale_) / 2 * 2;  // the root of the factor is a power of two, too
    const double factor = nothing_left ? 0.0 : power_of_two(-bits);
    gram_->scale(factor);
    multiply(square_.all(), factor);
    multiply(M_.all(), factor);
    multiply(gap_.all(), factor);
    scale_ = nothing_left ? 1.0 : std::ldexp(scale_, bits);
    return factor;
}

void InputMoments::adopt_units(std::span<const double> x, bool in_range) {
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
        const std::size_t first = piece * kPiece;
        const std::size_t size = std::min(kPiece, p_ - first);
        const bool units = traits_[piece].units;
        const bool fits = (in_range && !units) ||
                          kernels::within(x.data() + first, units ? units_.units() + first : nullptr, size, kInRange);
        if (fits && !traits_[piece].fresh) {
            continue;
        }
        for (std::size_t j = first; j < first + size; ++j) {
            if (std::isnan(x[j])) {
                continue;
            }
            if (const auto exponent = units_.needed(j, x[j])) {
                rescale_input(j, *exponent);
            }
        }
        note_piece(piece);
    }
}

void InputMoments::rescale_input(std::size_t j, int exponent) {
    const double factor = units_.set(j, exponent);
    if (factor == 1.0) {
        return;
    }
    mean_[j] *= factor;
    gram_->scale_input(j, factor);
    multiply(square_[j], factor);
    multiply(square_[j], factor);
    for (std::size_t k = 0; k < q_; ++k) {
        multiply(M_[(k * stride_) + j], factor);
    }
}

void InputMoments::scale_output(std::size_t k, double factor) {
    multiply({&M_[k * stride_], p_}, factor);
}

void InputMoments::note_piece(std::size_t piece) {
    Traits traits{.fresh = false};
    for (std::size_t j = piece * kPiece; j < std::min((piece + 1) * kPiece, p_); ++j) {
        const bool fresh = !units_.known(j);
        traits.fresh = traits.fresh || fresh;
        traits.units = traits.units || (!fresh && units_.exponent(j) != 0);
        traits.gaps = traits.gaps || gap_[j] != 0.0;
    }
    traits_[piece] = traits;
    any_units_ = any_units_ || traits.units;
}

void InputMoments::note_pieces() {
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
        note_piece(piece);
    }
}

InputMoments::RowWeights InputMoments::next_weights() const {
    return {.before = weight_, .root = std::sqrt(weight_ / (weight_ + 1.0)), .step = 1.0 / (weight_ + 1.0)};
}

InputMoments::Entry InputMoments::entry(std::size_t j, double x, const RowWeights& weights) const {
    const double mean = mean_[j];
    if (std::isnan(x)) {
        return {.h = center_ ? 0.0 : mean, .mean = mean, .gap = gap_[j] + row_weight()};
    }
    const double value = x * units_.unit(j);
    double root = weights.root;
    double step = weights.step;
    double present = weights.before;
    if (gap_[j] != 0.0) {
        present = std::max(weights.before - (scale_ * gap_[j]), 0.0);
        present = present < kNoWeight * weights.before ? 0.0 : present;
        root = std::sqrt(present / (present + 1.0));
        step = 1.0 / (present + 1.0);
    }
    const double deviation = value - mean;
    return {.h = center_ ? deviation * root : value,
            .mean = present == 0.0 ? value : mean + (deviation * step),
            .gap = gap_[j]};
}

InputMoments::Preview InputMoments::preview(std::size_t j, double x, const RowWeights& weights) const {
    const double h = entry(j, x, weights).h;
    return {.square = square_[j] + (h * h * row_weight()), .deviation = h};
}

std::size_t InputMoments::bytes() const {
    return gram_->bytes() + square_.bytes() + M_.bytes() + units_.bytes() + mean_.bytes() + gap_.bytes();
}

}  // namespace sluice::core
