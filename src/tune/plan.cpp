#include "plan.hpp"

#include <algorithm>

#include "engine.hpp"
#include "sluice/adaptive_fields.hpp"

namespace sluice::tune {

namespace {

constexpr std::size_t kUsualNames = 20;  // of Names::most and Names::all, where no limit is given

std::vector<double> memories(std::size_t inputs, std::size_t outputs, const StreamOptions& options, bool tuned) {
    if (!tuned) {
        return {options.forgetting};
    }
    StreamOptions for_ever = options;
    for_ever.forgetting = 1.0;
    if (inputs <= kFewInputs && core::engine_problem(inputs, outputs, for_ever).empty()) {
        return {kMemories.begin(), kMemories.end()};
    }
    return {kMemoriesOfMany.begin(), kMemoriesOfMany.end()};
}

}  // namespace

Plan::Plan(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options, std::size_t first_inputs)
    : tuning(options.tuning) {
    tuning.variables = finds_variables(options);
    tuning.shrinkage = tuning.shrinkage && options.model.deflation == Deflation::refit;
    forgetting = memories(first_inputs, outputs, options.model, tuning.forgetting);
    readings.path = tuning.variables;
    readings.refits = options.model.deflation == Deflation::refit;
    own_paths = readings.path && tuning.names == Names::all;
    if (tuning.shrinkage) {
        readings.shrinkages.assign(kShrinkages.begin(), kShrinkages.end());
    } else {
        readings.shrinkages = {options.model.shrinkage};
    }
    readings.sizes = sizes_for(inputs, options.model);
    readings.grid = {.memories = forgetting.size() + (fresh_starts() ? 1 : 0),
                     .shrinkages = readings.shrinkages.size(),
                     .sizes = readings.sizes.size(),
                     .speeds = tuning.intercept ? kSpeeds.size() : 1};
}

std::vector<std::size_t> Plan::sizes_for(std::size_t inputs, const StreamOptions& model) const {
    if (!readings.path) {
        return {0, 1};
    }
    const std::size_t limit = model.names.value_or(tuning.names == Names::found ? kSizes.back() : kUsualNames);
    const std::size_t most = std::min({inputs, limit, kSizes.back()});
    std::vector<std::size_t> sizes;
    for (const std::size_t size : kSizes) {
        if (size < most) {
            sizes.push_back(size);
        }
    }
    sizes.push_back(most);
    return sizes;
}

StreamOptions Plan::options_of(std::size_t memory, const StreamOptions& given) const {
    StreamOptions options = given;
    options.forgetting = forgetting[memory < forgetting.size() ? memory : 0];
    if (readings.path) {
        options.components = 1;
        options.keep = {readings.sizes.back()};
        options.names = std::nullopt;
        options.scale_inputs = true;
        options.hold_bonus = 0.0;
        options.shrinkage = readings.shrinkages.front();
    }
    return options;
}

}  // namespace sluice::tune
