// working.hpp -- the moments in working units.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "moments.hpp"
#include "sluice/options.hpp"

namespace sluice::core {

/// C~ = D C D and M~ = D M E with diagonal D and E: the moments as the method sees them. Neither is formed.
/// Only directions matter to the method, so a common factor of all of C~ or all of M~ is left out.
class Working {
  public:
    Working(std::size_t outputs, const StreamOptions& options);

    /// When the outputs of a row are in the moments: E.
    void refresh_outputs(const Moments& moments);
    /// What the pass over the inputs is to find; then takes over what it found.
    [[nodiscard]] Survey& survey();
    [[nodiscard]] Survey blank_survey() const { return {.scale_inputs = scale_inputs_, .e = e_}; }
    void refresh_inputs(const Moments& moments);
    /// All of it, by a pass of its own.
    void refresh(const Moments& moments);

    /// D_j; 0 for a constant input.
    [[nodiscard]] double input_unit(const Moments& moments, std::size_t j) const {
        if (all_ones_) {
            return 1.0;
        }
        return moments.input_varies(j) ? input_unit(j, moments.input_square(j), moments) : 0.0;
    }
    /// The same in the middle of a row: D_j as it will be.
    [[nodiscard]] double input_unit(std::size_t j, double square, const Moments& moments) const {
        if (scale_inputs_) {
            return square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
        }
        const int below = moments.input_exponent(j) - survey_.top_exponent;
        return below == 0 ? 1.0 : std::ldexp(1.0, std::max(below, -500));
    }
    [[nodiscard]] bool input_units_are_ones() const { return all_ones_; }
    [[nodiscard]] std::span<const double> output_units() const { return e_; }  ///< E; 0 for a constant output

    /// M~_jk
    [[nodiscard]] double cross(const Moments& moments, std::size_t j, std::size_t k) const {
        return input_unit(moments, j) * moments.cross(j, k) * e_[k];
    }

    [[nodiscard]] double input_trace() const { return survey_.input_trace; }    ///< tr(C~)
    [[nodiscard]] double cross_square() const { return survey_.cross_square; }  ///< tr(M~ M~')
    /// What M~ M~' is multiplied by so that C~ and it are in the proportion of the paper's literal H.
    [[nodiscard]] double raw_gain() const { return raw_gain_; }

    /// What turns W of C~ and M~ into W of the data as the user knows it: unit variances, or the caller's own units.
    [[nodiscard]] double loading_unit() const { return loading_unit_; }

    [[nodiscard]] std::size_t varying_inputs() const { return survey_.varying; }
    [[nodiscard]] bool anything_varies() const;

  private:
    bool scale_inputs_;
    bool scale_outputs_;
    double ridge_;
    std::vector<double> e_;
    int top_output_ = 0;
    Survey survey_;
    bool all_ones_ = false;  // D is the identity: no scaling, no column units, every input varies
    double raw_gain_ = 1.0;
    double loading_unit_ = 1.0;
};

}  // namespace sluice::core
