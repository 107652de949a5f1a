// bridge.hpp -- what Bridge PLS and its sparse form share.
#pragma once

#include <string>

#include "leading.hpp"

namespace sluice::batch {

/// Why there are fewer eigenvectors than the components asked for.
[[nodiscard]] std::string shortfall(const BridgeOperator& H, const Leading& found, Index asked);

}  // namespace sluice::batch
