// working.hpp -- the moments in working units.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "moments.hpp"
#include "sluice/options.hpp"

namespace sluice::core {

/// C~ = D C D and M~ = D M E with diagonal D and E: the moments as the method sees them. C~ is never formed; M~ is.
/// Only directions matter to the method, so a common factor of all of C~ or all of M~ is left out.
class Working {
  public:
    Working(std::size_t inputs, std::size_t outputs, StreamOptions options);

    void refresh(const Moments& moments);

    [[nodiscard]] std::span<const double> input_units() const { return d_; }   ///< D; 0 for a constant input
    [[nodiscard]] std::span<const double> output_units() const { return e_; }  ///< E; 0 for a constant output

    [[nodiscard]] std::span<const double> cross() const { return M_; }  ///< M~, p x q by columns
    [[nodiscard]] std::span<const double> cross_column(std::size_t k) const {
        return {M_.data() + (k * d_.size()), d_.size()};
    }

    [[nodiscard]] double input_trace() const { return input_trace_; }    ///< tr(C~)
    [[nodiscard]] double cross_square() const { return cross_square_; }  ///< tr(M~ M~')
    /// What M~ M~' is multiplied by so that C~ and it are in the proportion of the paper's literal H.
    [[nodiscard]] double raw_gain() const { return raw_gain_; }

    /// What turns W of C~ and M~ into W of the data as the user knows it: unit variances, or the caller's own units.
    [[nodiscard]] double loading_unit() const { return loading_unit_; }

    [[nodiscard]] std::size_t constant_inputs() const { return constant_inputs_; }
    [[nodiscard]] bool anything_varies() const;

  private:
    StreamOptions options_;
    std::vector<double> d_;
    std::vector<double> e_;
    std::vector<double> M_;
    double input_trace_ = 0.0;
    double cross_square_ = 0.0;
    double raw_gain_ = 1.0;
    double loading_unit_ = 1.0;
    std::size_t constant_inputs_ = 0;
};

}  // namespace sluice::core
