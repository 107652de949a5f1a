// mixture.cpp -- the mixture and what is asked of it. Errors: mixture_scores.cpp; weights: mixture_weights.cpp.
#include "mixture.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::tune {

Mixture::Mixture(std::size_t outputs, const Grid& grid)
    : grid_(grid),
      q_(outputs),
      cells_(grid.cells()),
      columns_(grid.stride()),
      bias_(outputs * grid.speeds * cells_),
      errors_(outputs * kDiscounts.size() * grid.speeds * cells_),
      squares_(outputs * grid.speeds * cells_),
      count_(outputs * kDiscounts.size(), 0.0),
      drift_rows_(outputs * grid.speeds, 0.0),
      rows_(outputs, 0),
      regret_(outputs * kDiscounts.size(), 0.0),
      variance_(outputs * kDiscounts.size(), 0.0),
      share_(outputs * kDiscounts.size(), 1.0 / static_cast<double>(kDiscounts.size())),
      by_discount_(outputs * kDiscounts.size() * cells_),
      by_discount_offset_(outputs * kDiscounts.size(), 0.0),
      judged_(outputs * cells_),
      judged_offset_(outputs * grid.stride(), 0.0),
      final_(outputs * cells_),
      final_offset_(outputs, 0.0),
      memory_weight_(grid.memories, 0.0),
      shrinkage_weight_(grid.shrinkages, 0.0),
      memory_shrinkage_weight_(grid.memories * grid.shrinkages, 0.0),
      speed_weight_(grid.speeds, 0.0),
      least_(outputs, 0.0),
      w_(2 * kDiscounts.size() * cells_) {
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
    std::array<double, (kSizes.size() + 8) / 8 * 8> sums{};
    std::copy_n(judged_offset_.begin() + static_cast<std::ptrdiff_t>(output * grid_.stride()), grid_.stride(),
                sums.begin());
    kernels::add_products(judged_.data() + (output * cells_), base.data(),
                          {.count = cells_ / grid_.stride(), .stride = grid_.stride(), .columns = grid_.stride()},
                          sums.data());
    std::copy_n(sums.begin(), grid_.sizes, forecasts.begin());
}

std::size_t Mixture::best_shrinkage(std::size_t memory) const {
    const auto first = memory_shrinkage_weight_.begin() + static_cast<std::ptrdiff_t>(memory * grid_.shrinkages);
    return static_cast<std::size_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(grid_.shrinkages)) -
                                    first);
}

std::size_t Mixture::best_cell(std::size_t output, std::size_t memory) const {
    const std::size_t first = grid_.cell(memory, 0, 0);
    return first + kernels::first_least(errors(output, 1, 0) + first,
                                        {.count = grid_.shrinkages, .stride = grid_.stride(), .columns = grid_.sizes});
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
