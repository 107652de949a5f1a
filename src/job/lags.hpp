// lags.hpp -- each input as it is now and as it was some rows ago, side by side: u, u@-1, u@-2, ...
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

constexpr std::size_t kLongestLag = 100'000;

/// "0:15" or "0,1,5" or both mixed. Ascending, each once. Throws UsageError.
[[nodiscard]] std::vector<std::size_t> parse_lags(std::string_view text);

class LagStack {
  public:
    LagStack(std::size_t inputs, std::vector<std::size_t> lags);

    /// The stacked row of `row` and the rows before it; those before the first are missing (NaN). Valid until the next
    /// call.
    [[nodiscard]] std::span<const double> push(std::span<const double> row);
    [[nodiscard]] std::size_t width() const noexcept { return inputs_ * lags_.size(); }
    [[nodiscard]] std::span<const std::size_t> lags() const noexcept { return lags_; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    std::size_t inputs_;
    std::vector<std::size_t> lags_;
    std::size_t rows_;          // kept: as many as the largest lag, and the present one
    std::size_t newest_ = 0;    // position of the newest in the ring
    std::vector<double> ring_;  // rows_ x inputs_
    std::vector<double> stacked_;
};

}  // namespace sluice::job
