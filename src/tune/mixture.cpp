// mixture.cpp -- the weights that follow from the errors of the readings (mixture_scores.cpp).
#include "mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::tune {

namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr std::size_t kMostSizes = (kSizes.size() + 8) / 8 * 8;
using BySize = std::array<double, kMostSizes>;

}  // namespace

Mixture::Mixture(std::size_t outputs, const Grid& grid)
    : grid_(grid),
      q_(outputs),
      cells_(grid.cells()),
      columns_(grid.stride()),
      bias_(outputs * grid.speeds * cells_, 0.0),
      errors_(outputs * kDiscounts.size() * grid.speeds * cells_, 0.0),
      squares_(outputs * grid.speeds * cells_, 0.0),
      count_(outputs * kDiscounts.size(), 0.0),
      drift_rows_(outputs * grid.speeds, 0.0),
      rows_(outputs, 0),
      regret_(outputs * kDiscounts.size(), 0.0),
      variance_(outputs * kDiscounts.size(), 0.0),
      share_(outputs * kDiscounts.size(), 1.0 / static_cast<double>(kDiscounts.size())),
      by_discount_(outputs * kDiscounts.size() * cells_, 0.0),
      by_discount_offset_(outputs * kDiscounts.size(), 0.0),
      judged_(outputs * cells_, 0.0),
      judged_offset_(outputs * grid.stride(), 0.0),
      final_(outputs * cells_, 0.0),
      final_offset_(outputs, 0.0),
      memory_weight_(grid.memories, 0.0),
      shrinkage_weight_(grid.shrinkages, 0.0),
      memory_shrinkage_weight_(grid.memories * grid.shrinkages, 0.0),
      speed_weight_(grid.speeds, 0.0),
      least_(outputs, 0.0),
      w_(2 * cells_, 0.0) {
    find_columns();
}

Mixture::Forecast Mixture::forecast(std::size_t output, std::span<const double> base) const {
    Forecast out;
    for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
        const std::size_t at = (output * kDiscounts.size()) + d;
        out.by_discount[d] =
            by_discount_offset_[at] + kernels::dot(by_discount_.data() + (at * cells_), base.data(), cells_);
    }
    out.value = final_offset_[output] + kernels::dot(final_.data() + (output * cells_), base.data(), cells_);
    return out;
}

double Mixture::part(std::size_t output, std::size_t memory, std::span<const double> base) const {
    const std::size_t n = grid_.memory_cells();
    return kernels::dot(final_.data() + (output * cells_) + (memory * n), base.data(), n);
}

void Mixture::by_size(std::size_t output, std::span<const double> base, std::span<double> forecasts) const {
    const double* weights = judged_.data() + (output * cells_);
    for (std::size_t s = 0; s < grid_.sizes; ++s) {
        double sum = judged_offset_[(output * grid_.stride()) + s];
        for (std::size_t i = s; i < cells_; i += grid_.stride()) {
            sum += weights[i] * base[i];
        }
        forecasts[s] = sum;
    }
}

void Mixture::weigh(std::span<const unsigned char> mixes, std::size_t sizes, std::size_t only) {
    for (auto* derived : {&by_discount_, &by_discount_offset_, &judged_, &judged_offset_, &final_, &final_offset_,
                          &memory_weight_, &shrinkage_weight_, &memory_shrinkage_weight_, &speed_weight_}) {
        std::ranges::fill(*derived, 0.0);
    }
    for (std::size_t k = 0; k < q_; ++k) {
        for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
            weigh_discount(k, d, mixes, sizes, only);
        }
    }
    const auto all = static_cast<double>(q_);
    for (auto* weights : {&memory_weight_, &shrinkage_weight_, &memory_shrinkage_weight_, &speed_weight_}) {
        for (double& weight : *weights) {
            weight /= all;
        }
    }
}

