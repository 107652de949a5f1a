// lars.hpp -- least-angle regression and the lasso: the whole path of coefficients, from second moments alone.
//
//     const Path path = lars(gram, cross, {.variant = LarsVariant::lasso, .max_names = 10});
//     path.coefficients.column(k);  path.alphas[k];
//
// The moments may be sums over rows, over a window, or weighted: the path of the lasso solves
//     min_b  1/2 b'Gb - b'g + alpha |b|_1
// for each alpha, where G = X'X and g = X'y. scikit-learn's lars_path divides its alphas by the number of rows; ours are
// those times n. Inputs are used as they are: centre and scale them before, where needed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::baselines {

enum class LarsVariant {
    lar,    ///< variables join and stay
    lasso,  ///< a variable whose coefficient reaches zero leaves, and may join again
};

struct LarsOptions {
    LarsVariant variant = LarsVariant::lar;
    /// The most active variables; the path ends at the knot where one more would join. Left empty: no limit.
    std::optional<std::size_t> max_names = std::nullopt;
    /// The most knots of the path. 0: 8 p + 64, which only contrived lasso paths exceed.
    std::size_t max_knots = 0;
};

/// Between two knots coefficients are linear in alpha. The first knot has no active variable.
struct Path {
    std::vector<double> alphas;       ///< largest |correlation| |X_j'(y - Xb)| at each knot, falling
    Matrix coefficients;              ///< p x knots
    std::vector<std::size_t> joined;  ///< every joining, in order; with the lasso a variable may occur twice
    std::vector<std::size_t> active;  ///< active at the last knot, in the order of joining
    /// Reached the least-squares fit, or as close as the rank of G allows: the last alpha is 0.
    bool complete = false;
};

/// Writes column j of G, p numbers. Asked for the columns of variables that join, and for no others.
using GramColumn = std::function<void(std::size_t j, std::span<double> column)>;

/// Throws DataError where shapes do not fit or a number is not finite.
[[nodiscard]] Path lars(const Matrix& gram, std::span<const double> cross, const LarsOptions& options = {});

/// The same for wide inputs, without all of G: `squares` is its diagonal.
[[nodiscard]] Path lars(const GramColumn& gram_column, std::span<const double> squares, std::span<const double> cross,
                        const LarsOptions& options = {});

}  // namespace sluice::baselines
