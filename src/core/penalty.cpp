// penalty.cpp -- the penalties p(u) of eq. (12) and their proximal steps.
//
// With |v| = 1 the penalised rank-one fit splits into one small problem per entry (per group for the group lasso):
//     min_u |H - u v'|^2 + p(u)   <=>   min_u (u - z)^2 / 2 + P_gamma(u),   z = H v,   p = 2 P_gamma     eq. (12)
//
//   penalty         P_gamma(u)                                   step, for z >= 0                    survives
//   lasso           g u                                          z - g                               z > g
//   hard            g^2/2 [u != 0]                               z                                   z > g
//   elastic net     g (m u + (1-m) u^2 / 2)                      (z - g m) / (1 + g (1-m))           z > g m
//   SCAD, knee a    g u, then a parabola, flat from a g on       three pieces, see below             z > g
//   MCP, knee b     g u - u^2 / 2b, flat from b g on             (z - g) / (1 - 1/b), z from b g on  z > g
//   adaptive lasso  g |z|^-t u                                   z - g z^-t                          z^(1+t) > g
//   group lasso     g sqrt(size) |u_group|                       z_group (1 - g / score)             score > g
//
// Here g is gamma and score = |z_group| / sqrt(size). The lasso row is eq. (13): the paper uses the lasso and says that
// other penalties fit in the same frame. Because u is scaled to unit length afterwards, the elastic net has the
// direction of the lasso where the support is equal.
#include "penalty.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::core {

Groups::Groups(std::span<const std::size_t> group_of_input) {
    if (group_of_input.empty()) {
        return;
    }
    const std::size_t count = *std::ranges::max_element(group_of_input) + 1;
    start.assign(count + 1, 0);
    for (const std::size_t g : group_of_input) {
        ++start[g + 1];
    }
    for (std::size_t g = 0; g < count; ++g) {
        start[g + 1] += start[g];
    }
    members.resize(group_of_input.size());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    for (std::size_t j = 0; j < group_of_input.size(); ++j) {
        members[next[group_of_input[j]]++] = j;
    }
}

double smallest_survivor(const StreamOptions& options, double gamma) {
    switch (options.penalty) {
        case Penalty::elastic_net:
            return gamma * options.elastic_mix;
        case Penalty::adaptive_lasso:
            return std::pow(gamma, 1.0 / (1.0 + options.adaptive_power));
        default:
            return gamma;
    }
}

double gamma_for_survivor(const StreamOptions& options, double survivor) {
    switch (options.penalty) {
        case Penalty::elastic_net:
            return survivor / options.elastic_mix;
        case Penalty::adaptive_lasso:
            return std::pow(survivor, 1.0 + options.adaptive_power);
        default:
            return survivor;
    }
}

namespace {

double scad_step(double z, double g, double a) {
    if (z <= 2.0 * g) {
        return z - g;
    }
    return z <= a * g ? (((a - 1.0) * z) - (a * g)) / (a - 2.0) : z;
}

double scad_value(double u, double g, double a) {
    if (u <= g) {
        return g * u;
    }
    return u <= a * g ? ((2.0 * a * g * u) - (u * u) - (g * g)) / (2.0 * (a - 1.0)) : g * g * (a + 1.0) / 2.0;
}

}  // namespace

double proximal_step(const StreamOptions& options, double z, double gamma) {
    const double size = std::abs(z);
    if (size <= smallest_survivor(options, gamma)) {
        return 0.0;
    }
    double u = 0.0;
    switch (options.penalty) {
        case Penalty::lasso:
            u = size - gamma;
            break;
        case Penalty::hard:
            u = size;
            break;
        case Penalty::elastic_net:
            u = (size - (gamma * options.elastic_mix)) / (1.0 + (gamma * (1.0 - options.elastic_mix)));
            break;
        case Penalty::scad:
            u = scad_step(size, gamma, options.scad_knee);
            break;
        case Penalty::mcp:
            u = size <= options.mcp_knee * gamma ? (size - gamma) / (1.0 - (1.0 / options.mcp_knee)) : size;
            break;
        case Penalty::adaptive_lasso:
            u = size - (gamma * std::pow(size, -options.adaptive_power));
            break;
        case Penalty::group_lasso:  // a group of one
            u = size - gamma;
            break;
    }
    return std::copysign(std::max(u, 0.0), z);
}

double group_factor(double score, double gamma) {
    return score > gamma ? 1.0 - (gamma / score) : 0.0;
}

double penalty_value(const StreamOptions& options, double u, double gamma, double z) {
    const double size = std::abs(u);
    switch (options.penalty) {
        case Penalty::hard:
            return size > 0.0 ? gamma * gamma / 2.0 : 0.0;
        case Penalty::elastic_net:
            return gamma * ((options.elastic_mix * size) + ((1.0 - options.elastic_mix) * size * size / 2.0));
        case Penalty::scad:
            return scad_value(size, gamma, options.scad_knee);
        case Penalty::mcp:
            return size <= options.mcp_knee * gamma ? (gamma * size) - (size * size / (2.0 * options.mcp_knee))
                                                    : options.mcp_knee * gamma * gamma / 2.0;
        case Penalty::adaptive_lasso:
            return gamma * std::pow(std::abs(z), -options.adaptive_power) * size;
        case Penalty::lasso:
        case Penalty::group_lasso:  // a group of one
            return gamma * size;
    }
    return 0.0;
}

}  // namespace sluice::core
