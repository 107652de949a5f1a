// paper_run.hpp -- one learner on one stream of section 4.1, and the summary of many such runs.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "experiments/common/curve.hpp"
#include "experiments/common/plan.hpp"
#include "sluice/fit.hpp"
#include "sluice/model.hpp"
#include "sluice/simulate.hpp"

namespace sluice::experiments {

inline constexpr std::size_t kComponents = 2;
inline constexpr std::size_t kStaticRows = 100;
inline constexpr std::size_t kSwitchingRows = PaperStream::phase_rows;
inline constexpr std::size_t kSwap = 101;      ///< groups 1 and 2 have swapped from this row on
inline constexpr std::size_t kTakeOver = 301;  ///< group 3 has the large coefficients from this row on

struct Run {
    std::array<std::vector<double>, kComponents> right;  ///< share of the component's variables that are right, by row
    std::vector<double> observed;                        ///< the output
    std::vector<double> predicted;                       ///< before the row was learnt
};

/// A Learner has step(), which predicts and then learns, and selected(), the variables of a component.
template <typename Learner>
Run follow(Learner learner, PaperStream stream, std::size_t rows) {
    Run run;
    for (std::size_t t = 0; t < rows; ++t) {
        const PaperStream::Row row = stream.next();
        run.observed.push_back(row.y);
        run.predicted.push_back(learner.step(row.x, row.y));
        run.right[0].push_back(PaperStream::share_right(learner.selected(0), row.large));
        run.right[1].push_back(PaperStream::share_right(learner.selected(1), row.small));
    }
    return run;
}

/// The library's on-line model as a learner.
class OnLine {
  public:
    explicit OnLine(const StreamOptions& options) : model_(PaperStream::inputs, 1, options) {}
    double step(std::span<const double> x, double y) { return model_.learn(x, {&y, 1}).predicted[0]; }
    [[nodiscard]] std::span<const std::size_t> selected(std::size_t component) const {
        return model_.selected(component);
    }

  private:
    StreamModel model_;
};

/// All runs of a plan: mean curves, and the runs themselves.
struct RunSummary {
    std::vector<Curve> component;  ///< share right of each
    /// Mean squared one-step-ahead error of the runs at each row, over the variance of the output (all rows and runs).
    std::vector<double> error;
    std::vector<Run> runs;
};

[[nodiscard]] RunSummary summarize(std::vector<Run> runs);

/// One run for each seed of the plan, summarized.
[[nodiscard]] RunSummary many_runs(const Plan& plan, std::size_t rows, const std::function<Run(std::uint64_t)>& one);
/// The same for the on-line model.
[[nodiscard]] RunSummary on_line_runs(const Plan& plan, PaperStream::Kind kind, const StreamOptions& options);

/// Algorithm 1 on all rows of the static stream: share right of each component, as curves that are constant over the rows.
[[nodiscard]] std::vector<Curve> off_line_runs(const Plan& plan, const StreamOptions& options,
                                               const FitControl& control = {});

[[nodiscard]] std::size_t rows_of(PaperStream::Kind kind);

/// One-step-ahead R2 over rows `from` to `to` of all runs.
[[nodiscard]] double r2(const RunSummary& all, std::size_t from, std::size_t to);

/// StreamOptions::paper() with this forgetting.
[[nodiscard]] StreamOptions paper_options(double forgetting);

}  // namespace sluice::experiments
