// tuning_cost.hpp -- what one row costs when nothing is given, beside the same options fixed.
//
// Question   What does self-tuning cost?
// Ours       sluice::AdaptiveModel, nothing given but the limit of names that the peer has
// Peer       sluice::StreamModel with its defaults (five components of four variables) and forgetting 0.98
// Data       factors of ten groups, every input belongs to one (simulate factors): nearly all of the 20 names are used, the most that it can cost
// Reports    time per row of each, both on each row in turn; the times that an AdaptiveModel takes as many plain steps; memory
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "times.hpp"

namespace sluice::bench {

struct TuningCase {
    std::size_t inputs = 60;
    std::size_t outputs = 1;
    std::size_t first_rows = 500;  ///< learnt before any is timed
    std::size_t rows = 5000;
    double most_steps = 0.0;  ///< goal: the mean is at most this number of plain steps; 0: none
    std::uint64_t seed = 1;
};

struct TuningCost {
    Times tuned;  ///< microseconds
    Times plain;
    double names = 0.0;
    std::size_t tuned_bytes = 0;
    std::size_t plain_bytes = 0;
    std::size_t allocations = 0;      ///< of the tuned model: all of them where a trial begins, which makes a memory
    std::size_t allocating_rows = 0;  ///< rows with any
};

/// `allocations` counts calls of operator new so far.
[[nodiscard]] TuningCost measure_tuning(const TuningCase& what, const std::function<std::size_t()>& allocations);
/// Every case of `sluice bench tuning`.
[[nodiscard]] std::vector<TuningCase> tuning_suite();
/// Mean and 99th percentile as wanted; true where there is no goal.
[[nodiscard]] bool within_goals(const TuningCase& what, const TuningCost& cost);
[[nodiscard]] std::string as_text(const TuningCase& what, const TuningCost& cost);

}  // namespace sluice::bench
