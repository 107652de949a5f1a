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
      w_(grid.speeds * cells_, 0.0) {
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
    // Slow and fast speeds by themselves: each group's weights at a size are relative to its own least error.
    struct Group {
        BySize least;
        BySize sums;
        BySize factor;  // of the weights at a size, so that they compare with those of other sizes
        BySize judged;  // over the sum of the size alone
    };
    std::array<Group, 2> groups;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled next
    for (Group& group : groups) {
        group.least.fill(kMost);
        group.sums.fill(0.0);
    }
    const kernels::Rows computed{.count = rows, .stride = stride, .columns = columns_};
    const kernels::Rows all_sizes{.count = rows, .stride = stride, .columns = stride};
    const kernels::Rows in_use_only{.count = rows, .stride = stride, .columns = (sizes + 7) / 8 * 8};
    auto copy_last = [&](double* of_sizes) {  // to the sizes that are not computed
        std::fill(of_sizes + columns_, of_sizes + std::max(columns_, grid_.sizes), of_sizes[columns_ - 1]);
    };
    auto find_least = [&](std::size_t g, Group& group, std::size_t cell) {
        kernels::lower(errors(output, discount, g) + cell, computed, group.least.data());
        copy_last(group.least.data());
    };
    auto find_weights = [&](std::size_t g, Group& group, std::size_t cell, double rate) {
        double* w = w_.data() + (g * cells_) + cell;
        kernels::exponentials(errors(output, discount, g) + cell, computed, group.least.data(), rate, w,
                              group.sums.data());
        copy_last(group.sums.data());
        for (std::size_t row = 0; row < rows; ++row) {
            copy_last(w + (row * stride));
        }
    };
    auto for_each_block = [&](auto&& use) {
        for (std::size_t g = 0; g < grid_.speeds; ++g) {
            for (std::size_t b = 0; b < grid_.memories; ++b) {
                if (mixes[b] != 0) {
                    use(g, b, groups[g < slow_speeds() ? 0 : 1], grid_.cell(b, 0, 0));
                }
            }
        }
    };
    for_each_block([&](std::size_t g, std::size_t, Group& group, std::size_t cell) { find_least(g, group, cell); });
    double least = kMost;
    for (const Group& group : groups) {
        least = std::min(least, *std::min_element(group.least.begin(),
                                                  group.least.begin() + static_cast<std::ptrdiff_t>(grid_.sizes)));
    }
    least_[output] = least;  // of the slowest discount, which comes last
    const double scale = std::max(least / std::max(count_[at], 1.0), kLeastScale);
    for_each_block(
        [&](std::size_t g, std::size_t, Group& group, std::size_t cell) { find_weights(g, group, cell, 1.0 / scale); });
    // Leaves the factors of the first `count` sizes; returns the sum of all weights.
    auto sum_of_first = [&](std::size_t count) {
        double sum = 0.0;
        for (Group& group : groups) {
            std::fill(group.factor.begin() + static_cast<std::ptrdiff_t>(count), group.factor.end(), 0.0);
            for (std::size_t s = 0; s < count; ++s) {
                sum += group.factor[s] * group.sums[s];
            }
        }
        return sum;
    };
    // factor_s = exp(-(least_s - lowest) / s) for the first `count` sizes; returns the sum of all weights.
    auto find_factors = [&](double lowest, std::size_t count) {
        for (Group& group : groups) {
            for (std::size_t s = 0; s < count; ++s) {
                const double above = (group.least[s] - lowest) / scale;
                group.factor[s] = above < 700.0 ? std::exp(-above) : 0.0;
            }
        }
        return sum_of_first(count);
    };
    const double in_all = find_factors(least, grid_.sizes);
    for (Group& group : groups) {
        for (std::size_t s = 0; s < stride; ++s) {
            group.judged[s] = s < grid_.sizes && group.sums[s] > 0.0 ? share / group.sums[s] : 0.0;
        }
    }
    std::array<double, kShrinkages.size()> sums{};
    for_each_block([&](std::size_t g, std::size_t b, Group& group, std::size_t cell) {
        const double* w = w_.data() + (g * cells_) + cell;
        // Weights of memories and shrinkages over all sizes: they choose the variables.
        kernels::row_sums(w, all_sizes, group.factor.data(), sums.data());
        double of_memory = memory_weight_[b];
        for (std::size_t r = 0; r < rows; ++r) {
            const double part = sums[r] * (share / in_all);
            of_memory += part;
            memory_shrinkage_weight_[(b * rows) + r] += part;
        }
        memory_weight_[b] = of_memory;
        if (g < slow_speeds()) {
            kernels::accumulate(w, bias_.data() + place(output, g) + cell, all_sizes, group.judged.data(),
                                judged_.data() + (output * cells_) + cell, judged_offset_.data() + (output * stride));
        }
    });
    // What predicts is compared with the best that predicts: the others may be better beyond all measure.
    if (only != kAll) {
        for (Group& group : groups) {
            group.least.fill(kMost);
            group.sums.fill(0.0);
        }
        const std::size_t cell = grid_.cell(only, 0, 0);
        for (std::size_t g = 0; g < grid_.speeds; ++g) {
            find_least(g, groups[g < slow_speeds() ? 0 : 1], cell);
        }
        for (std::size_t g = 0; g < grid_.speeds; ++g) {
            find_weights(g, groups[g < slow_speeds() ? 0 : 1], cell, 1.0 / scale);
        }
    }
    double least_in_use = kMost;
    for (const Group& group : groups) {
        least_in_use =
            std::min(least_in_use,
                     *std::min_element(group.least.begin(), group.least.begin() + static_cast<std::ptrdiff_t>(sizes)));
    }
    // Where the best of all predicts, the factors above hold.
    const double in_use =
        only == kAll && least_in_use == least ? sum_of_first(sizes) : find_factors(least_in_use, sizes);
    for (Group& group : groups) {
        for (std::size_t s = 0; s < stride; ++s) {
            group.factor[s] /= in_use;
        }
    }
    BySize offset{};
    for_each_block([&](std::size_t g, std::size_t b, Group& group, std::size_t cell) {
        if (only != kAll && only != b) {
            return;
        }
        const double* w = w_.data() + (g * cells_) + cell;
        kernels::accumulate(w, bias_.data() + place(output, g) + cell, in_use_only, group.factor.data(),
                            by_discount_.data() + (at * cells_) + cell, offset.data());
        kernels::row_sums(w, in_use_only, group.factor.data(), sums.data());
        double of_speed = speed_weight_[g];
        for (std::size_t r = 0; r < rows; ++r) {
            const double part = share * sums[r];
            shrinkage_weight_[r] += part;
            of_speed += part;
        }
        speed_weight_[g] = of_speed;
    });
    for (std::size_t s = 0; s < sizes; ++s) {
        by_discount_offset_[at] += offset[s];
    }
    kernels::add_multiple(share, by_discount_.data() + (at * cells_), cells_, final_.data() + (output * cells_));
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
