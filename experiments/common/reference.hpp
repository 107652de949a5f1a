// reference.hpp -- shares that a prototype gave at certain rows, compared with the curves of an experiment.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/common/curve.hpp"
#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

/// Mean share of right variables at one row, for the first and perhaps the second component.
struct Reference {
    std::size_t row = 0;
    double first = 0.0;
    std::optional<double> second = std::nullopt;
    std::string note = {};
};

/// Adds nothing for a single run, which has no mean to compare, nor for the third phase with ThirdPhase::text, which the
/// prototype did not have.
void add_checks(std::vector<Check>& checks, const Plan& plan, const std::string& stream,
                std::span<const Curve> components, std::span<const Reference> table);

}  // namespace sluice::experiments
