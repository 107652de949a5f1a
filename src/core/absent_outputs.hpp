// absent_outputs.hpp -- an output that is absent from a row is filled in with the model's own prediction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "moments.hpp"
#include "regress.hpp"
#include "row.hpp"
#include "sluice/options.hpp"
#include "working_units.hpp"

namespace sluice::core {

class AbsentOutputs {
  public:
    AbsentOutputs(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

    /// Before the moments forget: the outputs of a row, filled in where NaN. An output that was never observed stays NaN.
    /// `regression` made the coefficients `fit`, which predict.
    void fill(std::span<const double> y, std::span<const double> prediction, const Moments& moments,
              const WorkingUnits& units, const Regression& regression, const Coefficients& fit);
    [[nodiscard]] std::span<const double> filled() const { return filled_; }
    [[nodiscard]] std::span<const unsigned char> observed() const { return observed_; }
    [[nodiscard]] std::size_t count() const { return count_; }  ///< of the outputs that are absent

    /// After the row was added: M is corrected so that the absent outputs keep their coefficients. renormalised: what
    /// Moments::forget() returned. Returns whether M has changed.
    bool settle(Moments& moments, const Regression& regression, const Coefficients& fit, double renormalised);

  private:
    [[nodiscard]] double column_ridge(const Moments& moments, const Regression& regression, const Coefficients& fit,
                                      std::size_t j, double n_k) const;

    bool scale_inputs_;
    bool refit_;
    double forgetting_;
    std::size_t count_ = 0;
    std::vector<double> filled_;
    std::vector<unsigned char> observed_;
    std::vector<double> beta_;    // in column units, as fit.beta
    std::vector<double> ridges_;  // before the row, as fit.beta
};

}  // namespace sluice::core
