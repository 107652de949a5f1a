#include "budget.hpp"

#include <algorithm>

namespace sluice::bench {

std::string text_of(const Budget& budget) {
    const std::string number = std::to_string(budget.names);
    return budget.found ? "names found, at most " + number : number + " names";
}

AdaptiveOptions with_budget(const Budget& budget, std::size_t inputs) {
    AdaptiveOptions options;
    options.model.names = std::min(budget.names, inputs);
    options.tuning.names = budget.found ? Names::found : Names::most;
    return options;
}

}  // namespace sluice::bench
