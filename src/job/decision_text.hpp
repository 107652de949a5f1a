// decision_text.hpp -- the decisions of an adaptive model as text: JSON, and a line for people.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sluice/report.hpp"

namespace sluice::job {

/// [{"row":126,"setting":"entered","input":"m3","from":1,"to":2,"measured_from":0.21,"measured_to":0.12}, ...]; rows
/// from 1. A fresh start has no input. Compact, whatever the style of what is around it. `encoded_name` gives the name of
/// an input as JSON.
[[nodiscard]] std::string decisions_json(std::span<const Decision> decisions,
                                         const std::function<std::string(std::size_t)>& encoded_name);

/// "entered m3: error 0.21 to 0.12"; a fresh start "fresh_start 900 to 35 rows: error 0.6 to 0.2".
[[nodiscard]] std::string decision_line(const Decision& decision, std::string_view name);

}  // namespace sluice::job
