#include "learner.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "state.hpp"

namespace sluice::job {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double only_if_observed(double predicted, unsigned char observed) {
    return observed != 0 ? predicted : kUnknown;
}

}  // namespace

Learner::Learner(std::size_t inputs, std::size_t outputs, RowLayout layout, const AdaptiveOptions& options)
    : Learner(inputs, layout, AdaptiveModel(layout.width(inputs, outputs), outputs, options)) {}

Learner::Learner(std::size_t inputs, RowLayout layout, AdaptiveModel model)
    : layout_(std::move(layout)),
      stack_(inputs, model.outputs(), layout_),
      model_(std::move(model)),
      observed_(model_.outputs(), model_.current().rows_learned() > 0 ? 1 : 0),
      predicted_(model_.outputs(), kUnknown),
      forecast_(layout_.horizon > 0 ? model_.outputs() : 0, kUnknown),
      pending_x_(layout_.horizon * model_.inputs(), kUnknown),
      pending_y_(layout_.horizon * model_.outputs(), kUnknown) {}

void Learner::mark_observed(std::span<const double> y) {
    for (std::size_t j = 0; j < y.size(); ++j) {
        observed_[j] |= static_cast<unsigned char>(!std::isnan(y[j]));
    }
}

Learner::Step Learner::step(std::span<const double> row, std::span<const double> y) {
    const std::span<const double> x = stack_.push(row, y);
    Step step;
    if (layout_.horizon == 0) {
        step.report = model_.learn(x, y);
        std::ranges::transform(step.report->predicted, observed_, predicted_.begin(), only_if_observed);
        mark_observed(y);
    } else {
        const std::size_t slot = rows_ % layout_.horizon;
        const auto then_x = std::span(pending_x_).subspan(slot * x.size(), x.size());
        const auto then_y = std::span(pending_y_).subspan(slot * y.size(), y.size());
        std::ranges::copy(then_y, predicted_.begin());
        if (rows_ >= layout_.horizon) {
            step.report = model_.learn(then_x, y);
            mark_observed(y);
        }
        model_.predict(x, forecast_);
        std::ranges::transform(forecast_, observed_, forecast_.begin(), only_if_observed);
        std::ranges::copy(x, then_x.begin());
        std::ranges::copy(forecast_, then_y.begin());
        step.forecast = forecast_;
    }
    step.predicted = predicted_;
    ++rows_;
    return step;
}

std::span<const double> Learner::enter(std::span<const double> row) {
    assert(layout_.horizon == 0 && layout_.target_lags.empty());
    ++rows_;
    return stack_.push(row, {});
}

void Learner::predict(std::span<const double> x, std::span<double> y) const {
    model_.predict(x, y);
    std::ranges::transform(y, observed_, y.begin(), only_if_observed);
}

StepReport Learner::learn(std::span<const double> x, std::span<const double> y) {
    mark_observed(y);
    return model_.learn(x, y);
}

std::span<const double> Learner::forecast_made(std::size_t rows_ahead) const {
    assert(rows_ahead >= 1 && rows_ahead <= layout_.horizon);
    const std::size_t slot = (rows_ + rows_ahead - 1) % layout_.horizon;
    return std::span(pending_y_).subspan(slot * model_.outputs(), model_.outputs());
}

void Learner::save(core::StateWriter& out) const {
    out.put(rows_);
    out.put_all(observed_);
    stack_.save(out);
    out.put_raw(pending_x_);
    out.put_raw(pending_y_);
}

void Learner::load(core::StateReader& in) {
    in.get(rows_);
    in.get_all(observed_);
    stack_.load(in);
    in.get_raw(pending_x_);
    in.get_raw(pending_y_);
}

}  // namespace sluice::job
