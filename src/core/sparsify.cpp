// sparsify.cpp -- chooses the variables of one component.
//
// The proximal step of the penalty removes the small entries of the dense direction z = q / |q|; for the lasso eq. (19)
//     u_j = sign(z_j) max(|z_j| - g, 0),     then u <- u / |u|
//
//   code      paper   size   meaning
//   z         u^(r)   p      direction before any variable is dropped, unit length
//   gamma     gamma   1      given, or found so that exactly `keep` entries survive                            eq. (14)
//   u         u*      p      sparse weights of the component, unit length, largest entry positive
//
// Departs from the paper: on a tie at the threshold no gamma keeps exactly `keep` entries. Then those of lowest index
// are kept and gamma is the next smaller value, so that exactly `keep` are kept even with duplicate columns. Entries
// within 1e-12 of each other count as tied, so that rounding does not decide between duplicates.
#include "sparsify.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "buffer.hpp"
#include "kernels.hpp"

namespace sluice::core {

namespace {

constexpr double kSafeLeast = 0x1p-800;
constexpr double kSafeMost = 0x1p800;

// Up to this many entries, counting those above and below a pivot is faster than std::nth_element: no branch is
// mispredicted.
constexpr std::size_t kFewEntries = 128;

// Scales v to unit length, whatever its size; a v of zeros stays as it is.
void to_unit_length(std::span<double> v) {
    double square = kernels::dot(v.data(), v.data(), v.size());
    const bool safe = square > kSafeLeast && square < kSafeMost;
    if (!safe) {  // some squares may have overflowed or vanished
        const double largest = kernels::largest(v.data(), v.size());
        if (largest == 0.0) {
            return;
        }
        const double size = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));  // exact
        std::ranges::transform(v, v.begin(), [&](double a) { return a * size; });
        square = kernels::dot(v.data(), v.data(), v.size());
    }
    const double inverse_length = 1.0 / std::sqrt(square);
    std::ranges::transform(v, v.begin(), [&](double a) { return a * inverse_length; });
}

// The fixed sign rule: the entry of largest size, the first of equals, is positive.
void fix_sign(std::span<double> u) {
    const double largest = kernels::largest(u.data(), u.size());
    const auto first = std::ranges::find_if(u, [&](double a) { return std::abs(a) >= largest * (1.0 - kTie); });
    if (first != u.end() && *first < 0.0) {
        std::ranges::transform(u, u.begin(), std::negate{});
    }
}

}  // namespace

double threshold_by_selection(std::span<const double> z, std::size_t keep, std::span<double> scratch, double guess) {
    assert(keep >= 1 && scratch.size() >= z.size());
    if (keep >= z.size()) {
        return 0.0;  // nothing needs to be dropped
    }
    auto size_of = [](double a) { return std::abs(a); };
    if (z.size() <= kFewEntries) {
        std::array<double, kFewEntries> few;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
        const auto end = std::ranges::transform(z, few.begin(), size_of).out;
        std::fill_n(end, padded(z.size()) - z.size(), -1.0);
        return kernels::nth_largest(few.data(), z.size(), keep, guess);
    }
    const auto sizes = scratch.first(z.size());
    std::ranges::transform(z, sizes.begin(), size_of);
    const auto place = sizes.begin() + static_cast<std::ptrdiff_t>(keep);
    std::ranges::nth_element(sizes, place, std::greater{});
    return *place;
}

Sparsifier::Sparsifier(std::size_t inputs, const StreamOptions& options)
    : options_(options),
      groups_(options.penalty == Penalty::group_lasso ? Groups(options.groups) : Groups()),
      places_(inputs),
      values_(padded(inputs)),
      scratch_(inputs),
      scores_(groups_.count()),
      order_(groups_.count()),
      thresholds_(options.components_for(inputs), 0.0) {}

double Sparsifier::choose(std::size_t component, std::span<double> z, std::span<const std::size_t> taken,
                          std::span<double> u, std::vector<std::size_t>& support) {
    std::ranges::fill(u, 0.0);
    support.clear();
    to_unit_length(z);
    every_input_.resize(z.size());
    std::iota(every_input_.begin(), every_input_.end(), std::size_t{0});
    return choose(component, every_input_, z, taken, u, support);
}

