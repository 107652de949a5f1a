// model_spec.hpp -- what a model is created with: which columns are what, how rows become rows of the model, and the
// options. As JSON it has the names of the fields of `sluice stream` and of AdaptiveOptions.
//
//     {"targets": ["y"], "time": "date", "lags": "0:15", "horizon": 0, "interval": 0.9, "options": {"forgetting": 0.98}}
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roles.hpp"
#include "row_reader.hpp"
#include "setting_error.hpp"
#include "setting_node.hpp"
#include "sluice/model_file.hpp"
#include "sluice/tuning.hpp"

namespace sluice::job {

struct ModelSpec {
    RoleRequest roles;
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

/// Fields that a model has for the one who creates it, beside those of ModelSpec.
struct OtherFields {
    std::vector<std::string> names;
    /// False: it is no such field. Throws where its value cannot be used.
    std::function<bool(std::string_view field, const SettingNode& value)> read;
};

/// The spec that a map describes. Throws SettingError, which lists every problem, and OptionError.
[[nodiscard]] ModelSpec read_spec(const SettingNode& map, const OtherFields& others = {});
/// One form for each spec: equal specs give equal texts, and read_spec() takes it.
[[nodiscard]] std::string spec_json(const ModelSpec& spec);
/// The same with other fields before it, already encoded. Of warmup and on_bad_row only those listed are written.
[[nodiscard]] std::string spec_json(const ModelSpec& spec,
                                    const std::vector<std::pair<std::string, std::string>>& others,
                                    const std::vector<std::string_view>& optional);

}  // namespace sluice::job
