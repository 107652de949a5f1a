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
///
/// To be connected: the option of `Tuning` that turns the search for the number of names off is set here, and only here.
[[nodiscard]] inline AdaptiveOptions names_given(std::size_t names) {
    AdaptiveOptions options;
    options.model.names = names;
    return options;
}

}  // namespace sluice::experiments
