// text.hpp -- results as JSON, CSV and words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/common/curve.hpp"
#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"
#include "sluice/options.hpp"

namespace sluice::experiments {

/// [0.5,null,1]
[[nodiscard]] std::string json(std::span<const double> numbers);
/// [{"mean":[...],"sd":[...]},...]
[[nodiscard]] std::string json(std::span<const Curve> components);
/// {"seed":1,"forgetting":0.98,...}
[[nodiscard]] std::string json(const Settings& settings);
/// {"figure":"switching","runs":500,"rows":400,"settings":{...},REST}
[[nodiscard]] std::string json_line(const Result& result, std::size_t runs, std::size_t rows, const std::string& rest);

/// What all experiments on the paper's streams are set to.
[[nodiscard]] Settings settings_of(const Plan& plan, const StreamOptions& options);

struct Column {
    std::string name;
    std::vector<double> values;
};
/// A column `row` counted from 1, then these.
[[nodiscard]] std::string csv(const std::vector<Column>& columns);
/// Columns PREFIX_1_mean, PREFIX_1_sd, ...
void add_columns(std::vector<Column>& columns, const std::string& prefix, std::span<const Curve> components);

[[nodiscard]] std::string share(double value);           ///< 0.97
[[nodiscard]] std::string percent(double value);         ///< 97 %
[[nodiscard]] std::string signed_percent(double value);  ///< +15.0 %
/// "row 121", or "no row up to 400".
[[nodiscard]] std::string row_or_none(std::optional<std::size_t> row, std::size_t last);

}  // namespace sluice::experiments
