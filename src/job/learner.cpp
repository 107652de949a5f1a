#include "learner.hpp"

#include <cassert>
#include <utility>

#include "state.hpp"

namespace sluice::job {

namespace {

// The model as Horizon calls it, and the report of what it learnt last.
struct Reporting {
    AdaptiveModel& model;
    std::optional<StepReport>& report;

    [[nodiscard]] std::span<const double> predict_and_learn(std::span<const double> x, std::span<const double> y) {
        report = model.learn(x, y);
        return report->predicted;
    }
    void learn(std::span<const double> x, std::span<const double> y) { report = model.learn(x, y); }
    void predict(std::span<const double> x, std::span<double> y) const { model.predict(x, y); }
};

}  // namespace

Learner::Learner(std::size_t inputs, std::size_t outputs, RowLayout layout, const AdaptiveOptions& options)
    : Learner(inputs, layout, AdaptiveModel(layout.width(inputs, outputs), outputs, options)) {}

Learner::Learner(std::size_t inputs, RowLayout layout, AdaptiveModel model)
    : layout_(std::move(layout)),
      stack_(inputs, model.outputs(), layout_),
      model_(std::move(model)),
      horizon_(layout_.horizon, model_.inputs(), model_.outputs(), model_.current().rows_learned() > 0) {}

Learner::Step Learner::step(std::span<const double> row, std::span<const double> y) {
    Step step;
    Reporting model{.model = model_, .report = step.report};
    const Horizon::Step made = horizon_.step(model, stack_.push(row, y), y);
    step.predicted = made.predicted;
    step.forecast = made.forecast;
    return step;
}

std::span<const double> Learner::enter(std::span<const double> row) {
    assert(layout_.horizon == 0 && layout_.target_lags.empty());
    horizon_.count_row();
    return stack_.push(row, {});
}

void Learner::predict(std::span<const double> x, std::span<double> y) const {
    model_.predict(x, y);
    horizon_.hide_unobserved(y);
}

StepReport Learner::learn(std::span<const double> x, std::span<const double> y) {
    horizon_.mark_observed(y);
    return model_.learn(x, y);
}

void Learner::save(core::StateWriter& out) const {
    horizon_.save_counts(out);
    stack_.save(out);
    horizon_.save_pending(out);
}

void Learner::load(core::StateReader& in) {
    horizon_.load_counts(in);
    stack_.load(in);
    horizon_.load_pending(in);
}

}  // namespace sluice::job
