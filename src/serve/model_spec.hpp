// model_spec.hpp -- what a model is created with: which columns are what, how rows become rows of the model, and the
// options. As JSON it has the names of the fields of `sluice stream` and of AdaptiveOptions.
//
//     {"targets": ["y"], "time": "date", "lags": "0:15", "horizon": 0, "interval": 0.9, "options": {"forgetting": 0.98}}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roles.hpp"
#include "row_reader.hpp"
#include "sluice/model_file.hpp"
#include "sluice/tuning.hpp"

namespace sluice::serve {

struct ModelSpec {
    job::RoleRequest roles;
    RowLayout layout;
    std::optional<double> interval;  ///< coverage
    std::uint64_t warmup = 0;        ///< rows that are learnt and not scored
    bool skip_bad_rows = false;      ///< "on_bad_row": "skip"; otherwise the whole batch is refused
    bool strict_columns = false;
    bool paper = false;  ///< options of the paper, before `options` are applied
    std::optional<char> delimiter;
    char decimal = '.';
    std::vector<std::string> missing = io::Dialect{}.missing;
    /// Of AdaptiveOptions, as text, in the order of adaptive_fields(); only those that were given.
    std::vector<std::pair<std::string, std::string>> options;

    /// Throws OptionError.
    [[nodiscard]] AdaptiveOptions adaptive_options() const;
    [[nodiscard]] io::Dialect dialect(io::Dialect::Kind kind) const;
};

/// A letter or digit, then at most 63 letters, digits, - and _. Such a name is also the name of a folder.
[[nodiscard]] bool is_model_name(std::string_view name) noexcept;
/// Throws RequestError with the rule.
void check_model_name(std::string_view name);

/// Reads the JSON of a request. Where `name` is not null, a field "name" is allowed and goes there. Throws RequestError
/// (which lists every problem), OptionError, UsageError.
[[nodiscard]] ModelSpec parse_spec(std::string_view json, std::string* name = nullptr);
/// One form for each spec: equal specs give equal texts, and parse_spec() reads it.
[[nodiscard]] std::string spec_json(const ModelSpec& spec);

}  // namespace sluice::serve
