// eastman.hpp -- runs of the Tennessee Eastman process (simulated; Russell, Chiang, Braatz 2000) as streams.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "experiments/alarms/detectors.hpp"

namespace sluice::experiments {

inline constexpr std::size_t kEastmanColumns = 52;
inline constexpr std::size_t kEastmanFault = 160;      ///< rows of a test run before its fault
inline constexpr std::size_t kEastmanLags = 4;         ///< an input now and in the three rows before
inline constexpr std::size_t kEastmanComponents = 11;  ///< of the chart, as Russell, Chiang and Braatz have it

struct EastmanRun {
    std::string fault;                ///< two digits; 00: none
    std::vector<double> values = {};  ///< row by row
    [[nodiscard]] std::size_t rows() const { return values.size() / kEastmanColumns; }
};

struct Eastman {
    EastmanRun normal;              ///< d00.dat
    std::vector<EastmanRun> tests;  ///< dNN_te.dat, those that are there, by number
};

/// The folder with d00.dat: this one, or its folder `tep`. Empty where there is none.
[[nodiscard]] std::string find_eastman(const std::string& data);
/// Throws std::runtime_error where a file is not a run.
[[nodiscard]] Eastman read_eastman(const std::string& folder);
/// How many rows detect() learns from, known from the names of the files alone.
[[nodiscard]] std::size_t eastman_tests(const std::string& folder);

/// The fault-free rows of d00.dat, then a test run. Inputs: XMEAS 1-22 and XMV 1-11 with their lags; outputs: these XMEAS,
/// counted from 1; a chart sees all 52 columns.
[[nodiscard]] AlarmStream eastman_stream(const EastmanRun& normal, const EastmanRun& test,
                                         std::span<const std::size_t> outputs);

/// Variance of a column in rows from `first` on over that in the rows of `normal`.
[[nodiscard]] double variance_ratio(const EastmanRun& normal, const EastmanRun& test, std::size_t column,
                                    std::size_t first);

}  // namespace sluice::experiments
