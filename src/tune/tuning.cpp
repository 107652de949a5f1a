// tuning.cpp -- rules of what may be tuned.
#include "sluice/tuning.hpp"

#include "sluice/adaptive_fields.hpp"
#include "text.hpp"

namespace sluice {

Tuning Tuning::off() {
    Tuning tuning;
    for (bool* flag : {&tuning.forgetting, &tuning.variables, &tuning.shrinkage, &tuning.intercept, &tuning.alarms,
                       &tuning.robust}) {
        *flag = false;
    }
    return tuning;
}

bool Tuning::any() const noexcept {
    return forgetting || variables || shrinkage || intercept || alarms;
}

bool finds_variables(const AdaptiveOptions& options) noexcept {
    const StreamOptions& model = options.model;
    return options.tuning.variables && !model.components && model.keep.empty() && !model.gamma &&
           model.penalty == Penalty::lasso && model.groups.empty() && model.deflation == Deflation::refit;
}

std::vector<std::string> AdaptiveOptions::problems(std::size_t inputs, std::size_t outputs) const {
    std::vector<std::string> found = model.problems(inputs, outputs);
    const bool all = tuning.names == Names::all;
    if (all && model.names) {
        found.push_back("names = " + core::text(*model.names) +
                        ": must be left empty with names = all, which has no limit");
    }
    if (tuning.names != Names::found && !finds_variables(*this)) {
        found.emplace_back(
            std::string(all ? "names = all" : "number = most") +
            ": must be left out unless the variables are found one by one. That needs tuning, and no components, keep, "
            "gamma, penalty or deflation = project");
    }
    return found;
}

}  // namespace sluice
