// moments_table.cpp -- from moments to the X and Y of sections 2 and 3.1, without the rows.
//
// With Z the deviations of all rows and R their triangular factor, Z'Z = R'R: R has the same products as the rows, and
// a method that uses rows only in such products finds the same. Missing values take the mean of those present:
//     m_j = f_j + (mean_j - f_j) / (1 - share_j),     z_j <- z_j + (m_j - f_j) d_j
// A model through the origin has the row sqrt(n) m besides, since the sum of x'x is Z'Z + n m'm.
//
//   code    size    meaning
//   R       w x w   triangular factor of the deviations (row_moments.hpp)
//   m_j     1       mean of the values of column j that are present
//   f_j     1       what a missing one counted as so far; share_j: the share of missing ones; d_j: where they are
#include "moments_table.hpp"

#include <algorithm>
#include <cmath>

#include "sluice/error.hpp"

namespace sluice::batch {

namespace {

// The columns of the inputs, or of the outputs: `count` of them from `first` on.
Side make_side(const RowMoments& moments, std::size_t first, std::size_t count, bool center, bool scale) {
    Side side;
    side.columns.resize(count);
    const Index height = moments.R.rows();
    const auto n = static_cast<double>(moments.rows);
    side.working.resize(height + (center ? 0 : 1), static_cast<Index>(count));
    for (std::size_t j = 0; j < count; ++j) {
        const MomentColumn& of = moments.columns[first + j];
        Column& column = side.columns[j];
        column.exponent = of.exponent == MomentColumn::kUnknown ? 0 : of.exponent;
        column.mean = mean_of_present(of, moments.rows);
        column.centre = center ? column.mean : 0.0;
        auto z = side.working.col(static_cast<Index>(j));
        z.head(height) = moments.R.col(static_cast<Index>(first + j));
        if (of.missing > 0) {
            const auto gap = std::ranges::lower_bound(moments.gaps, first + j) - moments.gaps.begin();
            z.head(height) += (column.mean - of.fill) * moments.R.col(static_cast<Index>(moments.columns.size()) + gap);
        }
        if (!center) {
            z[height] = std::sqrt(n) * column.mean;
        }
        column.set_spread(z.squaredNorm(), n, scale);
    }
    if (!scale) {
        side.keep_relative_sizes();
    }
    for (std::size_t j = 0; j < count; ++j) {
        const Column& column = side.columns[j];
        side.working.col(static_cast<Index>(j)) *= column.varies() ? column.factor() : 0.0;
    }
    return side;
}

}  // namespace

double mean_of_present(const MomentColumn& column, std::uint64_t rows) {
    if (column.missing == 0) {
        return column.mean + column.rest;
    }
    const auto present = static_cast<double>(rows - column.missing);
    const double beyond_fill = (column.mean - column.fill) + column.rest;
    return column.missing == rows ? 0.0 : column.fill + (beyond_fill * (static_cast<double>(rows) / present));
}

Table make_table(const RowMoments& moments, std::size_t inputs, const StreamOptions& options) {
    if (moments.rows == 0) {
        throw DataError("no rows: there is nothing to fit; add rows that have their outputs");
    }
    Table table;
    table.weight = static_cast<double>(moments.rows);
    table.rows = moments.rows;
    table.inputs = make_side(moments, 0, inputs, options.center, options.scale_inputs);
    table.outputs = make_side(moments, inputs, moments.columns.size() - inputs, options.center, options.scale_outputs);
    return table;
}

}  // namespace sluice::batch
