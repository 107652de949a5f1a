// name_runs.hpp -- which names a model selects on a stream whose truth is known: one run, and the summary of many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/common/plan.hpp"
#include "experiments/selection/name_counts.hpp"
#include "sluice/simulate.hpp"
#include "sluice/tuning.hpp"

namespace sluice::experiments {

/// Rows are counted from 1; both ends belong to the stretch.
struct Stretch {
    std::size_t from = 1;
    std::size_t to = 1;
    [[nodiscard]] bool holds(std::size_t row) const { return row >= from && row <= to; }
};

/// A stream, and which rows count.
struct NameStream {
    std::string name;
    std::size_t inputs = 0;
    std::size_t rows = 0;
    std::size_t change_at = 0;         ///< rows before other inputs drive the output; 0: it does not change, or often
    std::vector<Stretch> scored = {};  ///< rows whose names count
    std::size_t error_from = 1;        ///< first row whose one-step error counts
    /// Calls `one(x, y, drivers)` for each row, drivers ascending.
    using Row = std::function<void(std::span<const double> x, double y, std::span<const std::size_t> drivers)>;
    std::function<void(std::uint64_t seed, const Row& one)> play = {};
};

/// Names count between row `from` and the change, and from `settled` rows after it on; errors from row `from` on. A stream
/// without drivers never changes, and all its rows count.
[[nodiscard]] NameStream selection_stream(std::string name, const SelectionOptions& options, std::size_t rows,
                                          std::size_t from, std::size_t settled);
/// The paper's switching stream. Rows 35 to 100, 130 to 300 and 330 to 400 count.
[[nodiscard]] NameStream switching_stream(ThirdPhase third_phase);

struct NameRun {
    std::vector<NameCounts> by_row;  ///< after each row was learnt
    double error_over_variance = 0.0;
    std::size_t wait = 0;  ///< rows after the change until all new drivers were selected; all that are left if never
    bool arrived = true;   ///< they were
};

[[nodiscard]] NameRun follow_names(const NameStream& stream, const AdaptiveOptions& options, std::uint64_t seed);

/// All runs of a plan with one model.
struct NameSummary {
    NameCounts counts;   ///< of the scored rows
    double names = 0.0;  ///< selected, mean of the scored rows
    double error_over_variance = 0.0;
    double empty_share = 0.0;  ///< of the scored rows: no name is selected
    double mean_wait = 0.0;
    std::size_t worst_wait = 0;
    std::size_t never = 0;             ///< runs in which some new driver was never selected
    double timely_share = 0.0;         ///< of the runs: the wait was at most kTimely
    std::vector<NameCounts> by_row;    ///< sums over the runs
    std::vector<double> names_by_row;  ///< mean over the runs
};

inline constexpr std::size_t kTimely = 30;  ///< rows

/// One summary for each of the models. In a run all of them meet the same rows.
[[nodiscard]] std::vector<NameSummary> many_name_runs(const Plan& plan, const NameStream& stream,
                                                      std::span<const AdaptiveOptions> models);

}  // namespace sluice::experiments
