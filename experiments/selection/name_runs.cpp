#include "experiments/selection/name_runs.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "experiments/common/paper_run.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/score.hpp"

namespace sluice::experiments {

namespace {

bool is_scored(const NameStream& stream, std::size_t row) {
    return std::ranges::any_of(stream.scored, [&](const Stretch& stretch) { return stretch.holds(row); });
}

NameSummary summary_of(const NameStream& stream, const std::vector<std::vector<NameRun>>& runs, std::size_t model) {
    NameSummary all{
        .counts = {}, .by_row = std::vector<NameCounts>(stream.rows), .names_by_row = std::vector<double>(stream.rows)};
    const auto count = static_cast<double>(runs.size());
    std::size_t scored = 0;
    std::size_t empty = 0;
    std::size_t timely = 0;
    for (const auto& models : runs) {
        const NameRun& run = models[model];
        for (std::size_t t = 0; t < stream.rows; ++t) {
            const NameCounts& now = run.by_row[t];
            all.by_row[t].add(now);
            all.names_by_row[t] += static_cast<double>(now.selected()) / count;
            if (is_scored(stream, t + 1)) {
                all.counts.add(now);
                ++scored;
                empty += now.selected() == 0 ? 1U : 0U;
            }
        }
        all.error_over_variance += run.error_over_variance / count;
        all.mean_wait += static_cast<double>(run.wait) / count;
        all.worst_wait = std::max(all.worst_wait, run.wait);
        all.never += run.arrived ? 0U : 1U;
        timely += run.arrived && run.wait <= kTimely ? 1U : 0U;
    }
    const auto rows = static_cast<double>(std::max<std::size_t>(scored, 1));
    all.names = static_cast<double>(all.counts.selected()) / rows;
    all.empty_share = static_cast<double>(empty) / rows;
    all.timely_share = static_cast<double>(timely) / count;
    return all;
}

}  // namespace

NameStream selection_stream(std::string name, const SelectionOptions& options, std::size_t rows, std::size_t from,
                            std::size_t settled) {
    const bool noise = options.drivers == 0 && options.drivers_after.value_or(0) == 0;
    const std::size_t change_at = noise ? 0 : options.change_at;
    NameStream stream{.name = std::move(name), .inputs = options.inputs, .rows = rows, .change_at = change_at};
    if (noise) {
        stream.scored = {{.from = 1, .to = rows}};
    } else if (change_at == 0) {
        stream.scored = {{.from = from, .to = rows}};
    } else {
        stream.scored = {{.from = from, .to = change_at}, {.from = change_at + settled, .to = rows}};
    }
    stream.error_from = from;
    stream.play = [=](std::uint64_t seed, const NameStream::Row& one) {
        SelectionStream source(options, seed);
        std::vector<double> x(options.inputs);
        for (std::size_t t = 0; t < rows; ++t) {
            const double y = source.next(x);
            one(x, y, source.truth().drivers);
        }
    };
    return stream;
}

NameStream switching_stream(ThirdPhase third_phase) {
    NameStream stream{.name = "the paper's switching stream",
                      .inputs = PaperStream::inputs,
                      .rows = kSwitchingRows,
                      .scored = {{.from = 35, .to = kSwap - 1},
                                 {.from = 130, .to = kTakeOver - 1},
                                 {.from = 330, .to = kSwitchingRows}},
                      .error_from = 35};
    stream.play = [=](std::uint64_t seed, const NameStream::Row& one) {
        PaperStream source(PaperStream::Kind::switching, seed, third_phase);
        std::array<std::size_t, 2 * PaperStream::group_size> drivers{};
        for (std::size_t t = 0; t < kSwitchingRows; ++t) {
            const PaperStream::Row row = source.next();
            const auto half = drivers.begin() + PaperStream::group_size;
            std::iota(drivers.begin(), half, PaperStream::group_size * static_cast<std::size_t>(row.large));
            std::iota(half, drivers.end(), PaperStream::group_size * static_cast<std::size_t>(row.small));
            std::ranges::sort(drivers);
            one(row.x, row.y, drivers);
        }
    };
    return stream;
}

NameRun follow_names(const NameStream& stream, const AdaptiveOptions& options, std::uint64_t seed) {
    AdaptiveModel model(stream.inputs, 1, options);
    NameRun run;
    run.by_row.reserve(stream.rows);
    Score score;
    run.arrived = stream.change_at == 0;
    run.wait = run.arrived ? 0 : stream.rows - stream.change_at;
    stream.play(seed, [&](std::span<const double> x, double y, std::span<const std::size_t> drivers) {
        const StepReport report = model.learn(x, {&y, 1});
        const NameCounts now = count_names(report.selected, drivers);
        run.by_row.push_back(now);
        const std::size_t row = run.by_row.size();
        if (row >= stream.error_from) {
            score.add(y, report.predicted[0]);
        }
        if (!run.arrived && row > stream.change_at && now.missed == 0) {
            run.arrived = true;
            run.wait = row - stream.change_at;
        }
    });
    run.error_over_variance = score.error_over_variance();
    return run;
}

std::vector<NameSummary> many_name_runs(const Plan& plan, const NameStream& stream,
                                        std::span<const AdaptiveOptions> models) {
    std::vector<std::vector<NameRun>> runs(plan.runs);
    each_run(plan, stream.rows * models.size(), [&](std::size_t run, std::uint64_t seed) {
        for (const AdaptiveOptions& options : models) {
            runs[run].push_back(follow_names(stream, options, seed));
        }
    });
    std::vector<NameSummary> all;
    for (std::size_t model = 0; model < models.size(); ++model) {
        all.push_back(summary_of(stream, runs, model));
    }
    return all;
}

}  // namespace sluice::experiments