double Sparsifier::choose(std::size_t component, std::span<const std::size_t> inputs, std::span<double> z,
                          std::span<const std::size_t> taken, std::span<double> u, std::vector<std::size_t>& support) {
    assert(inputs.size() == z.size());
    const std::size_t p = u.size();
    const std::size_t keep = options_.gamma ? p : std::min(options_.keep_for(component, p), p);
    for (const std::size_t j : support) {
        u[j] = 0.0;
    }
    const bool lasso = options_.penalty == Penalty::lasso;
    if (!lasso || options_.gamma) {  // else u follows the size of z
        to_unit_length(z);
    }
    Chosen chosen;
    if (options_.penalty == Penalty::group_lasso) {
        assert(z.size() == p);
        chosen = choose_groups(keep, z, taken);
    } else {
        limit_names(inputs, z, taken);
        chosen = choose_entries(component, keep, z);
    }
    const auto values = std::span(values_).first(chosen.count);
    if (lasso) {
        std::ranges::fill(std::span(values_).subspan(chosen.count, padded(chosen.count) - chosen.count), 0.0);
    } else if (options_.penalty != Penalty::group_lasso) {
        for (double& v : values) {  // an entry that exceeds gamma by less than rounding is kept too
            const double left = proximal_step(options_, v, chosen.gamma);
            v = left != 0.0 ? left : v * std::numeric_limits<double>::epsilon();
        }
    }
    if (!lasso ||
        !kernels::soft_threshold(values_.data(), padded(chosen.count), chosen.gamma, kTie, kSafeLeast, kSafeMost)) {
        to_unit_length(values);
        fix_sign(values);
    }
    support.resize(chosen.count);
    for (std::size_t i = 0; i < chosen.count; ++i) {
        support[i] = inputs[places_[i]];
        u[support[i]] = values[i];
    }
    return chosen.gamma;
}

// At most `names` variables in all components: of those not in an earlier one, only the largest stay in z.
void Sparsifier::limit_names(std::span<const std::size_t> inputs, std::span<double> z,
                             std::span<const std::size_t> taken) {
    if (!options_.names) {
        return;
    }
    std::size_t room = *options_.names - std::min(*options_.names, taken.size());
    auto is_taken = [&](std::size_t place) { return std::ranges::binary_search(taken, inputs[place]); };
    double floor = std::numeric_limits<double>::infinity();
    if (room > 0) {
        std::size_t others = 0;
        for (std::size_t j = 0; j < z.size(); ++j) {
            if (!is_taken(j)) {
                scratch_[others++] = std::abs(z[j]);
            }
        }
        if (others <= room) {
            return;
        }
        const auto sizes = std::span(scratch_).first(others);
        const auto place = sizes.begin() + static_cast<std::ptrdiff_t>(room - 1);
        std::ranges::nth_element(sizes, place, std::greater{});
        floor = *place;
    }
    // Strictly above the floor first, then ties in order of index while there is room.
    for (std::size_t j = 0; j < z.size(); ++j) {
        if (!is_taken(j) && std::abs(z[j]) > floor * (1.0 + kTie)) {
            --room;
        }
    }
    for (std::size_t j = 0; j < z.size(); ++j) {
        if (is_taken(j) || std::abs(z[j]) > floor * (1.0 + kTie)) {
            continue;
        }
        if (room > 0 && std::abs(z[j]) >= floor * (1.0 - kTie)) {
            --room;
        } else {
            z[j] = 0.0;
        }
    }
}

