// result.hpp -- what a comparison has found: a line for each method, and the same as JSON and CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "compare_job.hpp"

namespace sluice::compare {

/// Of one method. A figure that there is not is NaN.
struct MethodResult {
    std::string name;
    std::string title;
    std::string paper;
    bool selects = false;
    std::string failure;  ///< empty: it met every row

    struct Target {
        std::uint64_t scored = 0;
        double error_over_variance = std::numeric_limits<double>::quiet_NaN();
        double rmse = std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<Target> targets = {};
    double mean_error = std::numeric_limits<double>::quiet_NaN();   ///< over variance, of the targets that have one
    double worst_error = std::numeric_limits<double>::quiet_NaN();  ///< the same, of the worst target

    std::uint64_t rows = 0;             ///< met
    double names = 0.0;                 ///< inputs in use, mean per row learnt
    double turnover = 0.0;              ///< inputs that entered, per row learnt
    double microseconds_per_row = 0.0;  ///< processor time of predicting and learning
    std::size_t bytes = 0;

    bool best = false;            ///< the lowest mean error of all that met every row
    bool best_selecting = false;  ///< of those that select

    /// Errors over variance in windows of rows, mean of the targets, and of all rows up to the end of each window.
    std::vector<double> in_window = {};
    std::vector<double> cumulated = {};
};

struct CompareResult {
    std::string input;
    std::vector<std::string> targets;
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::uint64_t warmup = 0;
    std::size_t inputs = 0;  ///< lags included
    std::size_t horizon = 0;
    std::size_t names = 0;
    std::vector<MethodResult> methods;  ///< by mean error; those that failed come last
};

[[nodiscard]] CompareResult result_of(const CompareJob& job);

/// One object, with a newline at its end.
[[nodiscard]] std::string result_json(const CompareResult& result);

/// Errors over time: row, time, method, target, scored, error_over_variance, cumulated. The errors of a window, and of all
/// rows up to its end, are over the variance of all scored rows.
[[nodiscard]] std::string curves_csv(const CompareJob& job);

}  // namespace sluice::compare
