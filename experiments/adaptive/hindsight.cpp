#include "experiments/adaptive/hindsight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "experiments/common/paper_run.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/score.hpp"
#include "sluice/simulate.hpp"

namespace sluice::experiments {

namespace {

constexpr std::array<double, 6> kHindsightFactors = {0.9, 0.95, 0.98, 0.99, 0.995, 1.0};
constexpr std::array<std::pair<std::size_t, std::size_t>, 3> kSplits = {{{5, 4}, {20, 1}, {2, 10}}};
constexpr std::array<double, 4> kShrinkage = {0.1, 1.0, 10.0, 30.0};

constexpr std::size_t kNames = 20;  // the same budget for all

constexpr double kDrift = 0.02;  // of a weight of unit variance: another relation after some thousand rows
constexpr std::size_t kBreak = 400;

Recording record_factors(const FactorOptions& options, std::size_t rows, std::uint64_t seed) {
    FactorStream stream(options, seed);
    Recording recording{.inputs = options.inputs, .outputs = options.outputs};
    recording.x.resize(rows * options.inputs);
    recording.y.resize(rows * options.outputs);
    for (std::size_t t = 0; t < rows; ++t) {
        stream.next(std::span(recording.x).subspan(t * options.inputs, options.inputs),
                    std::span(recording.y).subspan(t * options.outputs, options.outputs));
    }
    return recording;
}

Recording record_paper(PaperStream::Kind kind, std::uint64_t seed) {
    PaperStream stream(kind, seed);
    Recording recording{.inputs = PaperStream::inputs, .outputs = 1};
    for (std::size_t t = 0; t < rows_of(kind); ++t) {
        const PaperStream::Row row = stream.next();
        recording.x.insert(recording.x.end(), row.x.begin(), row.x.end());
        recording.y.push_back(row.y);
    }
    return recording;
}

}  // namespace

std::vector<Contest> contests(std::size_t rows) {
    std::vector<Contest> all;
    for (const std::size_t outputs : {std::size_t{1}, std::size_t{2}}) {
        const auto add = [&](const char* what, double drift, std::size_t break_every) {
            const FactorOptions options{.outputs = outputs, .drift = drift, .break_every = break_every};
            all.push_back({.name = fmt::format("factors, {} output{}, {}", outputs, outputs == 1 ? "" : "s", what),
                           .rows = rows,
                           .record = [=](std::uint64_t seed) { return record_factors(options, rows, seed); }});
        };
        add("no change", 0.0, 0);
        add("gradual drift", kDrift, 0);
        add("breaks", 0.0, kBreak);
    }
    for (const auto kind : {PaperStream::Kind::constant, PaperStream::Kind::switching}) {
        all.push_back({.name = kind == PaperStream::Kind::constant ? "the paper's static" : "the paper's switching",
                       .rows = rows_of(kind),
                       .record = [=](std::uint64_t seed) { return record_paper(kind, seed); }});
    }
    return all;
}

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

std::vector<Part> tuned_parts() {
    std::vector<Part> parts = {{.name = "auto", .tuning = {}}};
    const auto without = [&](const char* name, bool Tuning::*part) {
        parts.push_back({.name = fmt::format("without {}", name), .tuning = {}});
        parts.back().tuning.*part = false;
    };
    without("drifting intercept", &Tuning::intercept);
    without("forgetting", &Tuning::forgetting);
    without("keep", &Tuning::keep);
    without("components", &Tuning::components);
    without("shrinkage", &Tuning::shrinkage);
    return parts;
}

double one_step_error(const AdaptiveOptions& options, const Recording& recording) {
    AdaptiveModel model(recording.inputs, recording.outputs, options);
    std::vector<Score> scores(recording.outputs);
    for (std::size_t t = 0; t < recording.rows(); ++t) {
        const auto x = std::span(recording.x).subspan(t * recording.inputs, recording.inputs);
        const auto y = std::span(recording.y).subspan(t * recording.outputs, recording.outputs);
        const StepReport report = model.learn(x, y);
        for (std::size_t k = 0; t >= kUnscored && k < y.size(); ++k) {
            scores[k].add(y[k], report.predicted[k]);
        }
    }
    double sum = 0.0;
    for (const Score& score : scores) {
        sum += score.error_over_variance();
    }
    return sum / static_cast<double>(scores.size());
}

std::vector<Compared> compare(const Plan& plan, const std::vector<Contest>& all, const std::vector<Part>& parts,
                              std::size_t seeds) {
    std::vector<AdaptiveOptions> ways;
    for (StreamOptions& setting : fixed_settings()) {
        ways.push_back({.model = std::move(setting), .tuning = Tuning::off()});
    }
    const std::size_t settings = ways.size();
    for (const Part& part : parts) {
        ways.push_back({.model = {}, .tuning = part.tuning});
        ways.back().model.names = kNames;
    }
    Plan each = plan;
    each.runs = seeds;
    std::vector<Compared> result;
    for (const Contest& contest : all) {
        std::vector<std::vector<double>> errors(seeds);
        each_run(each, contest.rows * ways.size(), [&](std::size_t run, std::uint64_t seed) {
            const Recording recording = contest.record(seed);
            for (const AdaptiveOptions& way : ways) {
                errors[run].push_back(one_step_error(way, recording));
            }
        });
        const Curve means = curve_of(errors);
        const auto middle = means.mean.begin() + static_cast<std::ptrdiff_t>(settings);
        Compared compared{
            .name = contest.name, .fixed = {means.mean.begin(), middle}, .tuned = {middle, means.mean.end()}};
        compared.best = static_cast<std::size_t>(std::ranges::min_element(compared.fixed) - compared.fixed.begin());
        result.push_back(std::move(compared));
    }
    return result;
}

std::size_t compared_rows(const std::vector<Contest>& all, std::size_t parts, std::size_t seeds) {
    std::size_t rows = 0;
    for (const Contest& contest : all) {
        rows += contest.rows * seeds * (fixed_settings().size() + parts);
    }
    return rows;
}

std::string text_of(const StreamOptions& setting) {
    return fmt::format("{}, {} x {}, r {}", setting.forgetting, setting.components.value_or(0), setting.keep.at(0),
                       setting.shrinkage);
}

Table table_of(const std::vector<Compared>& all, const std::vector<Part>& parts, std::size_t seeds) {
    Table table{.title = fmt::format("One-step error over variance: everything on auto, and the best of {} fixed "
                                     "settings in hindsight ({} seed{})",
                                     fixed_settings().size(), seeds, seeds == 1 ? "" : "s"),
                .head = {"stream", "best fixed", "its setting"},
                .rows = {}};
    const auto settings = fixed_settings();
    for (const Part& part : parts) {
        table.head.push_back(part.name);
    }
    table.head.emplace_back("auto over best fixed");
    for (const Compared& one : all) {
        std::vector<std::string> row = {one.name, fmt::format("{:.4f}", one.fixed.at(one.best)),
                                        text_of(settings.at(one.best))};
        for (const double error : one.tuned) {
            row.push_back(fmt::format("{:.4f}", error));
        }
        row.push_back(fmt::format("{:.3f}", one.over_best()));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string json_of(const std::vector<Compared>& all) {
    const auto settings = fixed_settings();
    std::string out = "[";
    for (const Compared& one : all) {
        const StreamOptions& best = settings.at(one.best);
        out += fmt::format(
            R"({}{{"stream":"{}","auto":{},"best_fixed":{},"setting":{{"forgetting":{},"components":{},"keep":{},"shrinkage":{}}}}})",
            out.size() > 1 ? "," : "", one.name, one.tuned.front(), one.fixed.at(one.best), best.forgetting,
            best.components.value_or(0), best.keep.at(0), best.shrinkage);
    }
    return out + "]";
}

}  // namespace sluice::experiments
