// row_stack.hpp -- from rows of the data to rows of the model: the inputs at their lags, then the targets at theirs.
//
// With horizon H the x of row t predicts y[t+H], and holds only what is known when that prediction is made:
//     inputs                x[t-k]      for each k of `lags`
//     targets, H = 0        y[t-k]      for each k of `target_lags`: y[t] itself is predicted
//     targets, H > 0        y[t+1-k]    y[t] has arrived: it is the newest known value, at lag 1
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lags.hpp"
#include "sluice/model_file.hpp"

namespace sluice::job {

class RowStack {
  public:
    RowStack(std::size_t inputs, std::size_t targets, const RowLayout& layout);

    /// x of the row whose inputs are `row`. `y`, its outputs, is not used where the layout has no target lags; without a
    /// horizon it goes only into later rows. Valid until the next call, and as long as `row`.
    [[nodiscard]] std::span<const double> push(std::span<const double> row, std::span<const double> y);

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    LagStack inputs_;
    std::optional<LagStack> targets_;
    std::vector<double> stacked_;
};

}  // namespace sluice::job
