// require_valid.hpp -- options with their broken rules checked, for use before members are made from them.
#pragma once

#include <utility>

#include "sluice/error.hpp"

namespace sluice::baselines {

/// Throws OptionError with every broken rule.
template <typename Options>
const Options& require_valid(const Options& options) {
    if (auto problems = options.problems(); !problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return options;
}

}  // namespace sluice::baselines
