// sparse_pls.hpp -- sparse PLS of Le Cao, Rossouw, Robert-Granie and Besse (2008), regression mode, row by row.
//
//     for h = 1 .. R:
//         u_h, v_h:  u <- g(M_h v) / |g(M_h v)|,   v <- M_h'u / |M_h'u|,   repeated until u rests
//                    g(z)_j = sign(z_j) max(|z_j| - gamma, 0)
//         t_h = X_h u_h;  X and Y are deflated by their regressions on t_h:   M_{h+1} = X_{h+1}'Y_{h+1}
//     B = coefficients of Y on t_1 .. t_R in terms of X                       kernel_pls.hpp, where w_h = u_h
//
//   code         letter   meaning
//   components   R        decompositions
//   names        N        inputs used by all components together
//   M            M_h      moments of inputs with outputs, deflated: X_h'Y_h
//   z            M_h v    direction before any input is dropped
//   gamma        gamma    found so that a component brings at most its share of N as new inputs
//   forgetting   lambda   weight of a row, against that of the next one
//
// The moments are exponentially weighted sums and not those of a window: the algorithm needs X only through X'X and X'Y,
// of which every row changes each number once, so the fit is that of all rows so far and no row is stored. Only the
// columns of X'X that belong to the chosen inputs are read.
//
// As in the paper the number of inputs per component is given and gamma follows from it; all outputs are used. Where N is
// not a multiple of R the first components take the rest. An input that an earlier component uses costs nothing again.
// A tie at gamma goes to the input that comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "moment_predictor.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct SparsePlsOptions {
    double forgetting = 0.99;     ///< lambda, 0.5 to 1. Remembers about 1/(1 - lambda) rows; 1 never forgets.
    std::size_t components = 5;   ///< R, 1 or more; at most `names` of them are used.
    std::size_t names = 20;       ///< N, over all components and outputs together. 1 or more.
    std::size_t solve_every = 1;  ///< rows between solutions. 1 or more.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class SparsePls {
  public:
    /// Throws OptionError, with every broken rule.
    SparsePls(std::size_t inputs, std::size_t outputs, SparsePlsOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    void predict(std::span<const double> x, std::span<double> y) const { predictor_.predict(x, y); }
    /// A missing output counts as what was predicted for it; a row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] Matrix coefficients() const { return predictor_.coefficients(); }  ///< inputs x outputs
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    void solve();

    SparsePlsOptions options_;
    MomentPredictor predictor_;
    std::uint64_t rows_ = 0;
};

}  // namespace sluice::baselines
