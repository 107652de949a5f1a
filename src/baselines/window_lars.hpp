// window_lars.hpp -- least-angle regression on a window of the last rows, fitted again every few rows.
//
// What a careful user would run without an on-line method: keep W rows, choose names by LARS, then fit those by least squares.
// A budget of names is shared evenly among the outputs, the first ones taking what is left over; a name chosen for several
// outputs is counted for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lars.hpp"
#include "row_intake.hpp"
#include "row_window.hpp"
#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct WindowLarsOptions {
    std::size_t window = 250;     ///< W, rows kept. 2 or more.
    std::size_t refit_every = 1;  ///< rows between fits. 1 or more.
    std::size_t names = 20;       ///< N, over all outputs together. 1 or more; an output whose share is 0 has no names.
    bool center = true;           ///< subtract the window's means; false: a model through the origin
    bool scale_inputs = true;     ///< inputs to unit length before names are chosen: units do not matter
    LarsVariant variant = LarsVariant::lar;
    double ridge = 1e-8;  ///< of the least squares, in units of the chosen inputs' squares. 1e-12 to 1e12.

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

class WindowLars {
  public:
    /// Throws OptionError, with every broken rule.
    WindowLars(std::size_t inputs, std::size_t outputs, WindowLarsOptions options = {});

    /// The outputs expected with these inputs. Changes nothing. Before the first fit: zeros.
    [[nodiscard]] std::vector<double> predict(std::span<const double> x) const;
    void predict(std::span<const double> x, std::span<double> y) const;

    /// Fits after each `refit_every` rows. A missing output counts as what was predicted for it; a row without any output
    /// only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
    [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
    [[nodiscard]] const WindowLarsOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::uint64_t rows_learned() const noexcept { return rows_.rows_added(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return rows_.bytes() + (inputs_ * sizeof(double)); }
    [[nodiscard]] std::size_t share(std::size_t output) const;  ///< names that an output may have

    /// Names of all outputs together, ascending.
    [[nodiscard]] std::span<const std::size_t> selected() const noexcept { return all_chosen_; }
    /// Names of one output, in the order in which they joined.
    [[nodiscard]] std::span<const std::size_t> selected(std::size_t output) const { return chosen_.at(output); }
    [[nodiscard]] Matrix coefficients() const;                                  ///< inputs x outputs
    [[nodiscard]] std::vector<double> intercept() const { return intercept_; }  ///< y = intercept + x coefficients

  private:
    struct Window;  // the rows, centred and scaled
    void fit();
    void fit_output(const Window& window, std::size_t output);

    std::size_t inputs_;
    std::size_t outputs_;
    WindowLarsOptions options_;
    LastSeen last_;
    RowWindow rows_;
    std::vector<double> filled_;                    // outputs of the row
    std::vector<std::vector<std::size_t>> chosen_;  // by output
    std::vector<std::vector<double>> b_;            // of the chosen, in the caller's units
    std::vector<double> intercept_;
    std::vector<std::size_t> all_chosen_;
};

}  // namespace sluice::baselines
