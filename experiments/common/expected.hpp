// expected.hpp -- rows of a table of expected shares, compared with curves.
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

/// Mean shares right at one row.
struct Expected {
    std::size_t row = 0;
    double first = 0.0;
    std::optional<double> second = std::nullopt;
    std::string note = {};
};

/// Nothing is expected of a single run, nor of the third phase where the plan reads it as the text does.
void add_checks(std::vector<Check>& checks, const Plan& plan, const std::string& stream,
                std::span<const Curve> components, std::span<const Expected> table);

}  // namespace sluice::experiments
