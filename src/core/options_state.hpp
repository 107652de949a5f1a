// options_state.hpp -- options as part of saved state.
#pragma once

#include "sluice/options.hpp"
#include "state.hpp"

namespace sluice::core {

void save_options(const StreamOptions& options, StateWriter& out);
[[nodiscard]] StreamOptions load_options(StateReader& in);

}  // namespace sluice::core
