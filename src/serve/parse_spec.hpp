// parse_spec.hpp -- the JSON of a request that creates a model: a name, and the fields of job::ModelSpec.
//
//     {"targets": ["y"], "time": "date", "lags": "0:15", "horizon": 0, "interval": 0.9, "options": {"forgetting": 0.98}}
#pragma once

#include <string>
#include <string_view>

#include "model_spec.hpp"

namespace sluice::serve {

using job::ModelSpec;
using job::spec_json;

/// A letter or digit, then at most 63 letters, digits, - and _. Such a name is also the name of a folder.
[[nodiscard]] bool is_model_name(std::string_view name) noexcept;
/// Throws RequestError with the rule.
void check_model_name(std::string_view name);

/// Where `name` is not null, a field "name" is allowed and goes there. Throws RequestError (which lists every problem),
/// OptionError, UsageError.
[[nodiscard]] ModelSpec parse_spec(std::string_view json, std::string* name = nullptr);

}  // namespace sluice::serve
