#include "comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "score_state.hpp"

namespace sluice::job {

// Without a horizon too a forecast is made one row before its own.
Comparison::Comparison(std::size_t outputs, std::size_t horizon)
    : scores_(outputs), observed_(outputs, 0), known_(outputs), pending_(outputs * std::max<std::size_t>(horizon, 1)) {}

void Comparison::learn(std::size_t output, double observed) {
    if (std::isnan(observed)) {
        return;
    }
    Forecast& known = known_[output];
    const double before = observed_[output] > 0 ? known.mean : 0.0;
    const auto values = static_cast<double>(++observed_[output]);
    known.mean = before + ((observed / values) - (before / values));  // observed - before may be too large a number
    known.last_value = observed;
}

void Comparison::score(std::size_t output, double predicted, const Forecast& then, double observed) {
    if (!std::isnan(predicted) && !std::isnan(then.last_value)) {
        scores_[output].model.add(observed, predicted);
        scores_[output].mean.add(observed, then.mean);
        scores_[output].last_value.add(observed, then.last_value);
    }
}

void Comparison::add_label(std::span<const double> predicted, std::span<const Forecast> then,
                           std::span<const double> observed, bool scored) {
    for (std::size_t j = 0; j < scores_.size(); ++j) {
        if (scored) {
            score(j, predicted[j], then[j], observed[j]);
        }
        learn(j, observed[j]);
    }
}

void Comparison::add(std::span<const double> predicted, std::span<const double> observed, bool scored) {
    const std::size_t outputs = scores_.size();
    const std::size_t rows_ahead = pending_.size() / outputs;
    const auto forecast = std::span(pending_).subspan((rows_ % rows_ahead) * outputs, outputs);
    for (std::size_t j = 0; j < outputs; ++j) {
        if (scored) {
            score(j, predicted[j], forecast[j], observed[j]);
        }
        learn(j, observed[j]);
        forecast[j] = known_[j];
    }
    ++rows_;
}

void Comparison::save(core::StateWriter& out) const {
    out.put(rows_);
    for (const Scores& scores : scores_) {
        for (const Score* score : {&scores.model, &scores.mean, &scores.last_value}) {
            put_sums(out, score->sums());
            put_exponent(out, score->sums());
        }
    }
    out.put_all(observed_);
    for (const auto* forecasts : {&known_, &pending_}) {
        for (const Forecast& forecast : *forecasts) {
            out.put_raw(std::array{forecast.mean, forecast.last_value});
        }
    }
}

void Comparison::load(core::StateReader& in, std::uint64_t most) {
    in.get(rows_);
    in.require(rows_ <= most, "more rows were compared than read");
    for (Scores& scores : scores_) {
        for (Score* score : {&scores.model, &scores.mean, &scores.last_value}) {
            Score::Sums sums = get_sums(in, rows_);
            sums.exponent = get_exponent(in);
            score->restore(sums);
        }
        in.require(scores.mean.count() == scores.model.count() && scores.last_value.count() == scores.model.count(),
                   "the model was compared over other rows than the mean and the last value");
    }
    in.get_all(observed_);
    for (auto* forecasts : {&known_, &pending_}) {
        for (Forecast& forecast : *forecasts) {
            std::array<double, 2> numbers{};
            in.get_raw(numbers);
            forecast = {.mean = numbers[0], .last_value = numbers[1]};
            in.require(std::isnan(forecast.mean) == std::isnan(forecast.last_value),
                       "a mean is known without a last value, or a last value without a mean");
        }
    }
    for (std::size_t j = 0; j < observed_.size(); ++j) {
        in.require(observed_[j] <= rows_ && (observed_[j] == 0) == std::isnan(known_[j].last_value),
                   "a mean contradicts the number of its values");
    }
}

}  // namespace sluice::job
