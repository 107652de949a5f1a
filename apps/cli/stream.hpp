// stream.hpp -- `sluice stream`: the main job.
#pragma once

#include <CLI/CLI.hpp>

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_stream(CLI::App& app, bool& errors_as_json);

}  // namespace sluice::cli
