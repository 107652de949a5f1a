// stream.hpp -- `sluice stream`: the main job.
#pragma once

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_stream(CommandLine& app, bool& errors_as_json);

}  // namespace sluice::cli
