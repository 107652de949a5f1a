// tuner_views.cpp -- what the mixture is, for those who look: one linear model, shares, readings.
#include <algorithm>
#include <cmath>

#include "robust_constants.hpp"
#include "row_check.hpp"
#include "tuner.hpp"

namespace sluice::tune {

namespace {

// f(memory, shrinkage, names, weight) for every reading of an output that has any weight.
template <typename F>
void for_each_reading(const Plan& plan, std::span<const double> weights, const F& use) {
    const Grid& grid = plan.readings.grid;
    for (std::size_t b = 0; b < grid.memories; ++b) {
        for (std::size_t r = 0; r < grid.shrinkages; ++r) {
            for (std::size_t s = 0; s < grid.sizes; ++s) {
                const double weight = weights[grid.cell(b, r, s)];
                if (weight > 0.0) {
                    use(b, r, plan.readings.sizes[s], weight);
                }
            }
        }
    }
}

}  // namespace

Matrix Tuner::coefficients() const {
    Matrix all(p_, q_);
    std::vector<double> own(std::max(p_, kSizes.back()), 0.0);
    for (std::size_t k = 0; k < q_; ++k) {
        for_each_reading(
            plan_, mixture_.weights(k), [&](std::size_t b, std::size_t r, std::size_t names, double weight) {
                memories_[b].coefficients(k, r, names, plan_.readings, own);
                const auto variables = plan_.readings.path ? memories_[b].variables()
                                                           : std::span(memories_[b].impl().step().fit().selected);
                for (std::size_t i = 0; i < variables.size(); ++i) {
                    double& entry = all(variables[i], k);
                    entry = core::finite(entry + (weight * own[i]));
                    own[i] = 0.0;
                }
            });
    }
    return all;
}

std::vector<double> Tuner::intercept() const {
    std::vector<double> sums = drift();
    std::vector<double> own(std::max(p_, kSizes.back()), 0.0);
    for (std::size_t k = 0; k < q_; ++k) {
        for_each_reading(plan_, mixture_.weights(k),
                         [&](std::size_t b, std::size_t r, std::size_t names, double weight) {
                             memories_[b].coefficients(k, r, names, plan_.readings, own);
                             const double one = memories_[b].intercept(k, own, plan_.readings);
                             if (!std::isnan(one)) {  // it is only where a damaged state has numbers near the largest
                                 sums[k] = core::finite(sums[k] + (weight * core::finite(one)));
                             }
                             std::ranges::fill(own, 0.0);
                         });
    }
    return sums;
}

std::vector<double> Tuner::drift() const {
    std::vector<double> drift(q_);
    for (std::size_t k = 0; k < q_; ++k) {
        drift[k] = core::finite(mixture_.drift(k) / units_.unit(k));
    }
    return drift;
}

AdaptiveModel::Shares Tuner::shares() const {
    AdaptiveModel::Shares shares;
    for (std::size_t b = 0; b < plan_.readings.grid.memories; ++b) {
        if (b < fresh() || proven_) {
            shares.memories.push_back({plan_.forgetting[b < fresh() ? b : 0], mixture_.memory_weights()[b]});
        }
    }
    for (std::size_t r = 0; r < plan_.readings.shrinkages.size(); ++r) {
        shares.shrinkages.push_back({plan_.readings.shrinkages[r], mixture_.shrinkage_weights()[r]});
    }
    const std::vector<double> sizes = mixture_.size_weights();
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        const std::size_t names = plan_.readings.path || s == 0 ? plan_.readings.sizes[s] : selected_.size();
        shares.sizes.push_back({static_cast<double>(names), sizes[s]});
    }
    for (std::size_t g = 0; g < plan_.readings.grid.speeds; ++g) {
        shares.speeds.push_back({kSpeeds[g], mixture_.speed_weights()[g]});
    }
    const auto discounts = mixture_.discount_weights();
    for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
        shares.discounts.push_back({kDiscounts[d], discounts[d]});
    }
    return shares;
}

std::vector<AdaptiveModel::Reading> Tuner::readings(std::size_t output) const {
    const Grid& grid = plan_.readings.grid;
    std::vector<AdaptiveModel::Reading> all;
    for (std::size_t g = 0; g < grid.speeds; ++g) {
        for (std::size_t b = 0; b < fresh(); ++b) {
            for (std::size_t r = 0; r < grid.shrinkages; ++r) {
                for (std::size_t s = 0; s < grid.sizes; ++s) {
                    const std::size_t names =
                        plan_.readings.path || s == 0 ? plan_.readings.sizes[s] : selected_.size();
                    all.push_back({.forgetting = plan_.forgetting[b],
                                   .shrinkage = plan_.readings.shrinkages[r],
                                   .names = names,
                                   .speed = kSpeeds[g],
                                   .squares = mixture_.squares(output, g, grid.cell(b, r, s)),
                                   .exponent = units_.known(output) ? units_.exponent(output) : 0});
                }
            }
        }
    }
    return all;
}

std::size_t Tuner::bytes() const {
    std::size_t sum = recent_.bytes() + mixture_.bytes();
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        sum += reads(b) ? memories_[b].model().bytes() : 0;
    }
    return sum;
}

bool Tuner::steady() const {
    const auto weights = mixture_.memory_weights();
    double forgetting = 0.0;
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        forgetting += weights[b] * plan_.forgetting[b < fresh() ? b : 0];
    }
    double shares = 0.0;
    if (plan_.tuning.intercept) {
        const auto speeds = mixture_.speed_weights();
        for (std::size_t v = kSlowSpeeds; v < speeds.size(); ++v) {
            shares += speeds[v];
        }
    }
    return forgetting >= kSteadyForgetting && shares <= kSteadySpeeds;
}

}  // namespace sluice::tune
