#include "budget.hpp"

#include <algorithm>

namespace sluice::bench {

std::string text_of(const Budget& budget) {
    const std::string number = std::to_string(budget.names);
    return budget.found ? "names found, at most " + number : number + " names";
}

// To be connected: where the budget is not `found`, the option of `Tuning` that turns the search for the number of names
// off is set here, and only here.
AdaptiveOptions with_budget(const Budget& budget, std::size_t inputs) {
    AdaptiveOptions options;
    options.model.names = std::min(budget.names, inputs);
    return options;
}

}  // namespace sluice::bench
