// number_of_names.hpp -- the two models that `selection` compares. Both choose every setting by themselves; they differ in
// the number of names alone.
#pragma once

#include <cstddef>

#include "sluice/tuning.hpp"

namespace sluice::experiments {

/// The model finds how many names matter: nothing is given.
[[nodiscard]] inline AdaptiveOptions names_found() {
    return {};
}

/// The model uses `names` names in every row, however few of them matter.
[[nodiscard]] inline AdaptiveOptions names_given(std::size_t names) {
    AdaptiveOptions options;
    options.model.names = names;
    options.tuning.names = Names::most;
    return options;
}

}  // namespace sluice::experiments
