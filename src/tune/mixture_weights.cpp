// mixture_weights.cpp -- the weights that follow from the errors of the readings (mixture_scores.cpp).
//
// Slow and fast speeds of the intercept are two groups: the weights of a group at a size are relative to its own least error there, and
// a factor of the group and the size makes them comparable with the others. Sums of many terms are in a fixed order, so that results
// have the same bits everywhere; those of the three discounts, which do not wait for each other, are formed side by side.
#include <algorithm>
#include <array>
#include <cmath>

#include "mixture.hpp"

namespace sluice::tune {

namespace {

constexpr std::size_t kMostSizes = (kSizes.size() + 8) / 8 * 8;
struct alignas(core::kCacheLine) BySize : std::array<double, kMostSizes> {};
using ByDiscount = std::array<double, kDiscounts.size()>;

struct Group {  // NOLINT(cppcoreguidelines-pro-type-member-init): what is read of the lists was written before
    std::size_t first = 0;  // of its speeds
    std::size_t count = 0;
    double* w = nullptr;
    BySize least;
    BySize factor;  // of the weights at a size, so that they compare with those of other sizes
};

// What follows from the errors with one discount.
struct Weighed {
    std::array<Group, 2> groups;
    std::array<BySize, kSpeeds.size()> sums;   // of the weights
    std::array<BySize, kSpeeds.size()> drift;  // of the weights times the intercepts
    double least = 0.0;
    double rate = 0.0;
};
using Discounts = std::array<Weighed, kDiscounts.size()>;

double least_of_first(const Weighed& of, std::size_t count) {
    return std::min(kernels::least_of(of.groups[0].least.data(), count),
                    kernels::least_of(of.groups[1].least.data(), count));
}

void find_factors(Weighed& of, double lowest, std::size_t count, std::size_t stride) {
    for (Group& group : of.groups) {
        kernels::factors(group.least.data(), lowest, of.rate, count, stride, group.factor.data());
    }
}

// For each discount the sum of all weights at the first `count` sizes.
ByDiscount sums_of_first(const Discounts& all, std::size_t count) {
    ByDiscount total{};
    for (std::size_t group = 0; group < 2; ++group) {
        const Group& speeds = all[0].groups[group];
        for (std::size_t g = speeds.first; g < speeds.first + speeds.count; ++g) {
            for (std::size_t s = 0; s < count; ++s) {
                for (std::size_t d = 0; d < all.size(); ++d) {
                    total[d] += all[d].groups[group].factor[s] * all[d].sums[g][s];
                }
            }
        }
    }
    return total;
}

}  // namespace

void Mixture::weigh(std::span<const unsigned char> mixes, std::size_t sizes, std::size_t only) {
    for (auto* derived : {&by_discount_, &judged_, &final_}) {
        std::ranges::fill(*derived, 0.0);
    }
    for (auto* derived : {&by_discount_offset_, &judged_offset_, &final_offset_, &memory_weight_, &shrinkage_weight_,
                          &memory_shrinkage_weight_, &speed_weight_}) {
        std::ranges::fill(*derived, 0.0);
    }
    for (std::size_t k = 0; k < q_; ++k) {
        weigh_output(k, mixes, sizes, only);
    }
    const auto all = static_cast<double>(q_);
    for (auto* weights : {&memory_weight_, &shrinkage_weight_, &memory_shrinkage_weight_, &speed_weight_}) {
        for (double& weight : *weights) {
            weight /= all;
        }
    }
}

void Mixture::weigh_output(std::size_t output, std::span<const unsigned char> mixes, std::size_t sizes,
                           std::size_t only) {
    const std::size_t stride = grid_.stride();
    const std::size_t slow = slow_speeds();
    const double* share = share_.data() + (output * kDiscounts.size());
    const auto rows = [&](std::size_t memories, std::size_t columns, std::size_t copies) {
        return kernels::Rows{
            .count = memories * grid_.shrinkages, .stride = stride, .columns = columns, .copies = copies};
    };
    const std::size_t copies = std::max(columns_, grid_.sizes) - columns_;
    // use(first of them, how many) for memories side by side that predict.
    const auto for_all = [&](auto&& use) {
        for (std::size_t b = 0; b < grid_.memories; ++b) {
            if (mixes[b] != 0) {
                const std::size_t first = b;
                while (b + 1 < grid_.memories && mixes[b + 1] != 0) {
                    ++b;
                }
                use(first, b + 1 - first);
            }
        }
    };
    const auto only_one = [&](auto&& use) { use(only, 1); };
    const auto find_least = [&](std::size_t d, Weighed& of, auto&& for_each) {
        for (Group& group : of.groups) {
            bool begins = true;
            for_each([&](std::size_t first, std::size_t memories) {
                kernels::lower(errors(output, d, group.first) + grid_.cell(first, 0, 0),
                               {.count = group.count, .apart = cells_}, rows(memories, columns_, copies), begins,
                               group.least.data());
                begins = false;
            });
        }
    };
    const auto find_weights = [&](std::size_t d, Weighed& of, auto&& for_each) {
        for (Group& group : of.groups) {
            bool begins = true;
            for_each([&](std::size_t first, std::size_t memories) {
                const std::size_t cell = grid_.cell(first, 0, 0);
                std::array<kernels::Speed, kSpeeds.size()> speeds{};
                for (std::size_t i = 0; i < group.count; ++i) {
                    const std::size_t g = group.first + i;
                    speeds[i] = {.errors = errors(output, d, g) + cell,
                                 .bias = bias_.data() + place(output, g) + cell,
                                 .sums = of.sums[g].data(),
                                 .drift = of.drift[g].data()};
                }
                if (group.count > 0) {
                    kernels::exponentials(speeds.data(), group.count, rows(memories, columns_, copies),
                                          group.least.data(), of.rate, begins, group.w + cell);
                }
                begins = false;
            });
        }
    };

    Discounts all;  // NOLINT(cppcoreguidelines-pro-type-member-init): find_weights() fills the sums
    for (std::size_t d = 0; d < all.size(); ++d) {
        Weighed& of = all[d];
        double* w = w_.data() + (2 * d * cells_);
        Group& slow_ones = of.groups[0];
        slow_ones.first = 0;
        slow_ones.count = slow;
        slow_ones.w = w;
        Group& fast_ones = of.groups[1];
        fast_ones.first = slow;
        fast_ones.count = grid_.speeds - slow;
        fast_ones.w = w + cells_;
        find_least(d, of, for_all);
        of.least = least_of_first(of, grid_.sizes);
        const double count = std::max(count_[(output * kDiscounts.size()) + d], 1.0);
        of.rate = 1.0 / std::max(of.least / count, kLeastScale);
        find_weights(d, of, for_all);
        find_factors(of, of.least, grid_.sizes, stride);
    }
    least_[output] = all.back().least;  // of the slowest discount, which comes last

    // Weights of memories and shrinkages over all sizes: they choose the variables.
    const ByDiscount in_all = sums_of_first(all, grid_.sizes);
    std::array<double, (kMemories.size() + 1) * kShrinkages.size()> of_rows{};
    for (std::size_t d = 0; d < all.size(); ++d) {
        Weighed& of = all[d];
        BySize judged;  // NOLINT(cppcoreguidelines-pro-type-member-init): over the sum of the size alone; written next
        kernels::judge({.first = of.sums[0].data(), .second = slow > 1 ? of.sums[1].data() : nullptr},
                       {.first = of.drift[0].data(), .second = slow > 1 ? of.drift[1].data() : nullptr}, share[d],
                       grid_.sizes, judged.data(), judged_offset_.data() + (output * stride));
        const kernels::Weights norm{.slow = of.groups[0].factor.data(), .fast = of.groups[1].factor.data()};
        for_all([&](std::size_t first, std::size_t memories) {
            const std::size_t cell = grid_.cell(first, 0, 0);
            kernels::share_out({.slow = of.groups[0].w + cell, .fast = of.groups[1].w + cell},
                               rows(memories, stride, 0), norm, judged.data(),
                               judged_.data() + (output * cells_) + cell, of_rows.data());
            const double times = share[d] / in_all[d];
            const double* of_row = of_rows.data();
            for (std::size_t b = first; b < first + memories; ++b) {
                double sum = memory_weight_[b];
                for (std::size_t r = 0; r < grid_.shrinkages; ++r) {
                    const double part = *of_row++ * times;
                    sum += part;
                    memory_shrinkage_weight_[(b * grid_.shrinkages) + r] += part;
                }
                memory_weight_[b] = sum;
            }
        });
    }

    // What predicts is compared with the best that predicts: the others may be better beyond all measure.
    for (std::size_t d = 0; d < all.size(); ++d) {
        Weighed& of = all[d];
        if (only != kAll) {
            find_least(d, of, only_one);
            find_weights(d, of, only_one);
        }
        const double least_in_use = least_of_first(of, sizes);
        if (only == kAll && least_in_use == of.least) {  // the factors above hold
            for (Group& group : of.groups) {
                std::fill(group.factor.begin() + static_cast<std::ptrdiff_t>(sizes), group.factor.end(), 0.0);
            }
        } else {
            find_factors(of, least_in_use, sizes, stride);
        }
    }
    const ByDiscount in_use = sums_of_first(all, sizes);
    for (std::size_t d = 0; d < all.size(); ++d) {
        Weighed& of = all[d];
        for (Group& group : of.groups) {
            kernels::divide(group.factor.data(), in_use[d], stride);
        }
        const std::size_t at = (output * kDiscounts.size()) + d;
        const kernels::Weights norm{.slow = of.groups[0].factor.data(), .fast = of.groups[1].factor.data()};
        const auto predict = [&](std::size_t first, std::size_t memories) {
            const std::size_t cell = grid_.cell(first, 0, 0);
            kernels::combine({.slow = of.groups[0].w + cell, .fast = of.groups[1].w + cell},
                             rows(memories, (sizes + 7) / 8 * 8, 0), norm, share[d],
                             by_discount_.data() + (at * cells_) + cell, final_.data() + (output * cells_) + cell,
                             of_rows.data());
            for (std::size_t r = 0; r < grid_.shrinkages; ++r) {
                double sum = shrinkage_weight_[r];
                for (std::size_t row = r; row < memories * grid_.shrinkages; row += grid_.shrinkages) {
                    sum += share[d] * of_rows[row];
                }
                shrinkage_weight_[r] = sum;
            }
        };
        if (only == kAll) {
            for_all(predict);
        } else {
            only_one(predict);
        }
    }
    ByDiscount offsets{};
    std::array<double, kSpeeds.size()> of_speeds{};
    std::copy_n(speed_weight_.begin(), grid_.speeds, of_speeds.begin());
    for (std::size_t group = 0; group < 2; ++group) {
        const Group& speeds = all[0].groups[group];
        for (std::size_t g = speeds.first; g < speeds.first + speeds.count; ++g) {
            for (std::size_t s = 0; s < sizes; ++s) {
                for (std::size_t d = 0; d < all.size(); ++d) {
                    offsets[d] += all[d].groups[group].factor[s] * all[d].drift[g][s];
                }
            }
        }
    }
    for (std::size_t d = 0; d < all.size(); ++d) {
        for (std::size_t s = 0; s < sizes; ++s) {
            for (std::size_t g = 0; g < grid_.speeds; ++g) {
                of_speeds[g] += share[d] * all[d].groups[g < slow ? 0 : 1].factor[s] * all[d].sums[g][s];
            }
        }
        by_discount_offset_[(output * kDiscounts.size()) + d] = offsets[d];
        final_offset_[output] += share[d] * offsets[d];
    }
    std::copy_n(of_speeds.begin(), grid_.speeds, speed_weight_.begin());
}

}  // namespace sluice::tune
