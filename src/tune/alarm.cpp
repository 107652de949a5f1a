#include "alarm.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "state.hpp"

namespace sluice::tune {

namespace {

// The evidence of an alarm would be found once in this number of rows by chance, if rows were independent. The table in
// mean_change.hpp has what less and more give.
constexpr double kRowsPerAlarm = 1e7;
// The same, after a fresh start. Alarms missed of 40 breaks of a relation (noise 1, one output), and false ones on the fault-free
// Tennessee Eastman run, whose outputs are new in every fifth row only: 10: 0, 1; 100: 0, 1; 1,000: 1, 0; 1e5: 4, 0; 1e7: 21, 0.
constexpr double kRowsPerFreshStart = 1e3;
constexpr std::size_t kRemembered = MeanChange::kMemory;
constexpr std::uint64_t kSettling = MeanChange::kLeast;  // rows at first that say nothing about later ones
constexpr double kFar = 100.0;                           // standard deviations; further away is no further evidence

// Quantile of the normal distribution at 1 - p, by Tukey's lambda: to 0.01 up to three standard deviations.
double normal_score(double p) {
    return 4.91 * (std::pow(1.0 - p, 0.14) - std::pow(p, 0.14));
}

}  // namespace

DriftAlarm::Errors::Errors() : ranks(kRemembered) {}

std::optional<DriftAlarm::Errors::Scores> DriftAlarm::Errors::add(double error) {
    if (settling < kSettling) {
        ++settling;
        return {};
    }
    const double size = std::abs(error);
    std::optional<Scores> scores;
    if (ranks.count() >= MeanChange::kLeast) {
        const double above = ranks.share_above(size);
        const double of_error = normal_score(0.5 * above);
        scores = Scores{.size = normal_score(above), .error = error < 0.0 ? -of_error : of_error};
    }
    // As in MeanChange: the last quarter of the rows, at most kRecent of them, is not compared with.
    waiting[met % waiting.size()] = size;
    ++met;
    if (ranked + std::min<std::uint64_t>(waiting.size() - 1, met / 4) < met) {
        ranks.add(waiting[ranked % waiting.size()]);
        ++ranked;
    }
    return scores;
}

void DriftAlarm::Errors::clear() noexcept {
    ranks.clear();
    waiting.fill(0.0);
    met = 0;
    ranked = 0;
    settling = 0;
}

DriftAlarm::DriftAlarm(std::size_t inputs, std::size_t outputs) : outputs_(outputs), range_(inputs) {}

std::optional<DriftAlarm::Break> DriftAlarm::add(std::span<const double> x, std::span<const double> forecast_errors,
                                                 std::span<const double> relation_errors,
                                                 const core::InputMoments* moments) {
    assert(forecast_errors.size() == outputs_.size() && relation_errors.size() == outputs_.size());
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        Output& output = outputs_[k];
        if (!std::isnan(forecast_errors[k])) {
            if (const auto scores = output.forecast.add(forecast_errors[k])) {
                output.forecast_size.add(scores->size);
            }
        }
        if (!std::isnan(relation_errors[k])) {
            if (const auto scores = output.relation.add(relation_errors[k])) {
                output.relation_size.add(scores->size);
                output.relation_error.add(scores->error);
            }
        }
    }
    const double deviation = range_.add(x, moments);
    if (rows_ < kSettling) {
        ++rows_;
    } else {
        inputs_.add(std::sqrt(std::min(deviation, kFar)));
    }
    const auto found = clearest(kRowsPerAlarm);
    if (found) {
        clear();
    }
    return found;
}

std::optional<DriftAlarm::Break> DriftAlarm::fresh_start(std::uint64_t rows) {
    auto found = clearest(kRowsPerFreshStart);
    if (found) {
        found->rows = rows;
        clear();
    } else {
        for (Output& output : outputs_) {
            output.clear_relation();
        }
    }
    return found;
}

std::optional<DriftAlarm::Break> DriftAlarm::clearest(double rows_per_alarm) const {
    std::optional<Break> out;
    double most = std::log(rows_per_alarm * static_cast<double>((3 * outputs_.size()) + 1));  // any series may show it
    const auto test = [&](const MeanChange& series, Kind kind, std::size_t output) {
        if (!series.may_exceed(most)) {
            return;
        }
        const MeanChange::Finding finding = series.test();
        if (finding.evidence > most) {
            most = finding.evidence;
            out = Break{.kind = kind, .output = output, .rows = series.since(finding)};
        }
    };
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        test(outputs_[k].forecast_size, Kind::forecast, k);
        test(outputs_[k].relation_size, Kind::relation, k);
        test(outputs_[k].relation_error, Kind::bias, k);
    }
    test(inputs_, Kind::inputs, 0);
    return out;
}

void DriftAlarm::Output::clear_relation() noexcept {
    relation.clear();
    relation_size.clear();
    relation_error.clear();
}

void DriftAlarm::clear() noexcept {
    rows_ = 0;
    for (Output& output : outputs_) {
        output.forecast.clear();
        output.forecast_size.clear();
        output.clear_relation();
    }
    range_.clear();
    inputs_.clear();
}

void DriftAlarm::Errors::save(core::StateWriter& out) const {
    ranks.save(out);
    out.put(met);
    out.put(ranked);
    out.put(settling);
    for (std::uint64_t row = ranked; row < met; ++row) {
        out.put(waiting[row % waiting.size()]);
    }
}

void DriftAlarm::Errors::load(core::StateReader& in) {
    ranks.load(in);
    in.get(met);
    in.get(ranked);
    in.get(settling);
    if (!in.current()) {
        in.get_all(std::span<double>(waiting));
    }
    in.require(ranked <= met && met - ranked < waiting.size() &&
                   ranks.count() == std::min<std::uint64_t>(ranked, kRemembered) && settling <= kSettling,
               "the alarm's errors do not belong together");
    if (in.current()) {
        waiting.fill(0.0);
        for (std::uint64_t row = ranked; row < met; ++row) {
            in.get(waiting[row % waiting.size()]);
        }
    }
    in.require(std::ranges::all_of(waiting, [](double size) { return size >= 0.0; }),
               "the size of an error is negative");
}

void DriftAlarm::save(core::StateWriter& out) const {
    out.put(rows_);
    for (const Output& output : outputs_) {
        output.forecast.save(out);
        output.relation.save(out);
        for (const MeanChange* series : {&output.forecast_size, &output.relation_size, &output.relation_error}) {
            series->save(out);
        }
    }
    range_.save(out);
    inputs_.save(out);
}

void DriftAlarm::load(core::StateReader& in) {
    in.get(rows_);
    in.require(rows_ <= kSettling, "the alarm's number of first rows is out of range");
    for (Output& output : outputs_) {
        output.forecast.load(in);
        output.relation.load(in);
        for (MeanChange* series : {&output.forecast_size, &output.relation_size, &output.relation_error}) {
            series->load(in);
        }
    }
    range_.load(in);
    inputs_.load(in);
}

}  // namespace sluice::tune
