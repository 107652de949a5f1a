// working_units.hpp -- the moments as the method sees them: C~ = D C D and M~ = D M E with diagonal D and E.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "moments.hpp"
#include "sluice/options.hpp"

namespace sluice::core {

/// D and E, and what is known of C~ and M~ as a whole. Neither matrix is formed. Only directions matter to the method, so
/// a common factor of all of C~ or all of M~ is left out.
class WorkingUnits {
  public:
    WorkingUnits(std::size_t outputs, const StreamOptions& options);

    /// E, when the outputs of a row are in the moments and its inputs are not: the row's weight counts already.
    void set_outputs_of_next_row(const Moments& moments) { set_outputs(moments, moments.inputs.weight() + 1.0); }
    /// D, and the sums that the pass over the inputs has found.
    void set_inputs(const Moments& moments, const PassSums& sums);
    /// All of it, by a pass of its own.
    void refresh(const Moments& moments);

    [[nodiscard]] PassUnits for_pass() const { return {.scale_inputs = scale_inputs_, .e = e_}; }

    /// D_j; 0 for a constant input.
    [[nodiscard]] double input_unit(const Moments& moments, std::size_t j) const {
        if (all_ones_) {
            return 1.0;
        }
        return moments.inputs.varies(j) ? input_unit(j, moments.inputs.square(j), moments) : 0.0;
    }
    /// D_j of an input that varies and whose C_jj is `square`, in a row that is about to be added.
    [[nodiscard]] double input_unit(std::size_t j, double square, const Moments& moments) const {
        if (scale_inputs_) {
            return square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
        }
        const int below = moments.inputs.units().exponent(j) - sums_.top_exponent;
        return below == 0 ? 1.0 : std::ldexp(1.0, std::max(below, -500));
    }
    /// D^2 of all inputs: padded p numbers.
    void input_weights(const Moments& moments, std::span<double> w) const {
        moments.inputs.input_weights(scale_inputs_, sums_.top_exponent, w);
    }
    [[nodiscard]] bool input_units_are_ones() const { return all_ones_; }
    [[nodiscard]] std::span<const double> output_units() const { return e_; }  ///< E; 0 for a constant output

    [[nodiscard]] double input_trace() const { return sums_.input_trace; }    ///< tr(C~)
    [[nodiscard]] double cross_square() const { return sums_.cross_square; }  ///< tr(M~ M~')
    /// What M~ M~' is multiplied by so that C~ and it are in the proportion of the paper's literal H.
    [[nodiscard]] double raw_gain() const { return raw_gain_; }

    /// What turns W of C~ and M~ into W of the data as the user knows it: unit variances, or the caller's own units.
    [[nodiscard]] double loading_unit() const { return loading_unit_; }

    [[nodiscard]] std::size_t varying_inputs() const { return sums_.varying; }
    [[nodiscard]] bool anything_varies() const;

  private:
    void set_outputs(const Moments& moments, double n);

    bool scale_inputs_;
    bool scale_outputs_;
    double ridge_;
    std::vector<double> e_;
    int top_output_ = 0;
    PassSums sums_;
    bool all_ones_ = false;  // D is the identity: no scaling, no column units, every input varies
    double raw_gain_ = 1.0;
    double loading_unit_ = 1.0;
};

}  // namespace sluice::core
