// moment_ridge.hpp -- ridge regression on exponentially weighted moments, all inputs.
//
//     min_b  sum_t lambda^(T - t) (y_t - a - x_t b)^2 + kappa sum_j s_j^2 b_j^2
//     (R + kappa I) b~ = r,         b_j = b~_j / s_j in units of the output
//
//   code          letter   meaning
//   forgetting    lambda   weight of a row, against that of the next one
//   shrinkage     kappa    in units of the inputs' own weighted sums of squares: units do not matter
//                 s_j^2    weighted sum of squares of input j about its weighted mean
//                 R, r     weighted correlations among inputs, and of inputs with the output (weighted_moments.hpp)
//
// Solved by Cholesky after every `solve_every` rows: p^3 / 6 products. An input that does not vary has coefficient 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "moment_predictor.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct MomentRidgeOptions {
    double forgetting = 0.99;     ///< lambda, 0.5 to 1. Remembers about 1/(1 - lambda) rows; 1 never forgets.
    double shrinkage = 1e-3;      ///< kappa, 1e-9 to 1e9.
    std::size_t solve_every = 1;  ///< rows between solutions. 1 or more.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class MomentRidge {
  public:
    /// Throws OptionError, with every broken rule.
    MomentRidge(std::size_t inputs, std::size_t outputs, MomentRidgeOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    void predict(std::span<const double> x, std::span<double> y) const { predictor_.predict(x, y); }
    /// A missing output counts as what was predicted for it; a row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] Matrix coefficients() const { return predictor_.coefficients(); }  ///< inputs x outputs
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    void solve();

    MomentRidgeOptions options_;
    MomentPredictor predictor_;
    std::uint64_t rows_ = 0;
    std::vector<double> R_;  // p x p, its lower triangle
    std::vector<double> b_;
};

}  // namespace sluice::baselines
