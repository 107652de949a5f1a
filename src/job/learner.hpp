// learner.hpp -- a model on a stream as it arrives: lags before it, and a horizon between inputs and their outputs.
//
// With horizon H the inputs of row t predict the outputs of row t + H. At row t, in this order:
//     learn (x[t-H], y[t])  -- the label has arrived --  and score the forecast made at row t - H
//     forecast y[t+H] from x[t]
// so that no forecast ever saw a label later than its own row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lags.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/report.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

/// How a row of the stream becomes a row of the model.
struct Shape {
    std::vector<std::size_t> lags = {0};
    std::size_t horizon = 0;
    friend bool operator==(const Shape&, const Shape&) = default;
};

class Learner {
  public:
    Learner(std::size_t inputs, std::size_t outputs, Shape shape, const AdaptiveOptions& options);
    Learner(std::size_t inputs, Shape shape, AdaptiveModel model);  ///< load() must follow

    struct Step {
        /// For this row, made before its outputs were learnt (with a horizon: so many rows before). NaN where nothing
        /// was known yet: no output of that kind had been seen.
        std::span<const double> predicted;
        std::span<const double> forecast;  ///< for the row `horizon` rows ahead; empty without a horizon
        std::optional<StepReport> report;  ///< none while the first label is awaited
    };
    /// The spans stay valid until the next call.
    [[nodiscard]] Step step(std::span<const double> row, std::span<const double> y);

    [[nodiscard]] const AdaptiveModel& model() const noexcept { return model_; }
    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }

    /// Everything but the model itself.
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    void note_seen(std::span<const double> y);

    Shape shape_;
    LagStack lags_;
    AdaptiveModel model_;
    std::uint64_t rows_ = 0;
    std::vector<unsigned char> seen_;  // outputs that have been observed
    std::vector<double> predicted_;
    std::vector<double> forecast_;
    std::vector<double> waiting_x_;  // horizon x stacked inputs, a ring by row number
    std::vector<double> waiting_y_;  // the forecasts made with them
};

}  // namespace sluice::job
