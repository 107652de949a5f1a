// output_scale.hpp -- how much each output varies, as a unit for its errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "state.hpp"

namespace sluice::tune {

/// scale_k: variance of output k times the discounted number of rows that a ErrorTrack's error is a sum over.
class OutputScale {
  public:
    explicit OutputScale(std::size_t outputs) : of_(outputs), scale_(outputs, 0.0) {}

    /// y in the caller's units, times `units`.
    void add(std::span<const double> y, std::span<const double> units) {
        constexpr double kMemory = 0.995;
        constexpr double kErrorMemory = 0.97;  // as in error_track.cpp
        for (std::size_t k = 0; k < y.size(); ++k) {
            if (std::isnan(y[k])) {
                continue;
            }
            Output& output = of_[k];
            const double value = std::clamp(y[k] * units[k], -kMost, kMost);
            output.rows = (kErrorMemory * output.rows) + 1.0;
            output.weight = (kMemory * output.weight) + 1.0;
            const double step = value - output.mean;
            output.mean += step / output.weight;
            output.variance += ((step * (value - output.mean)) - output.variance) / output.weight;
            find_scale(k);
        }
    }
    /// As ErrorTrack::change_unit.
    void change_unit(std::size_t k, double times) {
        of_[k].mean *= times;
        of_[k].variance = of_[k].variance * times * times;  // as in ErrorTrack
        find_scale(k);
    }
    /// 0 for an output that has not varied.
    [[nodiscard]] std::span<const double> scale() const { return scale_; }
    [[nodiscard]] double variance(std::size_t k) const { return scale_[k] > 0.0 ? of_[k].variance : 0.0; }

    void save(core::StateWriter& out) const {
        for (const Output& output : of_) {
            for (const double number : {output.mean, output.variance, output.weight, output.rows}) {
                out.put(number);
            }
        }
    }
    void load(core::StateReader& in) {
        for (std::size_t k = 0; k < of_.size(); ++k) {
            Output& output = of_[k];
            for (double* number : {&output.mean, &output.variance, &output.weight, &output.rows}) {
                in.get(*number);
            }
            in.require(std::abs(output.mean) <= kMost && output.variance >= 0.0 &&
                           output.variance <= 4.0 * kMost * kMost && output.weight >= 0.0 && output.weight <= 1e6 &&
                           output.rows >= 0.0 && output.rows <= 1e6,
                       "the mean, variance or weight of an output is out of range");
            find_scale(k);
        }
    }

  private:
    struct Output {
        double mean = 0.0;
        double variance = 0.0;
        double weight = 0.0;
        double rows = 0.0;
    };
    static constexpr double kMost = 1e150;

    void find_scale(std::size_t k) {
        const Output& output = of_[k];
        const double floor = 1e-12 * output.mean;  // rounding of the mean
        scale_[k] = output.variance > floor * floor ? output.variance * output.rows : 0.0;
    }

    std::vector<Output> of_;
    std::vector<double> scale_;
};

}  // namespace sluice::tune