void Mixture::weigh_discount(std::size_t output, std::size_t discount, std::span<const unsigned char> mixes,
                             std::size_t sizes, std::size_t only) {
    const std::size_t at = (output * kDiscounts.size()) + discount;
    const std::size_t stride = grid_.stride();
    const std::size_t rows = grid_.shrinkages;
    const double share = share_[at];
    // Slow and fast speeds by themselves: the weights of a group at a size are relative to its own least error.
    struct Group {
        std::size_t first;  // of its speeds
        std::size_t count;
        double* w;
        BySize least{};
        BySize factor{};  // of the weights at a size, so that they compare with those of other sizes
    };
    std::array<Group, 2> groups{
        Group{.first = 0, .count = slow_speeds(), .w = w_.data()},
        Group{.first = slow_speeds(), .count = grid_.speeds - slow_speeds(), .w = w_.data() + cells_}};
    std::array<BySize, kSpeeds.size()> sums;   // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    std::array<BySize, kSpeeds.size()> drift;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const kernels::Rows computed{
        .count = rows, .stride = stride, .columns = columns_, .copies = std::max(columns_, grid_.sizes) - columns_};
    const kernels::Rows all_sizes{.count = rows, .stride = stride, .columns = stride};
    const kernels::Rows in_use_only{.count = rows, .stride = stride, .columns = (sizes + 7) / 8 * 8};
    const auto for_each_memory = [&](auto&& use) {
        for (std::size_t b = 0; b < grid_.memories; ++b) {
            if (mixes[b] != 0) {
                use(b, grid_.cell(b, 0, 0));
            }
        }
    };
    const auto find_least = [&](auto&& for_each) {
        for (Group& group : groups) {
            group.least.fill(kMost);
            for_each([&](std::size_t /*memory*/, std::size_t cell) {
                for (std::size_t g = group.first; g < group.first + group.count; ++g) {
                    kernels::lower(errors(output, discount, g) + cell, computed, group.least.data());
                }
            });
        }
    };
    const auto least_of_first = [&](std::size_t count) {
        double least = kMost;
        for (const Group& group : groups) {
            least = std::min(least, *std::min_element(group.least.begin(),
                                                      group.least.begin() + static_cast<std::ptrdiff_t>(count)));
        }
        return least;
    };
    const auto find_weights = [&](auto&& for_each, double rate) {
        for (std::size_t g = 0; g < grid_.speeds; ++g) {
            sums[g].fill(0.0);
            drift[g].fill(0.0);
        }
        for (Group& group : groups) {
            for_each([&](std::size_t /*memory*/, std::size_t cell) {
                std::array<kernels::Speed, kSpeeds.size()> speeds{};
                for (std::size_t i = 0; i < group.count; ++i) {
                    const std::size_t g = group.first + i;
                    speeds[i] = {.errors = errors(output, discount, g) + cell,
                                 .bias = bias_.data() + place(output, g) + cell,
                                 .sums = sums[g].data(),
                                 .drift = drift[g].data()};
                }
                if (group.count > 0) {
                    kernels::exponentials(speeds.data(), group.count, computed, group.least.data(), rate,
                                          group.w + cell);
                }
            });
        }
    };
    // The sum of all weights at the first `count` sizes; factors of the others are 0.
    const auto sum_of_first = [&](std::size_t count) {
        double sum = 0.0;
        for (Group& group : groups) {
            std::fill(group.factor.begin() + static_cast<std::ptrdiff_t>(count), group.factor.end(), 0.0);
            for (std::size_t g = group.first; g < group.first + group.count; ++g) {
                for (std::size_t s = 0; s < count; ++s) {
                    sum += group.factor[s] * sums[g][s];
                }
            }
        }
        return sum;
    };
    const auto find_factors = [&](double lowest, std::size_t count, double rate) {
        for (Group& group : groups) {
            kernels::factors(group.least.data(), lowest, rate, count, stride, group.factor.data());
        }
        return sum_of_first(count);
    };
    find_least(for_each_memory);
    const double least = least_of_first(grid_.sizes);
    least_[output] = least;  // of the slowest discount, which comes last
    const double rate = 1.0 / std::max(least / std::max(count_[at], 1.0), kLeastScale);
    find_weights(for_each_memory, rate);
    const double in_all = find_factors(least, grid_.sizes, rate);
    BySize judged{};  // over the sum of the size alone
    for (std::size_t s = 0; s < grid_.sizes; ++s) {
        double sum = 0.0;
        double along = 0.0;
        for (std::size_t g = 0; g < slow_speeds(); ++g) {
            sum += sums[g][s];
            along += drift[g][s];
        }
        judged[s] = sum > 0.0 ? share / sum : 0.0;
        judged_offset_[(output * stride) + s] += judged[s] * along;
    }
    const kernels::Weights norm{.slow = groups[0].factor.data(), .fast = groups[1].factor.data()};
    std::array<double, kShrinkages.size()> of_shrinkage{};
    // Weights of memories and shrinkages over all sizes: they choose the variables.
    for_each_memory([&](std::size_t b, std::size_t cell) {
        kernels::share_out({.slow = groups[0].w + cell, .fast = groups[1].w + cell}, all_sizes, norm, judged.data(),
                           judged_.data() + (output * cells_) + cell, of_shrinkage.data());
        for (std::size_t r = 0; r < rows; ++r) {
            const double part = of_shrinkage[r] * (share / in_all);
            memory_weight_[b] += part;
            memory_shrinkage_weight_[(b * rows) + r] += part;
        }
    });
    // What predicts is compared with the best that predicts: the others may be better beyond all measure.
    const auto only_one = [&](auto&& use) { use(only, grid_.cell(only, 0, 0)); };
    if (only != kAll) {
        find_least(only_one);
        find_weights(only_one, rate);
    }
    const double least_in_use = least_of_first(sizes);
    // Where the best of all predicts, the factors above hold.
    const double in_use =
        only == kAll && least_in_use == least ? sum_of_first(sizes) : find_factors(least_in_use, sizes, rate);
    for (Group& group : groups) {
        for (double& factor : group.factor) {
            factor /= in_use;
        }
    }
    const auto predict = [&](std::size_t /*memory*/, std::size_t cell) {
        kernels::combine({.slow = groups[0].w + cell, .fast = groups[1].w + cell}, in_use_only, norm, share,
                         by_discount_.data() + (at * cells_) + cell, final_.data() + (output * cells_) + cell,
                         of_shrinkage.data());
        for (std::size_t r = 0; r < rows; ++r) {
            shrinkage_weight_[r] += share * of_shrinkage[r];
        }
    };
    if (only == kAll) {
        for_each_memory(predict);
    } else {
        only_one(predict);
    }
    for (const Group& group : groups) {
        for (std::size_t g = group.first; g < group.first + group.count; ++g) {
            for (std::size_t s = 0; s < sizes; ++s) {
                speed_weight_[g] += share * group.factor[s] * sums[g][s];
                by_discount_offset_[at] += group.factor[s] * drift[g][s];
            }
        }
    }
    final_offset_[output] += share * by_discount_offset_[at];
}

