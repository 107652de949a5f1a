// budget.hpp -- how many names the model of `sluice bench accuracy` may use.
#pragma once

#include <cstddef>
#include <string>

#include "sluice/tuning.hpp"

namespace sluice::bench {

struct Budget {
    std::size_t names = 20;
    bool found = false;  ///< the model finds how many matter, at most `names`; else it uses all of them
};

[[nodiscard]] std::string text_of(const Budget& budget);  ///< "20 names", "names found, at most 20"

/// Everything on auto with this budget, or with as many names as there are inputs where that is less.
[[nodiscard]] AdaptiveOptions with_budget(const Budget& budget, std::size_t inputs);

}  // namespace sluice::bench
