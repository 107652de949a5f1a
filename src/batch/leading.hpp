// leading.hpp -- the first eigenvectors of H.
#pragma once

#include <optional>

#include "operator.hpp"

namespace sluice::batch {

/// Columns are unit eigenvectors, largest eigenvalue first. Fewer than asked for where H has lower numerical rank.
struct Leading {
    MatrixXd vectors;
    VectorXd values;
};

[[nodiscard]] Leading leading_eigenvectors(const BridgeOperator& H, Index count);

// The two ways, for tests: each must give what the other gives. The iteration may fail, and says so.
[[nodiscard]] Leading leading_by_decomposition(const BridgeOperator& H, Index count);
[[nodiscard]] std::optional<Leading> leading_by_iteration(const BridgeOperator& H, Index count);

}  // namespace sluice::batch
