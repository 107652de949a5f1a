#include "experiments/common/paper_run.hpp"

#include "sluice/score.hpp"

namespace sluice::experiments {

RunSummary summarize(std::vector<Run> runs) {
    RunSummary all{.component = {}, .error = {}, .runs = std::move(runs)};
    for (std::size_t r = 0; r < kComponents; ++r) {
        std::vector<std::vector<double>> shares;
        shares.reserve(all.runs.size());
        for (const Run& run : all.runs) {
            shares.push_back(run.right.at(r));
        }
        all.component.push_back(curve_of(shares));
    }
    Score outputs;
    for (const Run& run : all.runs) {
        for (const double y : run.observed) {
            outputs.add(y, y);
        }
    }
    const double variance = outputs.sums().spread / static_cast<double>(outputs.count());
    const std::size_t rows = all.runs.empty() ? 0 : all.runs.front().observed.size();
    for (std::size_t t = 0; t < rows; ++t) {
        double squares = 0.0;
        for (const Run& run : all.runs) {
            const double error = run.observed[t] - run.predicted[t];
            squares += error * error;
        }
        all.error.push_back(squares / static_cast<double>(all.runs.size()) / variance);
    }
    return all;
}

RunSummary many_runs(const Plan& plan, std::size_t rows, const std::function<Run(std::uint64_t)>& one) {
    std::vector<Run> runs(plan.runs);
    each_run(plan, rows, [&](std::size_t i, std::uint64_t seed) { runs[i] = one(seed); });
    return summarize(std::move(runs));
}

RunSummary on_line_runs(const Plan& plan, PaperStream::Kind kind, const StreamOptions& options) {
    const std::size_t rows = rows_of(kind);
    return many_runs(plan, rows, [&](std::uint64_t seed) {
        return follow(OnLine(options), PaperStream(kind, seed, plan.third_phase), rows);
    });
}

std::vector<Curve> off_line_runs(const Plan& plan, const StreamOptions& options, const FitControl& control) {
    std::array<std::vector<std::vector<double>>, kComponents> shares;
    shares.fill(std::vector<std::vector<double>>(plan.runs));
    each_run(plan, kStaticRows, [&](std::size_t run, std::uint64_t seed) {
        PaperStream stream(PaperStream::Kind::constant, seed);
        std::vector<double> x;
        std::vector<double> y;
        PaperStream::Row row;
        for (std::size_t t = 0; t < kStaticRows; ++t) {
            row = stream.next();
            x.insert(x.end(), row.x.begin(), row.x.end());
            y.push_back(row.y);
        }
        const Fit whole = fit(Method::sparse_bridge, {x, PaperStream::inputs}, {y, 1}, options, control);
        const std::array<int, kComponents> groups = {row.large, row.small};
        for (std::size_t r = 0; r < kComponents; ++r) {
            const bool found = r < whole.selected.size();
            const double right = found ? PaperStream::share_right(whole.selected[r], groups.at(r)) : 0.0;
            shares.at(r)[run].assign(kStaticRows, right);
        }
    });
    return {curve_of(shares[0]), curve_of(shares[1])};
}

std::size_t rows_of(PaperStream::Kind kind) {
    return kind == PaperStream::Kind::constant ? kStaticRows : kSwitchingRows;
}

double r2(const RunSummary& all, std::size_t from, std::size_t to) {
    Score score;
    for (const Run& run : all.runs) {
        for (std::size_t row = from; row <= to; ++row) {
            score.add(run.observed[row - 1], run.predicted[row - 1]);
        }
    }
    return score.r2();
}

StreamOptions paper_options(double forgetting) {
    StreamOptions options = StreamOptions::paper();
    options.forgetting = forgetting;
    return options;
}

}  // namespace sluice::experiments
