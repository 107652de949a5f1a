// track.hpp -- `sluice track`: portfolios of a few stocks that follow indices, walked forward.
#pragma once

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_track(CommandLine& app, bool& errors_as_json);

}  // namespace sluice::cli
