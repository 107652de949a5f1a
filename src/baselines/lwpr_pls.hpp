// lwpr_pls.hpp -- the incremental PLS inside locally weighted projection regression, of Vijayakumar, D'Souza and Schaal
// (2005): one receptive field that holds the whole input space, so that every row has weight 1.
//
//     z_1 = x - mean,   e_1 = y - mean
//     for r = 1 .. R:
//         u_r  <- lambda u_r + z_r e_r
//         s_r  =  z_r'u_r / |u_r|
//         SS_r <- lambda SS_r + s_r^2,   SE_r <- lambda SE_r + s_r e_r,   SZ_r <- lambda SZ_r + s_r z_r
//         b_r  =  SE_r / SS_r,   p_r = SZ_r / SS_r
//         z_{r+1} = z_r - s_r p_r,   e_{r+1} = e_r - s_r b_r
//         MSE_r <- lambda MSE_r + (y - what r projections predicted before the row)^2
//     MSE_R / MSE_{R-1} < phi:   R <- R + 1
//
//   code         letter   size   meaning
//   z            z_r      p      what the projections before leave of the standard inputs
//   u            u_r      p      direction: regression of the residual on what is left of the inputs
//   s            s_r      1      projection of the row
//   b, SZ / SS   b_r, p_r 1, p   slope of the output and of the inputs on the projection
//   squares      MSE_r    1      weighted sum of squared errors one step ahead: the paper's leave-one-out error
//   forgetting   lambda   1      weight of a row, against that of the next one
//   add          phi      1      how much the last projection must lower the error before another one is added
//
// Each output has its own projections, as in the paper. R starts at 2. The last projection is on trial: it predicts while
// its error is below that of the ones before it alone, and another is added only after it has been there for `trial` rows.
// Departs from the paper in one more thing: lambda is fixed, where the paper lets it tend to 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/matrix.hpp"
#include "standard_inputs.hpp"

namespace sluice::baselines {

struct LwprPlsOptions {
    double forgetting = 0.99;  ///< lambda, 0.5 to 1.
    double add = 0.9;          ///< phi, 0 to 1; 0 stays at two projections.
    std::size_t most = 20;     ///< projections at most. 2 or more; where there are fewer inputs, as many as inputs.
    std::size_t trial = 30;    ///< rows that the last projection has seen before another is added.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class LwprPls {
  public:
    /// Throws OptionError, with every broken rule.
    LwprPls(std::size_t inputs, std::size_t outputs, LwprPlsOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    void predict(std::span<const double> x, std::span<double> y) const;
    /// A row whose output is missing changes nothing of that output's projections; a row without any output only updates
    /// the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] std::size_t projections(std::size_t output) const { return of_.at(output).count; }  ///< R
    [[nodiscard]] double mean_square(std::size_t output, std::size_t r) const;  ///< MSE with r + 1 projections
    [[nodiscard]] Matrix coefficients() const;                                  ///< inputs x outputs
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    struct Output {
        double weight = 0.0;  // sum of lambda^age
        double mean = 0.0;
        double unit = 1.0;  // of the output: a power of two, so that squares neither overflow nor vanish
        bool known = false;
        std::size_t count = 0;
        std::uint64_t trial = 0;  // rows that the last projection has seen
        std::vector<double> u;    // p x most
        std::vector<double> SZ;   // p x most
        std::vector<double> SS;
        std::vector<double> SE;
        std::vector<double> squares;
        std::vector<double> weights;  // sum of lambda^age in `squares`
    };
    void learn_output(Output& out, double y);
    void adopt_unit(Output& out, double y) const;
    void predict_each(const Output& out, std::span<double> z, std::span<double> y) const;
    [[nodiscard]] static std::size_t trusted(const Output& out);
    void add_projection(Output& out) const;

    LwprPlsOptions options_;
    StandardInputs inputs_;
    std::size_t most_;
    double weight_ = 0.0;
    std::vector<Output> of_;
    std::vector<double> z_;
    std::vector<double> forecast_;
};

}  // namespace sluice::baselines