// The entries that survive, ascending, not yet shrunk.
Sparsifier::Chosen Sparsifier::choose_entries(std::size_t component, std::size_t keep, std::span<const double> z) {
    std::size_t count = 0;
    auto add = [&](std::size_t place) {
        places_[count] = place;
        values_[count++] = z[place];
    };
    if (options_.gamma) {
        const double survivor = smallest_survivor(options_, *options_.gamma);
        std::size_t largest = 0;
        for (std::size_t j = 0; j < z.size(); ++j) {
            if (std::abs(z[j]) > survivor) {
                add(j);
            }
            largest = std::abs(z[j]) > std::abs(z[largest]) * (1.0 + kTie) ? j : largest;
        }
        if (count == 0 && z[largest] != 0.0) {
            add(largest);  // a component is never empty: the largest entry stays
        }
        return {.gamma = *options_.gamma, .count = count};
    }
    double& next = thresholds_[component];
    if (keep < z.size() && z.size() <= kFewEntries) {
        const auto found = kernels::survivors(z.data(), z.size(), keep, kTie, next, places_.data(), values_.data());
        next = found.next;
        count = found.count;
    } else {
        next = threshold_by_selection(z, keep, scratch_);
        for (std::size_t j = 0; j < z.size(); ++j) {  // without a branch
            places_[count] = j;
            values_[count] = z[j];
            count += std::abs(z[j]) > next * (1.0 + kTie) ? 1U : 0U;
        }
    }
    double survivor = next;
    if (count < keep && next > 0.0) {  // tied at the threshold: those of lowest index
        survivor = 0.0;
        std::size_t ties = keep - count;
        count = 0;
        for (std::size_t j = 0; j < z.size(); ++j) {
            const double size = std::abs(z[j]);
            const bool above = size > next * (1.0 + kTie);
            if (size < next * (1.0 - kTie)) {
                survivor = std::max(survivor, size);
            } else if (above || ties > 0) {
                add(j);
                ties -= above ? 0U : 1U;
            }
        }
    }
    return {.gamma = gamma_for_survivor(options_, survivor), .count = count};
}

// Whole groups, best score first, as long as they fit into `keep` variables and into the limit on names.
Sparsifier::Chosen Sparsifier::choose_groups(std::size_t keep, std::span<const double> z,
                                             std::span<const std::size_t> taken) {
    for (std::size_t g = 0; g < groups_.count(); ++g) {
        double sum = 0.0;
        for (const std::size_t j : groups_.of(g)) {
            sum += z[j] * z[j];
        }
        scores_[g] = groups_.of(g).empty() ? 0.0 : std::sqrt(sum / static_cast<double>(groups_.of(g).size()));
    }
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
        return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
    });

    std::size_t room = options_.names ? *options_.names - std::min(*options_.names, taken.size()) : z.size();
    std::size_t chosen = 0;
    double gamma = options_.gamma.value_or(0.0);
    // A component is never empty: with a fixed gamma above every score, the best group is kept unshrunk.
    gamma = order_.empty() || scores_[order_[0]] > gamma ? gamma : 0.0;
    const std::size_t most = options_.gamma && gamma == 0.0 && *options_.gamma > 0.0 ? 1 : order_.size();
    for (; chosen < most && scores_[order_[chosen]] > gamma; ++chosen) {
        const auto members = groups_.of(order_[chosen]);
        const auto fresh = static_cast<std::size_t>(
            std::ranges::count_if(members, [&](std::size_t j) { return !std::ranges::binary_search(taken, j); }));
        if (members.size() > keep || fresh > room) {
            break;
        }
        keep -= members.size();
        room -= fresh;
    }
    // The largest score of the groups not chosen; on a tie with a chosen one, the next smaller score.
    for (std::size_t i = chosen; i < order_.size() && !options_.gamma; ++i) {
        if (chosen == 0 || scores_[order_[i]] < scores_[order_[chosen - 1]] * (1.0 - kTie)) {
            gamma = scores_[order_[i]];
            break;
        }
    }
    // The inputs with a weight, ascending, shrunk.
    std::size_t count = 0;
    for (std::size_t i = 0; i < chosen; ++i) {
        const double factor = group_factor(scores_[order_[i]], gamma);
        for (const std::size_t j : groups_.of(order_[i])) {
            scratch_[j] = factor * z[j];
            if (scratch_[j] != 0.0) {
                places_[count++] = j;
            }
        }
    }
    const auto places = std::span(places_).first(count);
    std::ranges::sort(places);
    std::ranges::transform(places, values_.begin(), [&](std::size_t place) { return scratch_[place]; });
    return {.gamma = gamma, .count = count};
}

}  // namespace sluice::core
