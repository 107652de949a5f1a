#include "experiments/alarms/detectors.hpp"

#include <algorithm>
#include <cmath>

#include "adaptive_window.hpp"
#include "pca_chart.hpp"
#include "sluice/adaptive.hpp"

namespace sluice::experiments {

namespace {

constexpr double kAdwinDelta = 0.002;    // as Bifet and Gavalda have it
constexpr double kErrorRange = 4.0;      // standard deviations of the outputs that make an error of 1
constexpr std::size_t kConsecutive = 6;  // as Russell, Chiang and Braatz have it

// Of each output in the first rows.
std::vector<double> deviations_of(const AlarmStream& stream) {
    const auto n = static_cast<double>(stream.fault_free);
    std::vector<double> out(stream.q);
    for (std::size_t k = 0; k < stream.q; ++k) {
        double mean = 0.0;
        for (std::size_t t = 0; t < stream.fault_free; ++t) {
            mean += stream.y_row(t)[k] / n;
        }
        double square = 0.0;
        for (std::size_t t = 0; t < stream.fault_free; ++t) {
            square += (stream.y_row(t)[k] - mean) * (stream.y_row(t)[k] - mean) / n;
        }
        out[k] = std::sqrt(square);
    }
    return out;
}

void model_alarms(const AlarmStream& stream, Alarms& alarms) {
    AdaptiveModel model(stream.p, stream.q);
    baselines::AdaptiveWindow window(kAdwinDelta);
    const std::vector<double> deviation = deviations_of(stream);
    const auto of = [&](Detector detector) -> std::vector<std::size_t>& {
        return alarms[static_cast<std::size_t>(detector)];
    };
    for (std::size_t t = 0; t < stream.rows(); ++t) {
        const StepReport report = model.learn(stream.x_row(t), stream.y_row(t));
        if (report.outcome == Outcome::drift) {
            of(Detector::sluice).push_back(t);
            if (report.alarm.error) {
                of(Detector::sluice_errors).push_back(t);
            }
        }
        double square = 0.0;
        for (std::size_t k = 0; k < stream.q; ++k) {
            const double error = (stream.y_row(t)[k] - report.predicted[k]) / (kErrorRange * deviation[k]);
            square += error * error / static_cast<double>(stream.q);
        }
        if (window.add(std::min(std::sqrt(square), 1.0)) == baselines::AdaptiveWindow::Change::rose) {
            of(Detector::adwin).push_back(t);
        }
    }
}

void chart_alarms(const AlarmStream& stream, std::size_t components, Alarms& alarms) {
    const Rows train(std::span(stream.measurements).first(stream.fault_free * stream.measured), stream.measured);
    const baselines::PcaChart chart(train, {.components = components});
    baselines::ConsecutiveRule t2(kConsecutive);
    baselines::ConsecutiveRule spe(kConsecutive);
    for (std::size_t t = stream.fault_free; t < stream.rows(); ++t) {
        const auto found = chart.measure(stream.measured_row(t));
        if (t2.add(found.t2 > chart.limits().t2)) {
            alarms[static_cast<std::size_t>(Detector::t2)].push_back(t);
        }
        if (spe.add(found.spe > chart.limits().spe)) {
            alarms[static_cast<std::size_t>(Detector::spe)].push_back(t);
        }
    }
}

}  // namespace

Alarms detect(const AlarmStream& stream, std::size_t components) {
    Alarms alarms;
    model_alarms(stream, alarms);
    chart_alarms(stream, components, alarms);
    return alarms;
}

std::size_t count_between(std::span<const std::size_t> rows, std::size_t first, std::size_t end) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [&](std::size_t row) { return row >= first && row < end; }));
}

}  // namespace sluice::experiments
