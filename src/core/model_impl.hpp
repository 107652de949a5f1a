// model_impl.hpp -- what a StreamModel consists of, and how a row goes through it. src/tune builds on it.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absent_outputs.hpp"
#include "moments.hpp"
#include "predictor.hpp"
#include "sluice/model.hpp"
#include "state.hpp"
#include "step.hpp"
#include "working_units.hpp"

namespace sluice {

class StreamModel::Impl {
  public:
    Impl(std::size_t inputs, std::size_t outputs, StreamOptions options);

    /// Predicts the row, learns from it, and reports.
    [[nodiscard]] StepReport learn(std::span<const double> x, std::span<const double> y, bool in_range);

    /// What a caller may want otherwise (src/tune).
    struct Request {
        bool update_selection = true;  // false: variables and coefficients stay as they are, on moments that go on
        std::optional<std::span<const std::size_t>> held = std::nullopt;  // by hold_bonus; else what was selected last
    };
    /// One row through Algorithm 2. prediction: of this row, by the model as it is.
    Outcome update(std::span<const double> x, std::span<const double> y, bool in_range,
                   std::span<const double> prediction, const Request& request);
    /// What update() did, without prediction, error and changes of the selection.
    void describe(StepReport& report);

    /// Another fit on the same moments predicts from now on (src/tune): another shrinkage of the refit, or variables that were
    /// chosen elsewhere.
    void use_shrinkage(double shrinkage, std::span<const double> beta);
    void use_fit(const core::Coefficients& fit, double shrinkage);

    [[nodiscard]] std::size_t inputs() const noexcept { return moments_.inputs.size(); }
    [[nodiscard]] std::size_t outputs() const noexcept { return moments_.outputs.size(); }
    [[nodiscard]] const StreamOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::uint64_t rows_met() const noexcept { return rows_met_; }
    [[nodiscard]] const core::Moments& moments() const noexcept { return moments_; }
    [[nodiscard]] const core::WorkingUnits& units() const noexcept { return units_; }
    [[nodiscard]] const core::Step& step() const noexcept { return step_; }
    [[nodiscard]] core::Predictor predictor() const { return {moments_, units_, options_.clip}; }
    void predict(std::span<const double> x, std::span<double> y) const {
        predictor().predict(step_.fit().selected, step_.fit().beta, x, y);
    }

    void change_engine(Engine engine);
    void append(const Impl& later);
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    void switch_engine_if_screen_fails();
    [[nodiscard]] double explained_covariance();

    StreamOptions options_;
    std::uint64_t rows_met_ = 0;
    double screen_failure_rate_ =
        0.0;  // discounted number of recent rows in which the screen could not tell inputs apart
    core::Moments moments_;
    core::WorkingUnits units_;
    core::Step step_;
    core::AbsentOutputs absent_;
    std::size_t missing_inputs_ = 0;  // of the last row
    Outcome outcome_ = Outcome::learned;

    std::vector<double> scaled_;  // D u
    std::vector<double> inner_;   // g

    // What a report points to.
    std::vector<double> predicted_;
    std::vector<std::size_t> before_;
    std::vector<std::size_t> entered_;
    std::vector<std::size_t> left_;
};

/// The way in for src/tune.
struct core::ModelAccess {
    [[nodiscard]] static StreamModel::Impl& impl(StreamModel& model) { return model.impl(); }
    [[nodiscard]] static const StreamModel::Impl& impl(const StreamModel& model) { return model.impl(); }
    /// StreamModel::load() of a model that gets more inputs than its bytes have. keep: then replaces the option, which
    /// src/tune derives from the number of inputs.
    [[nodiscard]] static StreamModel load(std::span<const std::byte> bytes, std::size_t added_inputs = 0,
                                          const std::vector<std::size_t>& keep = {});
};

}  // namespace sluice
