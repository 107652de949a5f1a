#include "experiments/selection/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/common/paper_run.hpp"
#include "experiments/selection/number_of_names.hpp"

namespace sluice::experiments {

SelectionScenario selection_scenario() {
    SelectionScenario scenario;
    const auto add = [&](std::size_t inputs, double correlation, double snr, std::size_t before, std::size_t after,
                         double least_f1) {
        scenario.cases.push_back({.options = {.inputs = inputs,
                                              .drivers = before,
                                              .drivers_after = after,
                                              .correlation = correlation,
                                              .signal_to_noise = snr},
                                  .least_f1 = least_f1});
    };
    add(30, 0.0, 100.0, 2, 1, 0.93);
    add(30, 0.0, 5.0, 3, 3, 0.98);
    add(100, 0.0, 5.0, 5, 5, 0.98);
    add(100, 0.5, 5.0, 5, 5, 0.94);
    add(100, 0.9, 20.0, 5, 5, 0.85);
    scenario.noise = {{.inputs = 30, .drivers = 0}, {.inputs = 100, .drivers = 0}};
    return scenario;
}

std::string text_of(const SelectionOptions& options) {
    const std::size_t after = options.drivers_after.value_or(options.drivers);
    if (options.drivers == 0 && after == 0) {
        return fmt::format("{} inputs, noise", options.inputs);
    }
    const std::string drivers =
        after == options.drivers ? fmt::format("{}", after) : fmt::format("{} then {}", options.drivers, after);
    return fmt::format("{} inputs, rho {}, snr {}, {} driver{}", options.inputs, options.correlation,
                       options.signal_to_noise, drivers, drivers == "1" ? "" : "s");
}

bool SelectionMeasured::models_differ() const {
    return std::ranges::any_of(cases, [](const NamesMeasured& one) { return one.found.by_row != one.given.by_row; });
}

SelectionMeasured measure_selection(const Plan& plan, const SelectionScenario& scenario) {
    const std::array models = {names_found(), names_given(scenario.names)};
    const auto stream_of = [&](const SelectionOptions& options) {
        return selection_stream(text_of(options), options, scenario.rows, scenario.from, scenario.settled);
    };
    SelectionMeasured all{.scenario = scenario, .cases = {}, .noise = {}, .switching = {}};
    for (const SelectionCase& one : scenario.cases) {
        NameStream stream = stream_of(one.options);
        auto both = many_name_runs(plan, stream, models);
        all.cases.push_back({.one = one, .stream = std::move(stream), .found = both[0], .given = both[1]});
    }
    const std::span found(models.data(), 1);
    for (const SelectionOptions& options : scenario.noise) {
        NameStream stream = stream_of(options);
        auto one = many_name_runs(plan, stream, found);
        all.noise.push_back({.one = {.options = options}, .stream = std::move(stream), .found = one[0], .given = {}});
    }
    all.switching = many_name_runs(plan, switching_stream(plan.third_phase), found)[0];
    return all;
}

std::size_t selection_rows(const Plan& plan, const SelectionScenario& scenario) {
    const std::size_t streams = (2 * scenario.cases.size()) + scenario.noise.size();
    return plan.runs * ((streams * scenario.rows) + kSwitchingRows);
}

std::size_t selection_rows(const Plan& plan) {
    return selection_rows(plan, selection_scenario());
}

Result run_selection(const Plan& plan) {
    return selection_result(plan, measure_selection(plan, selection_scenario()));
}

}  // namespace sluice::experiments
