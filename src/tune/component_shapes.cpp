#include "component_shapes.hpp"

#include <algorithm>

namespace sluice::tune {

namespace {

constexpr std::size_t kDefaultKeepMax = 50;
constexpr std::size_t kMostComponents = 20;  // a row costs in proportion

}  // namespace

Tuning possible(const StreamOptions& options, Tuning tuning) {
    const bool counted = !options.gamma && options.keep.size() <= 1 && options.penalty != Penalty::group_lasso;
    tuning.keep = tuning.keep && counted;
    tuning.components = tuning.components && options.loadings == Loadings::weighted && !options.gamma;
    tuning.shrinkage = tuning.shrinkage && options.deflation == Deflation::refit;
    return tuning;
}

StreamOptions shaped(StreamOptions options, const ComponentShape& shape) {
    options.components = shape.components;
    if (!options.gamma && options.keep.size() <= 1) {
        options.keep = {shape.keep};
    }
    return options;
}

Ladder ladder(std::size_t inputs, const StreamOptions& options, const Tuning& tuning) {
    const ComponentShape given{.components = options.components_for(inputs), .keep = options.keep_for(0, inputs)};
    if (!tuning.keep) {
        return {.rungs = {given}, .start = 0};
    }
    const std::size_t budget = std::min(inputs, options.names.value_or(given.components * given.keep));
    const std::size_t most = std::min({inputs, tuning.keep_max.value_or(kDefaultKeepMax), budget});
    Ladder ladder;
    auto add = [&](std::size_t keep) {
        if (keep < std::min(tuning.keep_min, most) || keep > most) {
            return;
        }
        const std::size_t components = tuning.components ? (budget + keep - 1) / keep : given.components;
        if (components > std::max(kMostComponents, given.components)) {
            return;
        }
        ladder.rungs.push_back({.components = components, .keep = keep});
    };
    if (tuning.components) {
        for (std::size_t keep = 1; keep <= most; keep *= 2) {
            add(keep);
        }
    } else {
        for (std::size_t keep = 1; keep <= most; keep *= 2) {
            add(keep);
            if (keep >= 2 && keep + (keep / 2) <= most) {
                add(keep + (keep / 2));
            }
        }
    }
    if (ladder.rungs.empty()) {  // keep_min alone
        add(most);
    }
    auto away = [&](const ComponentShape& shape) {
        return shape.keep > given.keep ? shape.keep - given.keep : given.keep - shape.keep;
    };
    const auto nearest = std::ranges::min_element(ladder.rungs, {}, away);
    if (nearest->keep != given.keep && given.keep >= tuning.keep_min && given.keep <= most && !tuning.components) {
        *nearest = given;  // what was given is one of them
    }
    if (tuning.components && options.keep.empty()) {
        return ladder;  // from one variable a component: level with others on the tasks, better on simulated factors
    }
    ladder.start = static_cast<std::size_t>(nearest - ladder.rungs.begin());
    return ladder;
}

}  // namespace sluice::tune
