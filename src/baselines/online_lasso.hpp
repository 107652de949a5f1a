// online_lasso.hpp -- the on-line lasso of Anagnostopoulos, Tasoulis, Hand and Adams, "Online optimisation for variable
// selection on data streams" (ECAI 2008), with its adaptive penalty.
//
//     b(gamma) = argmin_b 1/2 b'Rb - b'r + gamma |b|_1                     (shooting.hpp, from the solution of the row before)
//     gamma_t  = argmin AIC over { gamma_{t-1} / c, gamma_{t-1}, gamma_{t-1} c }
//     AIC      = n log(rss) + 2 |{j: b_j != 0}|,   rss = 1 - 2 b'r + b'Rb
//
//   code          letter     meaning
//   forgetting    lambda     of the recursive moments (weighted_moments.hpp)
//   step          c          factor by which the penalty may move with a row
//                 n          weight of all rows
//                 R, r       weighted correlations among inputs, and of inputs with the output
//   names         N          over all outputs together, shared evenly as in window_lars.hpp
//
// Departs from the paper: (1) The penalty moves by a factor, not by a constant: correlations are free of units, but
// useful penalties range from 1e-4 to 1. The factor is c, c^2, c^4, ... in turn, from row to row: with c alone the
// search stays where both neighbours select the same inputs, and with few rows it reaches penalties at which all are
// selected and never returns. Where two penalties select the same inputs, the lower one is taken. (2) At most N names:
// a penalty that leaves more is not a candidate, and where the present one does since correlations changed, it is
// raised by c until at most the share is left. (3) With `refit`, the selected inputs are fitted by least squares on
// the same moments, and AIC is that of this fit: a penalty that holds N back also shrinks, which on real streams costs
// more than it gains. (4) The forgetting factor is given, not adapted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "correlation_columns.hpp"
#include "moment_predictor.hpp"
#include "shooting.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct OnlineLassoOptions {
    double forgetting = 0.99;    ///< lambda, 0.5 to 1. Remembers about 1/(1 - lambda) rows; 1 never forgets.
    std::size_t names = 20;      ///< N. 1 or more; an output whose share is 0 has no names.
    double first_penalty = 0.1;  ///< gamma before the first row, above 0 and at most 1, where no input is left.
    double step = 1.1;           ///< c, above 1 and at most 10.
    bool refit = true;           ///< least squares on the selected inputs; false: the coefficients of the lasso
    double shrinkage = 1e-6;     ///< of the refit. 1e-12 to 1e12.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class OnlineLasso {
  public:
    /// Throws OptionError, with every broken rule.
    OnlineLasso(std::size_t inputs, std::size_t outputs, OnlineLassoOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    void predict(std::span<const double> x, std::span<double> y) const { predictor_.predict(x, y); }
    /// A missing output counts as what was predicted for it; a row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] Matrix coefficients() const { return predictor_.coefficients(); }  ///< inputs x outputs
    [[nodiscard]] double penalty(std::size_t output) const { return points_.at(output).gamma; }
    /// Coefficients of the lasso at the penalty, before any refit; inputs and output in standard units.
    [[nodiscard]] std::span<const double> lasso(std::size_t output) const { return points_.at(output).b; }
    [[nodiscard]] const WeightedMoments& moments() const noexcept { return predictor_.moments(); }
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    void adapt(std::size_t output);
    void fit(const LassoPoint& point);  // into b_
    [[nodiscard]] double criterion(const LassoPoint& point);

    OnlineLassoOptions options_;
    MomentPredictor predictor_;
    CorrelationColumns columns_;
    std::vector<LassoPoint> points_;  // by output
    std::uint64_t rows_ = 0;
    LassoPoint lower_, higher_;  // candidates
    std::vector<double> r_;
    std::vector<std::size_t> selected_;
    std::vector<double> b_;
};

}  // namespace sluice::baselines
