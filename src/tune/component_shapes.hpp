// shapes.hpp -- the numbers of components and variables among which a model chooses, from few variables each to many.
#pragma once

#include <cstddef>
#include <vector>

#include "sluice/options.hpp"
#include "sluice/tuning.hpp"

namespace sluice::tune {

struct ComponentShape {
    std::size_t components = 1;
    std::size_t keep = 1;
    friend bool operator==(const ComponentShape&, const ComponentShape&) = default;
};

struct Ladder {
    std::vector<ComponentShape> rungs;  // at least one
    std::size_t start = 0;              // where the options stand
};

/// Where components are free, a budget of names (`names`, or what the options keep in all) is split into components of 1, 2,
/// 4, .. variables; else the given number of components keeps 1, 2, 3, 4, 6, 8, .. variables each.
[[nodiscard]] Ladder ladder(std::size_t inputs, const StreamOptions& options, const Tuning& tuning);

/// The options with these numbers.
[[nodiscard]] StreamOptions shaped(StreamOptions options, const ComponentShape& shape);

/// Without what the options do not allow.
[[nodiscard]] Tuning possible(const StreamOptions& options, Tuning tuning);

}  // namespace sluice::tune
