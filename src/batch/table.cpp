// table.cpp -- from the caller's rows to the X and Y of sections 2 and 3.1.
//
// Row i of age a_i (the last one has age 0) is weighed by lambda^a_i, so that X'X and X'Y are C_t and M_t of
// eq. (15), centred and scaled:
//     X_ij = lambda^(a_i/2) (x_ij - m_j) / d_j,   m_j = sum_i lambda^a_i x_ij / n,   n = sum_i lambda^a_i
//
// The paper squares its data twice (M M' is of fourth order). Powers of two are taken out of each column first,
// which is exact, so that data of size 1e-150 or 1e150 meets the same rounding as data of size 1.
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "column_units.hpp"
#include "counted_rows.hpp"
#include "sluice/error.hpp"

namespace sluice::batch {

namespace {

// A centred column whose standard deviation is below this share of its mean does not vary: what is left of 0.1 in every
// row is rounding, and would be scaled up to unit variance. The on-line model has the same rule.
constexpr double constant_column = 1e-12;

// The rows that count, and the square roots of their weights.
struct Weighed {
    std::vector<std::size_t> rows;
    std::vector<double> roots;
    double total = 0.0;
};

Weighed weigh(const std::vector<std::size_t>& rows, double forgetting) {
    Weighed weighed;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double root = std::pow(forgetting, 0.5 * static_cast<double>(rows.size() - 1 - i));
        if (root * root > 0.0) {  // else wholly forgotten
            weighed.rows.push_back(rows[i]);
            weighed.roots.push_back(root);
            weighed.total += root * root;
        }
    }
    return weighed;
}

// Mean, spread and power of two of one column. Leaves x' (missing values as the mean) in `values`.
Column measure(const Rows& rows, std::size_t j, const Weighed& weighed, bool center, bool scale,
               Eigen::Ref<VectorXd> values) {
    Column column;
    const std::size_t n = weighed.rows.size();
    double largest = 0.0;  // of the weighed values
    for (std::size_t i = 0; i < n; ++i) {
        const double x = rows[weighed.rows[i]][j];
        if (!std::isnan(x)) {
            largest = std::max(largest, weighed.roots[i] * std::abs(x));
        }
    }
    if (largest > 0.0) {
        column.exponent = std::ilogb(largest);
    }

    // The mean twice: the second pass takes away what the first one rounded.
    for (int pass = 0; pass < 2; ++pass) {
        double sum = 0.0;
        double present = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const double x = rows[weighed.rows[i]][j];
            const double weight = weighed.roots[i] * weighed.roots[i];
            if (!std::isnan(x)) {
                sum += weight * (std::ldexp(x, -column.exponent) - column.mean);
                present += weight;
            }
        }
        column.mean += present > 0.0 ? sum / present : 0.0;
    }

    column.centre = center ? column.mean : 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = rows[weighed.rows[i]][j];
        const double value = std::isnan(x) ? column.mean : std::ldexp(x, -column.exponent);
        const double deviation = weighed.roots[i] * (value - column.centre);
        squares += deviation * deviation;
        values[static_cast<Index>(i)] = value;
    }
    column.set_spread(squares, weighed.total, scale);
    return column;
}

Side make_side(const Rows& rows, const Weighed& weighed, bool center, bool scale) {
    Side side;
    const auto n = static_cast<Index>(weighed.rows.size());
    const auto width = static_cast<Index>(rows.width());
    side.working.resize(n, width);
    side.columns.resize(rows.width());
    for (std::size_t j = 0; j < rows.width(); ++j) {
        side.columns[j] = measure(rows, j, weighed, center, scale, side.working.col(static_cast<Index>(j)));
    }
    if (!scale) {
        side.keep_relative_sizes();
    }
    const Eigen::Map<const VectorXd> roots(weighed.roots.data(), n);
    for (Index j = 0; j < width; ++j) {
        const Column& column = side.columns[static_cast<std::size_t>(j)];
        if (column.varies()) {
            side.working.col(j) = (side.working.col(j).array() - column.centre) * column.factor() * roots.array();
        } else {
            side.working.col(j).setZero();
        }
    }
    return side;
}

}  // namespace

void Column::set_spread(double squares, double weight, bool scale) {
    const double deviation = std::sqrt(squares / weight);
    if (deviation > constant_column * std::abs(centre)) {
        spread = scale ? deviation : 1.0;
    }
}

double Column::factor() const {
    return std::ldexp(1.0 / spread, shift);
}

double Column::working(double x) const {
    if (!varies()) {
        return 0.0;
    }
    const double value = std::isnan(x) ? mean : std::ldexp(x, -exponent);
    return std::ldexp((value - centre) / spread, shift);
}

double Column::mean_as_given() const {
    return std::ldexp(mean, exponent);
}

void Side::keep_relative_sizes() {
    unit = core::largest_exponent(
        columns.size(), [&](std::size_t j) { return columns[j].exponent; },
        [&](std::size_t j) { return columns[j].varies(); });
    for (Column& column : columns) {
        column.shift = column.exponent - unit;
    }
}

Table make_table(const Rows& x, const Rows& y, const StreamOptions& options) {
    const Weighed weighed = weigh(counted_rows(x, y), options.forgetting);
    if (weighed.rows.empty()) {
        throw DataError(x.count() == 0 ? "no rows: there is nothing to fit"
                                       : "no row has its outputs: there is nothing to fit");
    }
    Table table;
    table.weight = weighed.total;
    table.rows = weighed.rows.size();
    table.inputs = make_side(x, weighed, options.center, options.scale_inputs);
    table.outputs = make_side(y, weighed, options.center, options.scale_outputs);
    return table;
}

double resolution(const Table& table) {
    return std::numeric_limits<double>::epsilon() *
           static_cast<double>(std::max(table.rows, table.inputs.columns.size()));
}

MatrixXd working_rows_times(const Rows& x, const Side& inputs, const MatrixXd& matrix) {
    MatrixXd product(static_cast<Index>(x.count()), matrix.cols());
    VectorXd row(static_cast<Index>(x.width()));
    for (std::size_t i = 0; i < x.count() && matrix.cols() > 0; ++i) {
        for (std::size_t j = 0; j < x.width(); ++j) {
            row[static_cast<Index>(j)] = inputs.columns[j].working(x[i][j]);
        }
        for (Index r = 0; r < matrix.cols(); ++r) {
            product(static_cast<Index>(i), r) = matrix.col(r).dot(row);
        }
    }
    return product;
}

}  // namespace sluice::batch
