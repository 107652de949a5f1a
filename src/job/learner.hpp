// learner.hpp -- a model on a stream as it arrives: lags before it (row_stack.hpp), and a horizon between inputs and their
// outputs (horizon.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "horizon.hpp"
#include "row_stack.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/model_file.hpp"
#include "sluice/report.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

/// Whether Tuning::intercept suits a stream. With a horizon an error is known that many rows late: the drift of the
/// intercept would follow outdated errors.
[[nodiscard]] inline bool intercept_may_drift(std::size_t horizon) {
    return horizon == 0;
}

class Learner {
  public:
    /// `inputs` are the columns before lags.
    Learner(std::size_t inputs, std::size_t outputs, RowLayout layout, const AdaptiveOptions& options);
    /// A model that has learnt before. Its last rows come with load(); without it lags begin as missing.
    Learner(std::size_t inputs, RowLayout layout, AdaptiveModel model);

    struct Step {
        /// For this row, made before its outputs were learnt; with a horizon, `horizon` rows before. NaN where that
        /// output had not been observed yet.
        std::span<const double> predicted;
        std::span<const double> forecast;  ///< for the row `horizon` rows ahead; empty without a horizon
        std::optional<StepReport> report;  ///< none before the first label arrives
    };
    /// The spans stay valid until the next call.
    [[nodiscard]] Step step(std::span<const double> row, std::span<const double> y);

    /// Where labels come late (late_labels.hpp), instead of step(): x of the next row; what it predicts, NaN where that
    /// output has not been observed yet; and later the label of a row with the x of that row. Valid until the next call.
    /// The layout has neither target lags nor a horizon.
    [[nodiscard]] std::span<const double> enter(std::span<const double> row);
    void predict(std::span<const double> x, std::span<double> y) const;
    StepReport learn(std::span<const double> x, std::span<const double> y);

    /// What a prediction of the rows that follow begins with: the last rows, how many there were, and with a horizon the
    /// forecasts already made, for the next row (1) to the one `horizon` rows ahead.
    [[nodiscard]] const RowStack& stack() const noexcept { return stack_; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return horizon_.rows(); }
    [[nodiscard]] std::span<const double> forecast_made(std::size_t rows_ahead) const {
        return horizon_.forecast_made(rows_ahead);
    }

    [[nodiscard]] const AdaptiveModel& model() const& noexcept { return model_; }
    [[nodiscard]] AdaptiveModel model() && { return std::move(model_); }
    [[nodiscard]] const RowLayout& layout() const noexcept { return layout_; }

    /// Everything but the model itself.
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    RowLayout layout_;
    RowStack stack_;
    AdaptiveModel model_;
    Horizon horizon_;
};

}  // namespace sluice::job
