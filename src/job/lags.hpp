// lags.hpp -- columns as they are now and as they were some rows ago, side by side: u, u@-1, u@-2, ...
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
/// The same for the targets' own lags, which begin at 1: "1:5".
[[nodiscard]] std::vector<std::size_t> parse_target_lags(std::string_view text);

/// The last rows of some columns.
class LagStack {
  public:
    LagStack(std::size_t columns, std::vector<std::size_t> lags);

    /// Fills `stacked`, width() numbers, from `row` and the rows before it; those before the first are missing (NaN).
    void push(std::span<const double> row, std::span<double> stacked);
    [[nodiscard]] std::size_t width() const noexcept { return columns_ * lags_.size(); }
    /// Whether a stacked row is the row as it is.
    [[nodiscard]] bool only_present_row() const noexcept { return rows_ == 1; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    std::size_t columns_;
    std::vector<std::size_t> lags_;
    std::size_t rows_;          // kept: as many as the largest lag, and the present one
    std::size_t newest_ = 0;    // position of the newest in the ring
    std::vector<double> ring_;  // rows_ x columns_
};

}  // namespace sluice::job
