// model_commands.hpp -- `sluice fit`, `predict`, `inspect` and `diff`: what is done with a model as a whole.
#pragma once

#include <CLI/CLI.hpp>

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_fit(CLI::App& app, bool& errors_as_json);
[[nodiscard]] Command add_predict(CLI::App& app, bool& errors_as_json);
[[nodiscard]] Command add_inspect(CLI::App& app, bool& errors_as_json);
[[nodiscard]] Command add_diff(CLI::App& app, bool& errors_as_json);
[[nodiscard]] Command add_picture(CLI::App& app);

}  // namespace sluice::cli