std::size_t Mixture::best_shrinkage(std::size_t memory) const {
    const auto first = memory_shrinkage_weight_.begin() + static_cast<std::ptrdiff_t>(memory * grid_.shrinkages);
    return static_cast<std::size_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(grid_.shrinkages)) -
                                    first);
}

std::size_t Mixture::best_cell(std::size_t output, std::size_t memory) const {
    const double* of = errors(output, 1, 0);
    std::size_t best = grid_.cell(memory, 0, 0);
    for (std::size_t r = 0; r < grid_.shrinkages; ++r) {
        for (std::size_t s = 0; s < grid_.sizes; ++s) {
            const std::size_t cell = grid_.cell(memory, r, s);
            best = of[cell] < of[best] ? cell : best;
        }
    }
    return best;
}

double Mixture::loss(std::size_t memory, std::span<const double> variances) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < q_; ++k) {
        if (variances[k] > 0.0) {
            const double mean =
                errors(k, 1, 0)[best_cell(k, memory)] / std::max(count_[(k * kDiscounts.size()) + 1], 1.0);
            sum += std::min(mean / variances[k], 1e100);
        }
    }
    return sum;
}

double Mixture::log_shrinkage(std::size_t memory, std::span<const double> logs) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < grid_.shrinkages; ++r) {
        sum += memory_shrinkage_weight_[(memory * grid_.shrinkages) + r] * logs[r];
    }
    return memory_weight_[memory] > 1e-12 ? sum / memory_weight_[memory] : logs[grid_.shrinkages > 1 ? 1 : 0];
}

std::vector<double> Mixture::size_weights() const {
    std::vector<double> weights(grid_.sizes, 0.0);
    for (std::size_t k = 0; k < q_; ++k) {
        for (std::size_t i = 0; i < cells_; ++i) {
            if (i % grid_.stride() < grid_.sizes) {
                weights[i % grid_.stride()] += final_[(k * cells_) + i] / static_cast<double>(q_);
            }
        }
    }
    return weights;
}

std::array<double, kDiscounts.size()> Mixture::discount_weights() const {
    std::array<double, kDiscounts.size()> weights{};
    for (std::size_t i = 0; i < share_.size(); ++i) {
        weights[i % kDiscounts.size()] += share_[i] / static_cast<double>(q_);
    }
    return weights;
}

std::span<const double> Mixture::weights(std::size_t output) const {
    return std::span(final_).subspan(output * cells_, cells_);
}

double Mixture::squares(std::size_t output, std::size_t speed, std::size_t cell) const {
    return squares_[place(output, speed) + cell];
}

void Mixture::change_unit(std::size_t output, double times) {
    least_[output] = least_[output] * times * times;
    auto multiply = [&](std::span<double> values, bool square) {
        for (double& value : values) {
            value *= times;
            if (square) {
                value *= times;  // one by one: the square of `times` alone may not be finite
            }
        }
    };
    multiply(std::span(bias_).subspan(place(output, 0), grid_.speeds * cells_), false);
    multiply(std::span(squares_).subspan(place(output, 0), grid_.speeds * cells_), true);
    multiply(std::span(errors_).subspan(output * kDiscounts.size() * grid_.speeds * cells_,
                                        kDiscounts.size() * grid_.speeds * cells_),
             true);
}

std::size_t Mixture::bytes() const {
    std::size_t numbers = 0;
    for (const auto* list : {&bias_, &errors_, &squares_, &by_discount_, &judged_, &final_, &w_}) {
        numbers += list->size();
    }
    return numbers * sizeof(double);
}

}  // namespace sluice::tune
