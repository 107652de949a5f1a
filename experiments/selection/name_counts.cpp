#include "experiments/selection/name_counts.hpp"

#include <algorithm>

namespace sluice::experiments {

namespace {

double share_of(std::size_t part, std::size_t whole, double of_nothing) {
    return whole == 0 ? of_nothing : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void NameCounts::add(const NameCounts& other) {
    right += other.right;
    wrong += other.wrong;
    missed += other.missed;
}

double NameCounts::precision() const {
    return share_of(right, right + wrong, missed == 0 ? 1.0 : 0.0);
}

double NameCounts::recall() const {
    return share_of(right, right + missed, 1.0);
}

double NameCounts::f1() const {
    return share_of(2 * right, (2 * right) + wrong + missed, 1.0);
}

NameCounts count_names(std::span<const std::size_t> selected, std::span<const std::size_t> drivers) {
    const auto right = static_cast<std::size_t>(
        std::ranges::count_if(selected, [&](std::size_t name) { return std::ranges::binary_search(drivers, name); }));
    return {.right = right, .wrong = selected.size() - right, .missed = drivers.size() - right};
}

}  // namespace sluice::experiments
