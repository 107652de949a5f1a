// table.hpp -- the caller's rows as the methods work with them: checked, weighed, centred, scaled.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"
#include "sluice/options.hpp"

namespace sluice::batch {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// One column of the caller's and how it becomes a working column. With x' = x 2^-exponent, so that nothing
/// overflows or vanishes when squared,
///     working = (x' - centre) / spread 2^shift        (0 where spread is 0: a column that does not vary)
struct Column {
    int exponent = 0;
    double mean = 0.0;    ///< weighted mean of x': what a missing value counts as
    double centre = 0.0;  ///< the mean, or 0 for a model through the origin
    double spread = 0.0;  ///< weighted standard deviation of x' about the centre where columns are scaled, else 1
    int shift = 0;        ///< keeps the true relative sizes where columns are not scaled, else 0

    /// From the sum of squares about the centre. A centred column that hardly varies beside its mean does not vary.
    void set_spread(double squares, double weight, bool scale);
    [[nodiscard]] bool varies() const { return spread > 0.0; }
    [[nodiscard]] double factor() const;           ///< 2^shift / spread
    [[nodiscard]] double working(double x) const;  ///< of one value of the caller's
    [[nodiscard]] double mean_as_given() const;    ///< in the caller's units
};

/// All inputs, or all outputs.
struct Side {
    std::vector<Column> columns;
    MatrixXd working;  ///< a row for each row that counts, times the square root of its weight; see Table::rows
    int unit = 0;      ///< the columns stand in units of 2^unit (0 where columns are scaled)

    /// Of columns that are not scaled: one power of two for all of them, the largest.
    void keep_relative_sizes();
};

struct Table {
    Side inputs;          ///< X
    Side outputs;         ///< Y
    double weight = 0.0;  ///< n, the sum of lambda^age over the rows that count
    /// The rows that count. `working` has as many, or fewer with the same products X'X, X'Y, Y'Y: moments_table.hpp.
    std::size_t rows = 0;
};

/// Throws DataError. Rows without any output do not count and do not age the others, as on line.
[[nodiscard]] Table make_table(const Rows& x, const Rows& y, const StreamOptions& options);

/// What is nothing but rounding beside numbers of size 1 in sums over such a table: as numpy's matrix_rank.
[[nodiscard]] double resolution(const Table& table);

/// Each row as given (not weighed, missing values as means), in working units, times the p x R matrix.
[[nodiscard]] MatrixXd working_rows_times(const Rows& x, const Side& inputs, const MatrixXd& matrix);

}  // namespace sluice::batch
