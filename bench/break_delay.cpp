#include "break_delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "budget.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::bench {

namespace {

constexpr std::size_t kAround = 50;  // rows before and after a break that count

TaskRows factor_rows(std::uint64_t seed) {
    FactorStream stream({.break_every = 300}, seed);
    TaskRows out{.inputs = 100, .outputs = 1};
    out.x.resize(650 * out.inputs);
    out.y.resize(650);
    for (std::size_t t = 0; t < out.y.size(); ++t) {
        stream.next(std::span(out.x).subspan(t * out.inputs, out.inputs), std::span(out.y).subspan(t, 1));
    }
    return out;
}

TaskRows switching_rows(std::uint64_t seed) {
    PaperStream stream(PaperStream::Kind::switching, seed);
    TaskRows out{.inputs = PaperStream::inputs, .outputs = 1};
    for (std::size_t t = 0; t < 750; ++t) {
        const PaperStream::Row row = stream.next();
        out.x.insert(out.x.end(), row.x.begin(), row.x.end());
        out.y.push_back(row.y);
    }
    return out;
}

TaskRows selection_rows(std::uint64_t seed, double signal_to_noise) {
    SelectionStream stream({.signal_to_noise = signal_to_noise, .change_at = 300}, seed);
    TaskRows out{.inputs = 30, .outputs = 1};
    out.x.resize(350 * out.inputs);
    for (std::size_t t = 0; t < 350; ++t) {
        out.y.push_back(stream.next(std::span(out.x).subspan(t * out.inputs, out.inputs)));
    }
    return out;
}

// Adds the errors around each break, with the given weight.
void add_errors(const TaskRows& rows, std::span<const std::size_t> breaks, bool robust, double weight, Recovery& out) {
    AdaptiveOptions options = with_budget({.names = 20, .found = true}, rows.inputs);
    options.tuning.robust = robust;
    AdaptiveModel model(rows.inputs, rows.outputs, options);
    const auto n = static_cast<double>(rows.count());
    std::vector<double> variance(rows.outputs);
    for (std::size_t k = 0; k < rows.outputs; ++k) {
        double sum = 0.0;
        double squares = 0.0;
        for (std::size_t t = 0; t < rows.count(); ++t) {
            const double y = rows.y[(t * rows.outputs) + k];
            sum += y / n;
            squares += y * y / n;
        }
        variance[k] = squares - (sum * sum);
    }
    out.after.resize(kAround);
    std::vector<double> predicted(rows.outputs);
    for (std::size_t t = 0; t < rows.count(); ++t) {
        const auto x = std::span(rows.x).subspan(t * rows.inputs, rows.inputs);
        const auto y = std::span(rows.y).subspan(t * rows.outputs, rows.outputs);
        model.predict(x, predicted);
        double error = 0.0;
        for (std::size_t k = 0; k < rows.outputs; ++k) {
            error += (y[k] - predicted[k]) * (y[k] - predicted[k]) / variance[k] / static_cast<double>(rows.outputs);
        }
        for (const std::size_t at : breaks) {
            const double share = weight * error / static_cast<double>(breaks.size());
            if (t < at && t + kAround >= at) {
                out.before += share / kAround;
            } else if (t >= at && t < at + kAround) {
                out.after[t - at] += share;
            }
        }
        (void)model.learn(x, y);
    }
}

}  // namespace

std::vector<BrokenStream> broken_streams() {
    return {
        {.name = "factors", .breaks = {300, 600}, .rows = factor_rows},
        {.name = "switching (paper)", .breaks = {100, 300, 400, 500, 700}, .rows = switching_rows},
        {.name = "other drivers, 5", .breaks = {300}, .rows = [](auto seed) { return selection_rows(seed, 5.0); }},
        {.name = "other drivers, 332", .breaks = {300}, .rows = [](auto seed) { return selection_rows(seed, 332.0); }}};
}

std::size_t Recovery::rows_above(double error) const {
    return static_cast<std::size_t>(std::ranges::find_if(after, [&](double one) { return one < error; }) -
                                    after.begin());
}

double BreakDelay::threshold() const {
    return std::sqrt(plain.before * std::ranges::max(plain.after));
}

double BreakDelay::rows_lost() const {
    return (robust.excess - plain.excess) / plain.after.front();
}

BreakDelay measure_delay(const BrokenStream& stream, std::size_t seeds) {
    BreakDelay out;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const TaskRows rows = stream.rows(seed);
        add_errors(rows, stream.breaks, true, 1.0 / static_cast<double>(seeds), out.robust);
        add_errors(rows, stream.breaks, false, 1.0 / static_cast<double>(seeds), out.plain);
    }
    for (Recovery* one : {&out.robust, &out.plain}) {
        one->excess = std::accumulate(one->after.begin(), one->after.end(), -one->before * kAround);
    }
    return out;
}

std::string delay_heading() {
    return fmt::format(
        "after a real change: rows until the error is low again, and what more it costs\n{:20}{:>8}{:>13}{:>22}"
        "{:>11}\n",
        "", "robust", "robust = no", "excess of 50 rows", "rows lost");
}

std::string delay_line(const std::string& name, const BreakDelay& delay) {
    return fmt::format("{:20}{:>8}{:>13}{:>22.3f}{:>11.2f}\n", name, delay.robust.rows_above(delay.threshold()),
                       delay.plain.rows_above(delay.threshold()), delay.robust.excess / delay.plain.excess,
                       delay.rows_lost());
}

}  // namespace sluice::bench
