// curve.hpp -- mean and deviation of many runs, row by row: the solid line and the shaded area of the paper's figures.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sluice::experiments {

struct Curve {
    std::vector<double> mean;
    std::vector<double> sd;  ///< over the runs: the paper's "Monte Carlo error"; 0 where there is one run only

    /// Rows are counted from 1, as in the paper.
    [[nodiscard]] double mean_at(std::size_t row) const { return mean.at(row - 1); }
    [[nodiscard]] double sd_at(std::size_t row) const { return sd.at(row - 1); }
};

/// runs[i][t] is run i at row t + 1; all are equally long.
[[nodiscard]] Curve curve_of(std::span<const std::vector<double>> runs);

/// The first row from `from` to `to` at which the mean is at least `level`.
[[nodiscard]] std::optional<std::size_t> first_row_at(const Curve& curve, double level, std::size_t from,
                                                      std::size_t to);

/// Mean of values[from - 1] to values[to - 1].
[[nodiscard]] double average(std::span<const double> values, std::size_t from, std::size_t to);
/// Largest of the same.
[[nodiscard]] double largest(std::span<const double> values, std::size_t from, std::size_t to);

}  // namespace sluice::experiments
