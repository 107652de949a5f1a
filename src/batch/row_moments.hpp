// row_moments.hpp -- moments of rows that merge: means, and deviations from them as a triangular factor.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::batch {

/// Rows of a block. A larger one costs memory; below 128 the time of a row grows.
constexpr std::size_t block_rows = 256;

/// One column, in units of 2^exponent. A missing value counts as `fill` until all rows are known: moments_table.cpp.
struct MomentColumn {
    static constexpr int kUnknown = std::numeric_limits<int>::min();  ///< only zeros and missing values so far

    int exponent = kUnknown;
    double mean = 0.0;          ///< of all rows, missing values counted as `fill`
    double rest = 0.0;          ///< what `mean` lacks to the exact one
    double fill = 0.0;          ///< any number near the values; of no meaning where nothing is missing
    std::uint64_t missing = 0;  ///< rows without a value
};

/// The rows stand as deviations from the mean. Their columns: inputs, outputs, then for each input of `gaps` the
/// indicator d (1 where it is missing, else 0), which allows to change `fill` afterwards.
struct RowMoments {
    std::uint64_t rows = 0;
    std::vector<MomentColumn> columns;  ///< inputs, then outputs
    std::vector<std::size_t> gaps;      ///< inputs that were missing in some row, ascending
    Eigen::MatrixXd R;                  ///< upper triangular; R'R is the sum of the products of deviations

    explicit RowMoments(std::size_t inputs_and_outputs);
    [[nodiscard]] std::size_t width() const { return columns.size() + gaps.size(); }
};

/// A block of rows: R is not triangular, it has the deviations themselves, and one more row, of zeros. Each row of
/// `values` has its inputs and its outputs.
[[nodiscard]] RowMoments moments_of_block(const Rows& values);

/// Adds a block.
void merge_block(RowMoments& total, RowMoments block);

/// Adds other moments, whose R is triangular.
void merge(RowMoments& total, const RowMoments& other);

/// The columns with missing values in either.
[[nodiscard]] std::vector<std::size_t> united_gaps(const RowMoments& one, const RowMoments& other);

}  // namespace sluice::batch
