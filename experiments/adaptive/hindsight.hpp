// hindsight.hpp -- a model that chooses everything by itself, beside each fixed setting of a grid.
//
// Which fixed setting is best on a stream is known in hindsight only; no one of them is best on all. Errors are one step
// ahead over the variance of the output, mean over the outputs, after the first kUnscored rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"
#include "sluice/options.hpp"
#include "sluice/tuning.hpp"

namespace sluice::experiments {

inline constexpr std::size_t kUnscored = 35;  ///< rows: by then the paper's static stream is learnt

/// Rows of a stream, kept so that every setting meets the same.
struct Recording {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::vector<double> x = {};
    std::vector<double> y = {};
    [[nodiscard]] std::size_t rows() const { return x.size() / inputs; }
};

struct Contest {
    std::string name;
    std::size_t rows = 0;
    std::function<Recording(std::uint64_t seed)> record;
};

/// The `factors` streams (100 inputs, one output and two; nothing changes, gradual drift, a break every 400 rows) of
/// `rows` rows, and the two streams of the paper.
[[nodiscard]] std::vector<Contest> contests(std::size_t rows);

/// Forgetting x (components x keep, 20 names in all) x shrinkage.
[[nodiscard]] std::vector<StreamOptions> fixed_settings();

/// All that is tuned; then with one part left as the defaults say, the drifting intercept first: the fixed settings do not
/// have it.
struct Part {
    std::string name;
    Tuning tuning;
};
[[nodiscard]] std::vector<Part> tuned_parts();

[[nodiscard]] double one_step_error(const AdaptiveOptions& options, const Recording& recording);

/// Means over the seeds.
struct Compared {
    std::string name;
    std::vector<double> fixed;  ///< of each fixed setting
    std::vector<double> tuned;  ///< of each part asked for
    std::size_t best = 0;       ///< number of the best fixed setting
    [[nodiscard]] double over_best() const { return tuned.front() / fixed.at(best); }
};

/// Seeds and threads are those of the plan; each contest meets `seeds` streams.
[[nodiscard]] std::vector<Compared> compare(const Plan& plan, const std::vector<Contest>& all,
                                            const std::vector<Part>& parts, std::size_t seeds);
/// Rows that compare() learns.
[[nodiscard]] std::size_t compared_rows(const std::vector<Contest>& all, std::size_t parts, std::size_t seeds);

[[nodiscard]] std::string text_of(const StreamOptions& setting);  ///< "0.98, 5 x 4, r 10"
[[nodiscard]] Table table_of(const std::vector<Compared>& all, const std::vector<Part>& parts, std::size_t seeds);
/// [{"stream":"...","auto":0.1,"best_fixed":0.1,...},...]
[[nodiscard]] std::string json_of(const std::vector<Compared>& all);

}  // namespace sluice::experiments
