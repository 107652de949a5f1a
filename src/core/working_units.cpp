// working_units.cpp -- the moments in working units.
//
//     C~ = D C D,    M~ = D M E
//
//   code   with scaling                          without
//   D_j    1 / sqrt(C_jj)                        2^(exponent_j - largest exponent of any input)
//   E_k    1 / sqrt(n variance_k)                2^(exponent_k - largest exponent of any output)
//
// C and M stand here for the stored numbers, true moment / scale. With scaling C~ has a unit diagonal and M~ holds
// correlations; without, C~ and M~ are the paper's C and M up to a common power of two. Either way nothing overflows,
// and multiplying all inputs or all outputs by a power of two changes no bit of C~ and M~. Columns that do not vary have
// D_j = 0 or E_k = 0.
#include "working_units.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::core {

WorkingUnits::WorkingUnits(std::size_t outputs, const StreamOptions& options)
    : scale_inputs_(options.scale_inputs),
      scale_outputs_(options.scale_outputs),
      ridge_(options.ridge),
      e_(outputs, 0.0) {}

bool WorkingUnits::anything_varies() const {
    return sums_.varying > 0 && (sums_.cross_square > 0.0 || ridge_ > 0.0) &&
           std::ranges::any_of(e_, [](double e) { return e > 0.0; });
}

void WorkingUnits::set_outputs(const Moments& moments, double n) {
    const OutputMoments& outputs = moments.outputs;
    top_output_ = largest_exponent(
        e_.size(), [&](std::size_t k) { return outputs.units().exponent(k); },
        [&](std::size_t k) { return outputs.varies(k); });
    for (std::size_t k = 0; k < e_.size(); ++k) {
        if (!outputs.varies(k)) {
            e_[k] = 0.0;
        } else {
            e_[k] = scale_outputs_ ? std::sqrt(moments.inputs.scale() / (n * outputs.variance(k)))
                                   : times_power_of_two(1.0, outputs.units().exponent(k) - top_output_);
        }
    }
}

void WorkingUnits::set_inputs(const Moments& moments, const PassSums& sums) {
    const InputMoments& inputs = moments.inputs;
    sums_ = sums;
    all_ones_ = !scale_inputs_ && !inputs.has_units() && sums_.varying == inputs.size();
    // H is in the proportion ridge C~ : (1 - ridge) gain M~ M~', where gain is what one squared unit of E stands for.
    raw_gain_ = scale_outputs_ ? inputs.weight() : times_power_of_two(inputs.scale(), 2 * top_output_);
    // One unit of D stands for sqrt(n / scale) standard deviations, or 2^top of the caller's units; E likewise.
    const double standard = scale_inputs_ == scale_outputs_ ? 1.0 : std::sqrt(inputs.weight() / inputs.scale());
    loading_unit_ = times_power_of_two((scale_outputs_ ? standard : 1.0) / (scale_inputs_ ? standard : 1.0),
                                       (scale_outputs_ ? 0 : top_output_) - (scale_inputs_ ? 0 : sums_.top_exponent));
}

void WorkingUnits::refresh(const Moments& moments) {
    set_outputs(moments, moments.inputs.weight());
    set_inputs(moments, moments.inputs.sums(for_pass()));
}

}  // namespace sluice::core
