#include "experiments/hindsight/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "experiments/common/curve.hpp"

namespace sluice::experiments {

namespace {

constexpr std::array<double, 6> kHindsightFactors = {0.9, 0.95, 0.98, 0.99, 0.995, 1.0};
constexpr std::array<std::pair<std::size_t, std::size_t>, 3> kSplits = {{{5, 4}, {20, 1}, {2, 10}}};
constexpr std::array<double, 4> kShrinkage = {0.1, 1.0, 10.0, 30.0};

constexpr std::size_t kNames = 20;  // the same budget for all

AdaptiveOptions tuned_options() {
    AdaptiveOptions options;
    options.model.names = kNames;
    return options;
}

}  // namespace

std::vector<StreamOptions> fixed_settings() {
    std::vector<StreamOptions> all;
    for (const double forgetting : kHindsightFactors) {
        for (const auto& [components, keep] : kSplits) {
            for (const double shrinkage : kShrinkage) {
                StreamOptions options;
                options.forgetting = forgetting;
                options.components = components;
                options.keep = {keep};
                options.shrinkage = shrinkage;
                all.push_back(std::move(options));
            }
        }
    }
    return all;
}

std::string text_of(const StreamOptions& setting) {
    return fmt::format("{}, {} x {}, r {}", setting.forgetting, setting.components.value_or(0), setting.keep.at(0),
                       setting.shrinkage);
}

ReadingErrors reading_errors(const AdaptiveModel& model) {
    ReadingErrors errors;
    for (std::size_t k = 0; k < model.outputs(); ++k) {
        std::vector<double> squares;
        for (const AdaptiveModel::Reading& reading : model.readings(k)) {
            squares.push_back(std::ldexp(reading.squares, 2 * reading.exponent));
        }
        if (!squares.empty()) {
            errors.push_back(std::move(squares));
        }
    }
    return errors;
}

std::optional<double> best_reading(const ReadingErrors& before, const ReadingErrors& after,
                                   std::span<const Score> scores) {
    if (after.empty()) {
        return std::nullopt;
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < scores.size(); ++k) {
        std::vector<double> since = after.at(k);
        for (std::size_t i = 0; i < since.size(); ++i) {
            since[i] -= before.at(k).at(i);
        }
        sum += std::ranges::min(since) / scores[k].sums().spread;
    }
    return sum / static_cast<double>(scores.size());
}

OneStepError one_step_error(const AdaptiveOptions& options, const Recording& recording) {
    AdaptiveModel model(recording.inputs, recording.outputs, options);
    std::vector<Score> scores(recording.outputs);
    ReadingErrors before;
    for (std::size_t t = 0; t < recording.rows(); ++t) {
        if (t == kUnscored) {
            before = reading_errors(model);
        }
        const auto y = recording.y_row(t);
        const StepReport report = model.learn(recording.x_row(t), y);
        for (std::size_t k = 0; t >= kUnscored && k < y.size(); ++k) {
            scores[k].add(y[k], report.predicted[k]);
        }
    }
    OneStepError error{.best_reading = best_reading(before, reading_errors(model), scores)};
    for (const Score& score : scores) {
        error.model += score.error_over_variance() / static_cast<double>(scores.size());
    }
    return error;
}

std::vector<Compared> compare(const Plan& plan, const std::vector<Contest>& all) {
    const auto settings = fixed_settings();
    std::vector<Compared> result;
    for (const Contest& contest : all) {
        std::vector<std::vector<double>> fixed(plan.runs);
        std::vector<OneStepError> tuned(plan.runs);
        each_run(plan, contest.rows * (settings.size() + 1), [&](std::size_t run, std::uint64_t seed) {
            const Recording recording = contest.record(seed);
            tuned[run] = one_step_error(tuned_options(), recording);
            for (const StreamOptions& setting : settings) {
                fixed[run].push_back(one_step_error({.model = setting, .tuning = Tuning::off()}, recording).model);
            }
        });
        Compared compared{.name = contest.name, .fixed = curve_of(fixed).mean};
        compared.best = static_cast<std::size_t>(std::ranges::min_element(compared.fixed) - compared.fixed.begin());
        for (const OneStepError& run : tuned) {
            compared.tuned += run.model / static_cast<double>(plan.runs);
            if (run.best_reading) {
                compared.best_reading =
                    compared.best_reading.value_or(0.0) + (*run.best_reading / static_cast<double>(plan.runs));
            }
        }
        result.push_back(std::move(compared));
    }
    return result;
}

std::size_t compared_rows(const Plan& plan, const std::vector<Contest>& all) {
    std::size_t rows = 0;
    for (const Contest& contest : all) {
        rows += plan.runs * contest.rows * (fixed_settings().size() + 1);
    }
    return rows;
}

}  // namespace sluice::experiments
