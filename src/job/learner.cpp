#include "learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "state.hpp"

namespace sluice::job {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double known_only(double predicted, unsigned char seen) {
    return seen != 0 ? predicted : kUnknown;
}

}  // namespace

Learner::Learner(std::size_t inputs, std::size_t outputs, Shape shape, const AdaptiveOptions& options)
    : Learner(inputs, shape, AdaptiveModel(inputs * shape.lags.size(), outputs, options)) {}

Learner::Learner(std::size_t inputs, Shape shape, AdaptiveModel model)
    : shape_(std::move(shape)),
      lags_(inputs, shape_.lags),
      model_(std::move(model)),
      seen_(model_.outputs(), 0),
      predicted_(model_.outputs(), kUnknown),
      forecast_(shape_.horizon > 0 ? model_.outputs() : 0, kUnknown),
      waiting_x_(shape_.horizon * model_.inputs(), kUnknown),
      waiting_y_(shape_.horizon * model_.outputs(), kUnknown) {}

void Learner::note_seen(std::span<const double> y) {
    for (std::size_t j = 0; j < y.size(); ++j) {
        seen_[j] |= static_cast<unsigned char>(!std::isnan(y[j]));
    }
}

Learner::Step Learner::step(std::span<const double> row, std::span<const double> y) {
    const std::span<const double> x = lags_.push(row);
    Step step;
    if (shape_.horizon == 0) {
        step.report = model_.learn(x, y);
        std::ranges::transform(step.report->predicted, seen_, predicted_.begin(), known_only);
        note_seen(y);
    } else {
        const std::size_t slot = rows_ % shape_.horizon;
        const auto then_x = std::span(waiting_x_).subspan(slot * x.size(), x.size());
        const auto then_y = std::span(waiting_y_).subspan(slot * y.size(), y.size());
        std::ranges::copy(then_y, predicted_.begin());
        if (rows_ >= shape_.horizon) {
            step.report = model_.learn(then_x, y);
            note_seen(y);
        }
        model_.predict(x, forecast_);
        std::ranges::transform(forecast_, seen_, forecast_.begin(), known_only);
        std::ranges::copy(x, then_x.begin());
        std::ranges::copy(forecast_, then_y.begin());
        step.forecast = forecast_;
    }
    step.predicted = predicted_;
    ++rows_;
    return step;
}

void Learner::save(core::StateWriter& out) const {
    out.put(rows_);
    out.put_all(seen_);
    lags_.save(out);
    out.put_raw(waiting_x_);
    out.put_raw(waiting_y_);
}

void Learner::load(core::StateReader& in) {
    in.get(rows_);
    in.get_all(seen_);
    lags_.load(in);
    in.get_raw(waiting_x_);
    in.get_raw(waiting_y_);
}

}  // namespace sluice::job
