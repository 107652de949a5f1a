// horizon.hpp -- the order in which a model meets rows whose outputs come after their inputs.
//
// With horizon H the inputs of row t predict the outputs of row t + H. At row t, in this order:
//     learn (x[t-H], y[t])  -- the label has arrived --  and score the forecast made at row t - H
//     forecast y[t+H] from x[t]
// so that no forecast uses a label later than its own row. Without a horizon row t is predicted, then learnt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class Horizon {
  public:
    /// `observed`: whether the model has met every output before.
    Horizon(std::size_t rows_ahead, std::size_t inputs, std::size_t outputs, bool observed = false);

    /// Spans stay valid until the next call.
    struct Step {
        /// For this row, made before its outputs were learnt; with a horizon, that many rows before. NaN where that output
        /// had not been observed yet.
        std::span<const double> predicted;
        std::span<const double> forecast;  ///< for the row `rows_ahead` rows ahead; empty without a horizon
        bool learnt = false;               ///< false before the first label arrives
    };
    /// The next row. `model` has
    ///     std::span<const double> predict_and_learn(x, y)     what it predicted before it learnt
    ///     void learn(x, y)
    ///     void predict(x, y)                                  writes y
    template <typename Model>
    [[nodiscard]] Step step(Model& model, std::span<const double> x, std::span<const double> y);

    /// Where labels come late: a row of which nothing is learnt yet, and later its label.
    void count_row() { ++rows_; }
    void mark_observed(std::span<const double> y);
    /// NaN in place of each prediction of an output that has not been observed yet.
    void hide_unobserved(std::span<double> predicted) const;

    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::size_t rows_ahead() const noexcept { return rows_ahead_; }
    /// The forecast made for the next row (1) to the one `rows_ahead` rows ahead.
    [[nodiscard]] std::span<const double> forecast_made(std::size_t ahead) const;

    void save_counts(core::StateWriter& out) const;
    void load_counts(core::StateReader& in);
    void save_pending(core::StateWriter& out) const;
    void load_pending(core::StateReader& in);

  private:
    std::size_t rows_ahead_;
    std::size_t inputs_;
    std::uint64_t rows_ = 0;
    std::vector<unsigned char> observed_;  // whether each output has been observed
    std::vector<double> predicted_;
    std::vector<double> forecast_;
    std::vector<double> pending_x_;  // rows ahead x inputs, a ring by row number
    std::vector<double> pending_y_;  // the forecasts made with them
};

template <typename Model>
Horizon::Step Horizon::step(Model& model, std::span<const double> x, std::span<const double> y) {
    Step step;
    if (rows_ahead_ == 0) {
        std::ranges::copy(model.predict_and_learn(x, y), predicted_.begin());
        hide_unobserved(predicted_);
        mark_observed(y);
        step.learnt = true;
    } else {
        const auto slot = static_cast<std::size_t>(rows_ % rows_ahead_);
        const auto then_x = std::span(pending_x_).subspan(slot * inputs_, inputs_);
        const auto then_y = std::span(pending_y_).subspan(slot * y.size(), y.size());
        std::ranges::copy(then_y, predicted_.begin());
        if (rows_ >= rows_ahead_) {
            model.learn(then_x, y);
            mark_observed(y);
            step.learnt = true;
        }
        model.predict(x, std::span(forecast_));
        hide_unobserved(forecast_);
        std::ranges::copy(x, then_x.begin());
        std::ranges::copy(forecast_, then_y.begin());
        step.forecast = forecast_;
    }
    step.predicted = predicted_;
    ++rows_;
    return step;
}

}  // namespace sluice::job
