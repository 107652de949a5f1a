// options.cpp -- the one validator: every broken rule, with value, rule and remedy. Rules are written so that NaN
// breaks them.
#include "sluice/options.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine.hpp"
#include "sluice/error.hpp"
#include "text.hpp"

namespace sluice {

namespace {

constexpr std::size_t kDefaultComponents = 5;
constexpr std::size_t kDefaultKeep = 4;
constexpr std::size_t kMostThreads = 64;

class Problems {
  public:
    template <typename Value>
    void require(bool kept, const char* field, const Value& value, const std::string& rule) {
        if (!kept) {
            found.push_back(std::string(field) + " = " + core::text(value) + ": must be " + rule);
        }
    }
    std::vector<std::string> found;
};

void check_groups(const StreamOptions& options, std::size_t inputs, Problems& problems) {
    if (options.penalty != Penalty::group_lasso) {
        problems.require(options.groups.empty(), "groups", options.groups, "left empty unless penalty = group_lasso");
        return;
    }
    problems.require(options.groups.size() == inputs, "groups", options.groups,
                     core::text(inputs) + " numbers, the group of each input");
    if (options.groups.size() != inputs || inputs == 0) {
        return;
    }
    const std::size_t last = *std::ranges::max_element(options.groups);
    problems.require(last < inputs, "groups", options.groups, "numbered from 0 to below " + core::text(inputs));
    if (last >= inputs || options.gamma) {
        return;
    }
    std::vector<std::size_t> sizes(last + 1, 0);
    for (const std::size_t g : options.groups) {
        ++sizes[g];
    }
    const std::size_t largest = *std::ranges::max_element(sizes);
    for (std::size_t r = 0; r < std::max<std::size_t>(options.keep.size(), 1); ++r) {
        const std::size_t keep = options.keep_for(r, inputs);
        problems.require(keep >= largest, "keep", keep,
                         "at least " + core::text(largest) + ", the size of the largest group");
    }
}

}  // namespace

OptionError::OptionError(std::vector<std::string> problems)
    : std::invalid_argument(core::joined(problems, "\n")), problems_(std::move(problems)) {}

StreamOptions StreamOptions::paper() {
    StreamOptions options;
    options.components = 2;
    options.keep = {20};
    options.forgetting = 0.98;
    options.scale_inputs = false;
    options.scale_outputs = false;
    options.deflation = Deflation::project;
    options.clip.reset();
    return options;
}

std::size_t StreamOptions::components_for(std::size_t inputs) const {
    const std::size_t each = std::max<std::size_t>(keep_for(0, inputs), 1);
    return components.value_or(std::clamp<std::size_t>((inputs + each - 1) / each, 1, kDefaultComponents));
}

std::size_t StreamOptions::keep_for(std::size_t component, std::size_t inputs) const {
    if (keep.empty()) {
        return std::min(kDefaultKeep, inputs);
    }
    return keep.size() == 1 ? keep.front() : keep[std::min(component, keep.size() - 1)];
}

std::vector<std::string> StreamOptions::problems(std::size_t inputs, std::size_t outputs) const {
    Problems problems;
    problems.require(inputs >= 1, "inputs", inputs, "at least 1");
    problems.require(outputs >= 1, "outputs", outputs, "at least 1");

    const std::string up_to_p = "1 to " + core::text(inputs) + ", the number of inputs";
    if (components) {
        problems.require(*components >= 1 && *components <= inputs, "components", *components, up_to_p);
    }
    for (const std::size_t k : keep) {
        problems.require(k >= 1 && k <= inputs, "keep", k, up_to_p);
    }
    if (keep.size() > 1) {
        problems.require(keep.size() == components_for(inputs), "keep", keep,
                         "one number, or one for each of the " + core::text(components_for(inputs)) + " components");
    }
    if (gamma) {
        problems.require(*gamma >= 0.0 && *gamma < 1.0, "gamma", *gamma, "from 0 to below 1");
        problems.require(keep.empty(), "keep", keep, "left empty when gamma is given");
    }
    if (names) {
        problems.require(*names >= 1, "names", *names, "at least 1");
    }
    problems.require(forgetting > 0.0 && forgetting <= 1.0, "forgetting", forgetting, "above 0 and at most 1");
    problems.require(ridge >= 0.0 && ridge <= 1.0, "ridge", ridge, "from 0 to 1");
    problems.require(shrinkage >= 0.0 && std::isfinite(shrinkage), "shrinkage", shrinkage, "0 or more, and finite");
    if (clip) {
        problems.require(*clip > 0.0 && std::isfinite(*clip), "clip", *clip, "above 0 and finite, or left empty");
    }
    problems.require(hold_bonus >= 0.0 && hold_bonus <= 1e6, "hold_bonus", hold_bonus, "from 0 to 1e6");
    problems.require(elastic_mix > 0.0 && elastic_mix <= 1.0, "elastic_mix", elastic_mix, "above 0 and at most 1");
    problems.require(scad_knee > 2.0 && std::isfinite(scad_knee), "scad_knee", scad_knee, "above 2 and finite");
    problems.require(mcp_knee > 1.0 && std::isfinite(mcp_knee), "mcp_knee", mcp_knee, "above 1 and finite");
    problems.require(adaptive_power > 0.0 && std::isfinite(adaptive_power), "adaptive_power", adaptive_power,
                     "above 0 and finite");
    problems.require(threads >= 1 && threads <= kMostThreads, "threads", threads, "1 to " + core::text(kMostThreads));
    if (deflation == Deflation::refit) {
        problems.require(loadings == Loadings::weighted, "loadings", std::string("instant"),
                         "weighted when deflation = refit, whose fit predicts");
    }
    if (problems.found.empty()) {  // these need valid sizes
        check_groups(*this, inputs, problems);
        const std::string engine_problem = core::engine_problem(inputs, outputs, *this);
        if (!engine_problem.empty()) {
            problems.found.push_back(engine_problem);
        }
    }
    return std::move(problems.found);
}

}  // namespace sluice
