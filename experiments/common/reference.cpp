#include "experiments/common/reference.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/common/paper_run.hpp"

namespace sluice::experiments {

void add_checks(std::vector<Check>& checks, const Plan& plan, const std::string& stream,
                std::span<const Curve> components, std::span<const Reference> table) {
    if (plan.runs < 2) {
        return;  // one run has no mean worth comparing
    }
    for (const Reference& cell : table) {
        if (plan.third_phase == ThirdPhase::text && cell.row >= kTakeOver) {
            continue;
        }
        const auto add = [&](std::size_t component, double reference) {
            checks.push_back(
                {.what = fmt::format("{}, row {}, component {}", stream, cell.row, component + 1),
                 .reference = reference,
                 .measured = components[component].mean_at(cell.row),
                 .standard_error = components[component].sd_at(cell.row) / std::sqrt(static_cast<double>(plan.runs)),
                 .note = cell.note});
        };
        add(0, cell.first);
        if (cell.second) {
            add(1, *cell.second);
        }
    }
}

}  // namespace sluice::experiments
