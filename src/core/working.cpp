// working.cpp -- the moments in working units.
//
//     C~ = D C D,    M~ = D M E
//
//   code   with scaling                          without
//   D_j    1 / sqrt(C_jj)                        2^(exponent_j - largest exponent of any input)
//   E_k    1 / sqrt(n variance_k)                2^(exponent_k - largest exponent of any output)
//
// C and M stand here for the stored numbers, true moment / scale. With scaling C~ has a unit diagonal and M~ holds
// correlations; without, C~ and M~ are the paper's C and M up to a common power of two. Either way nothing overflows,
// and multiplying all inputs or all outputs by a power of two changes no bit of C~ and M~.
#include "working.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice::core {

namespace {

// A column whose standard deviation is below this share of its mean is constant: a mean that forgets 1/(1 - lambda)
// rows is known to about 1e-16 / (1 - lambda), and the rest would be rounding scaled up to unit variance.
constexpr double kConstant = 1e-12;

bool varies(double variance, double mean, bool centered) {
    const double floor = centered ? kConstant * mean : 0.0;
    return variance > floor * floor;
}

}  // namespace

Working::Working(std::size_t inputs, std::size_t outputs, StreamOptions options)
    : options_(std::move(options)), d_(inputs, 0.0), e_(outputs, 0.0), M_(inputs * outputs, 0.0) {}

bool Working::anything_varies() const {
    return constant_inputs_ < d_.size() && (cross_square_ > 0.0 || options_.ridge > 0.0) &&
           std::ranges::any_of(e_, [](double e) { return e > 0.0; });
}

void Working::refresh(const Moments& moments) {
    const std::size_t p = d_.size();
    const std::size_t q = e_.size();
    constexpr int kLowest = -100000;

    constant_inputs_ = 0;
    int top_input = kLowest;
    for (std::size_t j = 0; j < p; ++j) {
        const bool alive = varies(moments.input_variance(j), moments.input_mean(j), moments.centered());
        d_[j] = alive ? 1.0 : 0.0;
        constant_inputs_ += alive ? 0 : 1;
        top_input = alive ? std::max(top_input, moments.input_exponent(j)) : top_input;
    }
    input_trace_ = 0.0;
    for (std::size_t j = 0; j < p; ++j) {
        if (d_[j] != 0.0) {
            d_[j] = options_.scale_inputs ? 1.0 / std::sqrt(moments.input_square(j))
                                          : std::ldexp(1.0, moments.input_exponent(j) - top_input);
        }
        input_trace_ += d_[j] * d_[j] * moments.input_square(j);
    }

    int top_output = kLowest;
    for (std::size_t k = 0; k < q; ++k) {
        const bool alive = varies(moments.output_variance(k), moments.output_mean(k), moments.centered());
        e_[k] = alive ? 1.0 : 0.0;
        top_output = alive ? std::max(top_output, moments.output_exponent(k)) : top_output;
    }
    for (std::size_t k = 0; k < q; ++k) {
        if (e_[k] != 0.0) {
            e_[k] = options_.scale_outputs
                        ? std::sqrt(moments.scale() / (moments.weight() * moments.output_variance(k)))
                        : std::ldexp(1.0, moments.output_exponent(k) - top_output);
        }
    }
    // H is in the proportion ridge C~ : (1 - ridge) gain M~ M~', where gain is what one squared unit of E stands for.
    raw_gain_ = options_.scale_outputs ? moments.weight() : std::ldexp(moments.scale(), 2 * top_output);
    // One unit of D stands for sqrt(n / scale) standard deviations, or 2^top_input of the caller's units; E likewise.
    const double standard = std::sqrt(moments.weight() / moments.scale());
    loading_unit_ = std::ldexp((options_.scale_outputs ? standard : 1.0) / (options_.scale_inputs ? standard : 1.0),
                               (options_.scale_outputs ? 0 : top_output) - (options_.scale_inputs ? 0 : top_input));

    cross_square_ = 0.0;
    for (std::size_t k = 0; k < q; ++k) {
        const auto column = moments.cross_column(k);
        double* out = M_.data() + (k * p);
        double sum = 0.0;
        for (std::size_t j = 0; j < p; ++j) {
            out[j] = d_[j] * column[j] * e_[k];
            sum += out[j] * out[j];
        }
        cross_square_ += sum;
    }
}

}  // namespace sluice::core
