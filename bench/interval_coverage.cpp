#include "interval_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"
#include "tasks.hpp"

namespace sluice::bench {

namespace {

std::vector<PredictedStream> of_outputs(const std::string& name, std::size_t outputs, std::size_t warmup) {
    std::vector<PredictedStream> streams(outputs, {.name = name, .warmup = warmup});
    for (std::size_t j = 0; j < outputs; ++j) {
        streams[j].output = j;
    }
    return streams;
}

void learn(AdaptiveModel& model, std::span<const double> x, std::span<const double> y,
           std::vector<PredictedStream>& streams) {
    const StepReport report = model.learn(x, y);
    for (std::size_t j = 0; j < y.size(); ++j) {
        streams[j].predicted.push_back(report.predicted[j]);
        streams[j].observed.push_back(y[j]);
    }
}

}  // namespace

std::vector<PredictedStream> predict_tasks(const std::filesystem::path& folder) {
    std::vector<PredictedStream> all;
    for (const Task& task : read_tasks(folder)) {
        const auto rows = read_rows(folder, task);
        if (!rows) {
            continue;
        }
        auto streams = of_outputs(task.name, rows->outputs, task.warmup);
        AdaptiveModel model(rows->inputs, rows->outputs, {});
        for (std::size_t t = 0; t < rows->count(); ++t) {
            learn(model, std::span(rows->x).subspan(t * rows->inputs, rows->inputs),
                  std::span(rows->y).subspan(t * rows->outputs, rows->outputs), streams);
        }
        all.insert(all.end(), streams.begin(), streams.end());
    }
    return all;
}

const std::vector<BreakingFactors>& breaking_factors() {
    static const std::vector<BreakingFactors> all = {{.break_every = 250},
                                                     {.break_every = 500},
                                                     {.break_every = 1000},
                                                     {.break_every = 500, .drift = 0.01},
                                                     {.break_every = 333, .drift = 0.02}};
    return all;
}

std::vector<PredictedStream> predict_factors(const BreakingFactors& kind, std::size_t rows, std::uint64_t seed) {
    constexpr std::size_t kWarmup = 100;
    const FactorOptions options{.outputs = 2, .drift = kind.drift, .break_every = kind.break_every};
    FactorStream source(options, seed);
    AdaptiveModel model(options.inputs, options.outputs, {});
    auto streams = of_outputs(fmt::format("breaks every {}, drift {:g}, seed {}", kind.break_every, kind.drift, seed),
                              options.outputs, kWarmup);
    std::vector<double> x(options.inputs);
    std::vector<double> y(options.outputs);
    for (std::size_t t = 0; t < rows; ++t) {
        source.next(x, y);
        learn(model, x, y, streams);
    }
    return streams;
}

IntervalFigures measure_intervals(const PredictedStream& stream, double coverage, IntervalMethod& method,
                                  std::size_t late) {
    std::deque<std::pair<std::size_t, std::optional<Interval>>> pending;
    IntervalFigures figures;
    std::vector<unsigned char> inside;
    for (std::size_t t = 0; t < stream.observed.size(); ++t) {
        if (std::isnan(stream.observed[t])) {
            continue;
        }
        const auto given = method.interval(stream.predicted[t]);
        pending.emplace_back(t, given);
        if (pending.size() > late) {
            const auto& [row, then] = pending.front();
            method.add(stream.predicted[row], stream.observed[row], then);
            pending.pop_front();
        }
        if (t < stream.warmup || !given) {
            continue;
        }
        inside.push_back(given->contains(stream.observed[t]) ? 1 : 0);
        figures.width += given->high - given->low;
        figures.finite = figures.finite && std::isfinite(given->low) && std::isfinite(given->high);
    }
    figures.rows = inside.size();
    const auto rows = static_cast<double>(std::max<std::size_t>(inside.size(), 1));
    figures.width /= rows;
    std::size_t hits = 0;
    for (std::size_t t = 0; t < inside.size(); ++t) {
        hits += inside[t];
        figures.coverage += static_cast<double>(inside[t]) / rows;
        if (t >= kIntervalWindow) {
            hits -= inside[t - kIntervalWindow];
        }
        const double now = static_cast<double>(hits) / static_cast<double>(kIntervalWindow);
        const double worst = figures.worst_window ? std::abs(*figures.worst_window - coverage) : -1.0;
        if (t + 1 >= kIntervalWindow && std::abs(now - coverage) > worst) {
            figures.worst_window = now;
        }
    }
    return figures;
}

IntervalSummary summarize(const NamedMethod& method, std::span<const PredictedStream> streams, double coverage,
                          std::size_t late) {
    constexpr double kRounding = 1e-9;  // of the division of counts
    IntervalSummary all{.method = method.name, .streams = streams.size()};
    double log_width = 0.0;
    for (const PredictedStream& stream : streams) {
        const auto figures = measure_intervals(stream, coverage, *method.make(), late);
        const auto gaussian = measure_intervals(stream, coverage, *gaussian_intervals(coverage).make(), late);
        const double off = std::abs(figures.coverage - coverage);
        const double window_off = figures.worst_window ? std::abs(*figures.worst_window - coverage) : 0.0;
        all.off = std::max(all.off, off);
        all.beyond_coverage += off > kCoverageGoal + kRounding ? 1U : 0U;
        all.window_off = std::max(all.window_off, window_off);
        all.beyond_window += window_off > kWindowGoal + kRounding ? 1U : 0U;
        log_width += std::log(figures.width / gaussian.width);
        all.most_width = std::max(all.most_width, figures.width / gaussian.width);
        all.finite = all.finite && figures.finite;
    }
    all.width = std::exp(log_width / static_cast<double>(std::max<std::size_t>(streams.size(), 1)));
    return all;
}

std::string intervals_text(std::span<const PredictedStream> streams, double coverage, std::size_t late) {
    const auto window = [](const IntervalFigures& figures) {
        return figures.worst_window ? fmt::format("{:.3f}", *figures.worst_window) : "-";
    };
    std::string text =
        fmt::format("asked {:g}\n{:<22} {:>6}  {:>8} {:>12}   {:>17} {:>12}   {:>10}\n", coverage, "stream, output",
                    "rows", "coverage", "worst window", "Gaussian coverage", "worst window", "width over");
    for (const PredictedStream& stream : streams) {
        const auto ours = measure_intervals(stream, coverage, *our_intervals(coverage, late).make(), late);
        const auto gaussian = measure_intervals(stream, coverage, *gaussian_intervals(coverage).make(), late);
        text += fmt::format("{:<22} {:>6}  {:>8.4f} {:>12}   {:>17.4f} {:>12}   {:>10.3f}\n",
                            fmt::format("{} {}", stream.name, stream.output + 1), ours.rows, ours.coverage,
                            window(ours), gaussian.coverage, window(gaussian), ours.width / gaussian.width);
    }
    return text;
}

std::string summaries_text(std::span<const IntervalSummary> summaries, double coverage, const std::string& of) {
    std::string text = fmt::format("asked {:g}, {}\n{:<30} {:>8} {:>9} {:>9} {:>10} {:>9} {:>10} {:>8}\n", coverage, of,
                                   "", "streams", "off by", "beyond", "window off", "beyond", "width over", "most");
    for (const IntervalSummary& one : summaries) {
        text += fmt::format("{:<30} {:>8} {:>9.4f} {:>9} {:>10.3f} {:>9} {:>10.3f} {:>8.3f}{}\n", one.method,
                            one.streams, one.off, one.beyond_coverage, one.window_off, one.beyond_window, one.width,
                            one.most_width, one.finite ? "" : "  not finite");
    }
    return text;
}

}  // namespace sluice::bench
