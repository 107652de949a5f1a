// online_lars.hpp -- on-line selection of variables by least-angle regression.
//
// Kim, Rao, Erdogmus and Principe, "Tracking of multivariate time-variant systems based on on-line variable selection"
// (2004): correlations are estimated recursively, LARS on them selects inputs, and only those predict.
//
//     S   = names of LARS on R, r, at most the output's share             (weighted_moments.hpp, lars.hpp)
//     b_S = (R_SS + kappa I)^-1 r_S,   b_j = 0 elsewhere
//
//   code          letter    meaning
//   forgetting    lambda    of the recursive correlations
//   names         N         over all outputs together, shared evenly as in window_lars.hpp
//   shrinkage     kappa     of the least squares on the selected inputs
//                 R, r      weighted correlations among inputs, and of inputs with the output
//
// Departs from the paper: the selected inputs are fitted by least squares on the same moments, not by a filter of their
// own that would have to converge again after each change of S.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "correlation_columns.hpp"
#include "moment_predictor.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct OnlineLarsOptions {
    double forgetting = 0.99;      ///< lambda, 0.5 to 1. Remembers about 1/(1 - lambda) rows; 1 never forgets.
    std::size_t names = 20;        ///< N. 1 or more; an output whose share is 0 has no names.
    std::size_t select_every = 1;  ///< rows between solutions. 1 or more.
    double shrinkage = 1e-6;       ///< kappa, 1e-12 to 1e12.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class OnlineLars {
  public:
    /// Throws OptionError, with every broken rule.
    OnlineLars(std::size_t inputs, std::size_t outputs, OnlineLarsOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    void predict(std::span<const double> x, std::span<double> y) const { predictor_.predict(x, y); }
    /// A missing output counts as what was predicted for it; a row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] Matrix coefficients() const { return predictor_.coefficients(); }  ///< inputs x outputs
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    void select(std::size_t output);

    OnlineLarsOptions options_;
    MomentPredictor predictor_;
    CorrelationColumns columns_;
    std::uint64_t rows_ = 0;
    std::vector<double> squares_;  // diagonal of R
    std::vector<double> r_;
    std::vector<double> b_;
};

}  // namespace sluice::baselines
