// decision_text.hpp -- the decisions of an adaptive model as JSON.
#pragma once

#include <span>

#include "json_text.hpp"
#include "sluice/report.hpp"

namespace sluice::job {

/// [{"row":126,"setting":"forgetting","from":1,"to":0.98,"measured_from":0.21,"measured_to":0.12}, ...]; rows from 1.
/// Compact, whatever the style of what is around it.
[[nodiscard]] std::string decisions_json(std::span<const Decision> decisions);

}  // namespace sluice::job
