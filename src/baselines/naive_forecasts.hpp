// naive_forecasts.hpp -- forecasts from the outputs alone: what any model must beat.
//
//     running mean           y_k(t) = mean of all values of output k before t
//     last value             y_k(t) = the last known value of output k
//     seasonal last value    y_k(t) = the last known value of output k at the same place of the season: that of row
//                            t - m, or t - 2 m, ... ; before there is any, the last known value
//
//   code      letter   meaning
//   season    m        rows of a season. Every row counts for the place, also one without outputs.
//
// Inputs are checked and not used. An output without any value yet is predicted as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "method.hpp"

namespace sluice::baselines {

class RunningMean final : public Method {
  public:
    RunningMean(std::size_t inputs, std::size_t outputs);
    void predict(std::span<const double> x, std::span<double> y) const override;
    void learn(std::span<const double> x, std::span<const double> y) override;
    [[nodiscard]] std::vector<std::size_t> selected() const override { return {}; }
    [[nodiscard]] std::size_t bytes() const override;
    [[nodiscard]] std::unique_ptr<Method> clone() const override { return std::make_unique<RunningMean>(*this); }

  private:
    std::size_t inputs_;
    std::vector<double> mean_;
    std::vector<std::uint64_t> count_;
};

class SeasonalLastValue final : public Method {
  public:
    /// A season of one row: the last value.
    SeasonalLastValue(std::size_t inputs, std::size_t outputs, std::size_t season);
    void predict(std::span<const double> x, std::span<double> y) const override;
    void learn(std::span<const double> x, std::span<const double> y) override;
    [[nodiscard]] std::vector<std::size_t> selected() const override { return {}; }
    [[nodiscard]] std::size_t bytes() const override;
    [[nodiscard]] std::unique_ptr<Method> clone() const override { return std::make_unique<SeasonalLastValue>(*this); }

  private:
    std::size_t inputs_;
    std::size_t season_;
    std::uint64_t rows_ = 0;
    std::vector<double> last_;        // by output; NaN before any value
    std::vector<double> same_place_;  // by place of the season and output; NaN before any value
};

}  // namespace sluice::baselines
