// methods.hpp -- each method finds directions in the working inputs; what follows from them is the same for all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/fit.hpp"
#include "table.hpp"

namespace sluice::batch {

/// What a method found.
struct Directions {
    MatrixXd weights;   ///< U, p x R
    MatrixXd rotation;  ///< S = X rotation: U itself, but for PLS-2, whose U belongs to deflated inputs
    std::optional<MatrixXd> coefficients;  ///< p x q in working units; left empty: those of Y regressed on S
    std::vector<std::string> notes;
};

[[nodiscard]] Directions pls2(const Table& table, const StreamOptions& options);
[[nodiscard]] Directions bridge(const Table& table, const StreamOptions& options);
[[nodiscard]] Directions sparse_bridge(const Table& table, const StreamOptions& options, const FitControl& control);

/// The fitted model: scores, loadings, coefficients in the caller's units, explained variance, importance. Without x it
/// has no scores.
[[nodiscard]] Fit describe(Method method, const Table& table, const Rows* x, Directions found, bool center);

}  // namespace sluice::batch
