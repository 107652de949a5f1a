// output_scale.hpp -- how much each output varies, as a unit for its errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "state.hpp"

namespace sluice::tune {

/// Discounted variances.
class OutputScale {
  public:
    explicit OutputScale(std::size_t outputs) : of_(outputs) {}

    /// y in the caller's units, times `units`.
    void add(std::span<const double> y, std::span<const double> units) {
        constexpr double kMemory = 0.995;
        for (std::size_t k = 0; k < y.size(); ++k) {
            if (std::isnan(y[k])) {
                continue;
            }
            Output& output = of_[k];
            const double value = std::clamp(y[k] * units[k], -kMost, kMost);
            output.weight = (kMemory * output.weight) + 1.0;
            const double step = value - output.mean;
            output.mean += step / output.weight;
            output.variance += ((step * (value - output.mean)) - output.variance) / output.weight;
        }
    }
    /// Values of this output are multiplied by `times` from now on.
    void change_unit(std::size_t k, double times) {
        of_[k].mean *= times;
        of_[k].variance = of_[k].variance * times * times;  // one by one: the square of `times` alone may not be finite
    }
    /// 0 for an output that has not varied by more than what rounding leaves of its mean.
    [[nodiscard]] double variance(std::size_t k) const {
        const double floor = 1e-12 * of_[k].mean;
        return of_[k].variance > floor * floor ? of_[k].variance : 0.0;
    }

    void save(core::StateWriter& out) const {
        for (const Output& output : of_) {
            for (const double number : {output.mean, output.variance, output.weight}) {
                out.put(number);
            }
        }
    }
    void load(core::StateReader& in) {
        for (Output& output : of_) {
            for (double* number : {&output.mean, &output.variance, &output.weight}) {
                in.get(*number);
            }
            in.require(std::abs(output.mean) <= kMost && output.variance >= 0.0 &&
                           output.variance <= 4.0 * kMost * kMost && output.weight >= 0.0 && output.weight <= 1e6,
                       "the mean, variance or weight of an output is out of range");
        }
    }

  private:
    struct Output {
        double mean = 0.0;
        double variance = 0.0;
        double weight = 0.0;
    };
    static constexpr double kMost = 1e150;

    std::vector<Output> of_;
};

}  // namespace sluice::tune
