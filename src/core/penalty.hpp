// penalty.hpp -- the penalties p(u) of eq. (12) and their proximal steps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/options.hpp"

namespace sluice::core {

/// Groups of inputs for the group lasso: members[start[g]] .. members[start[g+1]] are the inputs of group g.
struct Groups {
    Groups() = default;
    explicit Groups(std::span<const std::size_t> group_of_input);

    [[nodiscard]] std::size_t count() const noexcept { return start.empty() ? 0 : start.size() - 1; }
    [[nodiscard]] std::span<const std::size_t> of(std::size_t group) const {
        return std::span(members).subspan(start[group], start[group + 1] - start[group]);
    }

    std::vector<std::size_t> start;
    std::vector<std::size_t> members;
};

/// The value that |z| must exceed for an entry z to survive the threshold gamma, and the gamma of such a value.
/// Not for the group lasso, where it is the group's score |z_g| / sqrt(size) that must exceed gamma.
[[nodiscard]] double smallest_survivor(const StreamOptions& options, double gamma);
[[nodiscard]] double gamma_for_survivor(const StreamOptions& options, double survivor);

/// u_j of the penalised rank-one fit, for all penalties that treat entries one by one.
[[nodiscard]] double proximal_step(const StreamOptions& options, double z, double gamma);

/// The factor of the entries of a group with the given score: max(1 - gamma / score, 0).
[[nodiscard]] double group_factor(double score, double gamma);

/// P_gamma(u), the penalty itself: the proximal step minimises (u - z)^2 / 2 + P_gamma(u). Only the adaptive
/// lasso uses `z`, for its weights.
[[nodiscard]] double penalty_value(const StreamOptions& options, double u, double gamma, double z);

}  // namespace sluice::core
