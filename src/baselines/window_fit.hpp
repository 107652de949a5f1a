// window_fit.hpp -- PLS-2, Bridge PLS or principal components regression on the last rows, fitted again every few rows.
//
//     every `refit_every` rows:   (beta, b0) = fit(method, last W rows, R components)            sluice/fit.hpp
//     y = b0 + beta' clip(x),      clip: each input to within c standard deviations of its mean in the window
//
//   code          letter   meaning
//   window        W        rows kept, all of the same weight
//   components    R        latent components; fewer where the rows support fewer
//   ridge         alpha    of Bridge PLS: H = alpha C + (1 - alpha) M M'; the other methods do not use it
//   clip          c        bound on the inputs of a prediction, as StreamOptions::clip for Sluice's own models; without it
//                          one faulty reading of an input that hardly varied in the window decides the whole error
//   refit_every            rows between two fits
//
// The fit is the off-line one of the library (src/batch): inputs and outputs centred and scaled to unit variance in the
// window. A missing input counts as the last value seen of it, a missing output as what was predicted for it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "row_intake.hpp"
#include "row_window.hpp"
#include "sluice/fit.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct WindowFitOptions {
    sluice::Method method = sluice::Method::pls2;  ///< not sparse_bridge, which is Sluice itself
    std::size_t components = 5;                    ///< R, 1 or more; where there are fewer inputs, as many as inputs.
    std::size_t window = 250;                      ///< W, rows kept. 2 or more.
    std::size_t refit_every = 10;                  ///< rows between fits. 1 or more.
    double ridge = 1e-5;                           ///< alpha, 0 to 1.
    double clip = 5.0;                             ///< c, above 0; infinity: never.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class WindowFit {
  public:
    /// Throws OptionError, with every broken rule.
    WindowFit(std::size_t inputs, std::size_t outputs, WindowFitOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before the first fit: zeros.
    void predict(std::span<const double> x, std::span<double> y) const;
    /// A row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] Matrix coefficients() const { return fit_.coefficients; }  ///< inputs x outputs
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    void refit();
    void measure_range();

    std::size_t inputs_;
    std::size_t outputs_;
    WindowFitOptions options_;
    LastSeen last_;
    RowWindow rows_;
    Fit fit_;                    // coefficients, intercept and means; zeros before the first fit
    std::vector<double> least_;  // of each input when predicting
    std::vector<double> most_;
    std::vector<double> filled_;
};

}  // namespace sluice::baselines
