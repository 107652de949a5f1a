// track.hpp -- `sluice track`: portfolios of a few stocks that follow indices, walked forward.
#pragma once

#include <CLI/CLI.hpp>

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_track(CLI::App& app, bool& errors_as_json);

}  // namespace sluice::cli
