// break_delay.hpp -- what robust learning costs where the relation really changes: how many rows later the error falls again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tasks.hpp"

namespace sluice::bench {

/// A stream without missing labels whose relation changes with these rows, counted from 0.
struct BrokenStream {
    std::string name;
    std::vector<std::size_t> breaks;
    std::function<TaskRows(std::uint64_t seed)> rows;
};
/// Simulated: factors, the paper's switching stream, other drivers with little and with much noise.
[[nodiscard]] std::vector<BrokenStream> broken_streams();

/// Mean squared errors over the output's variance, by row after the break; over breaks, seeds and outputs.
struct Recovery {
    double before = 0.0;        ///< in the 50 rows before a break
    std::vector<double> after;  ///< in each of the 50 rows from it on
    double excess = 0.0;        ///< sum of after - before

    /// Rows until the error is below this one; 50 where it never is.
    [[nodiscard]] std::size_t rows_above(double error) const;
};
/// With robust learning and with robust = no.
struct BreakDelay {
    Recovery robust;
    Recovery plain;
    /// Between the error of robust = no before a break and its largest one after it: the geometric mean.
    [[nodiscard]] double threshold() const;
    /// The additional excess, in rows with the mean error of the first row after a break.
    [[nodiscard]] double rows_lost() const;
};
[[nodiscard]] BreakDelay measure_delay(const BrokenStream& stream, std::size_t seeds);

[[nodiscard]] std::string delay_heading();
[[nodiscard]] std::string delay_line(const std::string& name, const BreakDelay& delay);

}  // namespace sluice::bench
