// correlation_columns.hpp -- columns of the correlation matrix R of weighted moments, each computed when first asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weighted_moments.hpp"

namespace sluice::baselines {

class CorrelationColumns {
  public:
    explicit CorrelationColumns(std::size_t inputs) : R_(inputs * inputs), computed_(inputs, 0) {}

    /// The moments have changed: no column is known.
    void renew() noexcept { ++time_; }
    [[nodiscard]] std::span<const double> column(const WeightedMoments& moments, std::size_t j) {
        const auto values = std::span(R_).subspan(j * computed_.size(), computed_.size());
        if (computed_[j] != time_) {
            computed_[j] = time_;
            moments.correlations(j, values);
        }
        return values;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return (R_.size() * sizeof(double)) + (computed_.size() * sizeof(std::uint64_t));
    }

  private:
    std::vector<double> R_;
    std::vector<std::uint64_t> computed_;  // the time at which a column was computed
    std::uint64_t time_ = 0;
};

}  // namespace sluice::baselines
