// step_cost.hpp -- what one learnt row costs, beside the same method written plainly with Eigen.
//
// Question   What does learning one row cost, and how near is that to the memory's own speed?
// Ours       sluice::StreamModel
// Peer       Algorithm 2 written plainly                                                         plain_eigen.cpp
// Equal work Both learn the same first rows and must predict alike to 1e-9 of the outputs' size, or nothing is timed.
// Reports    time per row of each, interleaved in one process: mean, percentiles, maximum; the ratio of means; the floor:
//            reading the row and updating M, no more; which cache holds what
// Not asked  accuracy
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/options.hpp"
#include "times.hpp"

namespace sluice::bench {

enum class Data {
    separated,  ///< few inputs matter, the others are noise
    adverse,    ///< all inputs are alike
};

struct StepCase {
    std::size_t inputs = 1000;
    std::size_t outputs = 5;
    Data data = Data::separated;
    StreamOptions options = {};
    std::size_t repeats = 5;   ///< rounds in which ours and the peer take turns
    std::size_t rows = 0;      ///< timed rows of ours in all rounds together; 0: usual_rows()
    double peer_seconds = 20;  ///< about the time for the peer, which times fewer rows; 0: it is left out
    std::uint64_t seed = 1;
};

struct StepCost {
    std::string engine;
    Times ours;                  ///< microseconds
    std::optional<Times> plain;  ///< none where it does not fit into memory
    double ratio = 0.0;          ///< median of the rounds' ratios of means
    double ratio_of_medians = 0.0;
    double floor_us = 0.0;
    double read_gb_s = 0.0;
    double update_gb_s = 0.0;
    double max_difference = 0.0;  ///< of predictions, relative to the outputs' size
    std::size_t compared_rows = 0;
    std::size_t bytes = 0;
    std::size_t C_bytes = 0;        ///< all of C, as the peer keeps it
    std::size_t history_bytes = 0;  ///< 0: this engine has none
    std::size_t M_bytes = 0;
    double allocations_per_row = 0.0;
    double entered_per_row = 0.0;
    double unscreened_share = 0.0;  ///< of rows in which the screen failed
};

/// Throws std::runtime_error where the two differ. `allocations` counts calls of operator new so far.
[[nodiscard]] StepCost measure_step(const StepCase& what, const std::function<std::size_t()>& allocations);

/// Rows enough for the 99.9th percentile where a row takes less than a millisecond, and never more than some seconds.
[[nodiscard]] std::size_t usual_rows(std::size_t inputs);

/// The rows of the table in docs/performance.md. A goal of 0 is none.
struct NamedCase {
    StepCase what;
    double least_ratio;  ///< of means
    double most_tail;    ///< 99th percentile over median
    double most_floors;  ///< mean over floor

    /// One sentence for each goal that is missed.
    [[nodiscard]] std::vector<std::string> missed(const StepCost& cost) const;
};
[[nodiscard]] std::vector<NamedCase> suite();

}  // namespace sluice::bench
