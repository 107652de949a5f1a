// model_commands.hpp -- `sluice fit`, `predict`, `inspect`, `diff`, `picture` and `report`: what is done with a model as a whole.
#pragma once

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_fit(CommandLine& app, bool& errors_as_json);
[[nodiscard]] Command add_predict(CommandLine& app, bool& errors_as_json);
[[nodiscard]] Command add_inspect(CommandLine& app, bool& errors_as_json);
[[nodiscard]] Command add_diff(CommandLine& app, bool& errors_as_json);
[[nodiscard]] Command add_picture(CommandLine& app);
[[nodiscard]] Command add_report(CommandLine& app, bool& errors_as_json);

}  // namespace sluice::cli
