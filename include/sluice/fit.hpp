// fit.hpp -- the off-line methods of sections 2 and 3.1: all rows at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sluice/matrix.hpp"
#include "sluice/options.hpp"

namespace sluice {

enum class Method {
    pls2,           ///< PLS-2 with deflation, eq. (1)-(5)
    bridge,         ///< Bridge PLS, eq. (6)-(10); ridge = 0 gives the PLS weights of M, ridge = 1 what pcr gives
    sparse_bridge,  ///< Algorithm 1
    pcr,            ///< principal components regression
};

/// How the iterations of Algorithm 1 run. The model's own choices are StreamOptions.
struct FitControl {
    /// tau: the iteration of one component ends when its unit-length weights move less than this. Above 0.
    double tolerance = 1e-10;
    /// Iterations allowed for one component. At least 1.
    std::size_t max_iterations = 1000;
    /// Algorithm 1 as printed: the loop does not project, so components end at the first one again.
    bool as_printed = false;
};

/// A fitted model. Where the data supports fewer components than requested, it has fewer and `notes` say why.
struct Fit {
    Method method = Method::bridge;
    Matrix weights;         ///< U, inputs x components, in the working inputs
    Matrix loadings;        ///< W, components x outputs, in working units
    Matrix input_loadings;  ///< B, inputs x components: working inputs regressed on the scores
    Matrix scores;          ///< S, rows x components: of every row as given, not weighted
    Matrix coefficients;    ///< beta, inputs x outputs, in the caller's units
    std::vector<double> intercept;
    std::vector<double> explained_inputs;            ///< share of the inputs' variance that each component adds
    std::vector<double> explained_outputs;           ///< share of the outputs' variance that each component adds
    std::vector<double> importance;                  ///< VIP of each input
    std::vector<std::vector<std::size_t>> selected;  ///< variables of each component, ascending
    std::vector<std::string> notes;                  ///< what was requested and is not possible with the data, and why
    std::vector<double> input_means;                 ///< what a missing input counts as
    Matrix score_coefficients;            ///< inputs x components, in the caller's units; empty in files without it
    std::vector<double> score_intercept;  ///< the scores of a row x: score_intercept + score_coefficients' x

    [[nodiscard]] std::size_t components() const noexcept { return weights.cols(); }
    /// The outputs expected with these inputs: always finite. Throws DataError where x has another number of inputs or
    /// an infinity.
    [[nodiscard]] std::vector<double> predict(std::span<const double> x) const;
    void predict(std::span<const double> x, std::span<double> y) const;
    /// The scores of one row, which need not be one of those fitted. Throws as predict() does, and where the fit came
    /// from a file of an earlier version, which does not have score_coefficients.
    [[nodiscard]] std::vector<double> scores_of(std::span<const double> x) const;
    void scores_of(std::span<const double> x, std::span<double> s) const;
};

/// Fits all rows of x (n x p) and y (n x q). Rows are weighted by `forgetting` as in the on-line model: give
/// forgetting = 1 for an ordinary fit, in which all rows count the same. A missing input counts as its column's mean; a
/// row whose outputs are all missing is left out; a partly missing row of outputs is an error. Throws OptionError or
/// DataError.
[[nodiscard]] Fit fit(Method method, const Rows& x, const Rows& y, const StreamOptions& options,
                      const FitControl& control = {});

}  // namespace sluice
