// recursive_pls.hpp -- recursive exponentially weighted PLS on all inputs, of Dayal and MacGregor (1997).
//
//     C_t = lambda C_{t-1} + x_t'x_t,   M_t = lambda M_{t-1} + x_t'y_t         weighted_moments.hpp, centred and scaled
//     B   = PLS of C_t and M_t with A components                               kernel_pls.hpp
//     y   = mean + (x - mean) B
//
//   code         letter   meaning
//   forgetting   lambda   weight of a row, against that of the next one
//   components   A        latent components; fewer where the moments support fewer
//   solve_every           rows between two solutions
//
// Rows are centred by weighted means and scaled by weighted deviations, which the paper gives as the usual practice. Its
// variable forgetting factor is not here: one fixed factor, as for the other methods. p^2 / 2 products for a row, and
// about (A + 1) p^2 for a solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "moment_predictor.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct RecursivePlsOptions {
    double forgetting = 0.99;     ///< lambda, 0.5 to 1. Remembers about 1/(1 - lambda) rows; 1 never forgets.
    std::size_t components = 10;  ///< A, 1 or more.
    std::size_t solve_every = 1;  ///< rows between solutions. 1 or more.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class RecursivePls {
  public:
    /// Throws OptionError, with every broken rule.
    RecursivePls(std::size_t inputs, std::size_t outputs, RecursivePlsOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    void predict(std::span<const double> x, std::span<double> y) const { predictor_.predict(x, y); }
    /// A missing output counts as what was predicted for it; a row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] Matrix coefficients() const { return predictor_.coefficients(); }  ///< inputs x outputs
    [[nodiscard]] std::size_t bytes() const noexcept { return predictor_.bytes() + (C_.size() * sizeof(double)); }

  private:
    void solve();

    RecursivePlsOptions options_;
    MomentPredictor predictor_;
    std::uint64_t rows_ = 0;
    std::vector<double> C_;  // correlations, the lower triangle
};

}  // namespace sluice::baselines
