// row_moments.cpp -- two sets of rows become one (Chan, Golub and LeVeque's update, on the triangular factor).
//
//     n = n_a + n_b,     d = m_b - m_a,     m = m_a + (n_b / n) d
//     Z'Z = Z_a'Z_a + Z_b'Z_b + (n_a n_b / n) d'd
//
// so that R is the triangular factor of R_a, Z_b and the row sqrt(n_a n_b / n) d together. Deviations are from the mean of
// their own block, so that a mean of 1e6 costs no digits; the mean has a second double for what the first one lacks.
//
// Missing values: with d_j the indicator of column j, a column filled with f' instead of f is z_j + (f' - f) d_j. The
// indicators stand among the columns, so blocks that were filled with different numbers merge, and the mean over all
// rows fills them at the end.
//
//   code    size    meaning
//   R       w x w   triangular factor of the deviations of all rows so far
//   R of a block  (k + 1) x w   deviations of k rows, and the row for d
//   fill    1       what a missing value of a column counts as at present
#include "row_moments.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "triangle.hpp"

namespace sluice::batch {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Index at(std::size_t i) {
    return static_cast<Index>(i);
}

// Fills column j of the block with deviations from its mean, 0 where missing, and a last 0.
MomentColumn measure(const Rows& values, std::size_t j, Eigen::Ref<Eigen::VectorXd> column) {
    MomentColumn of;
    const Index n = at(values.count());
    double largest = 0.0;
    for (Index i = 0; i < n; ++i) {
        const double x = values[static_cast<std::size_t>(i)][j];
        column[i] = x;
        of.missing += std::isnan(x) ? 1U : 0U;
        largest = std::abs(x) > largest ? std::abs(x) : largest;  // not so where x is NaN
    }
    column[n] = 0.0;
    if (!(largest > 0.0)) {
        column.setZero();
        return of;
    }
    of.exponent = std::ilogb(largest);
    for (int half = 0; half < 2; ++half) {  // 2^1074 is no double
        column *= std::ldexp(1.0, half == 0 ? -of.exponent / 2 : -of.exponent - (-of.exponent / 2));
    }
    const auto present = static_cast<double>(values.count() - of.missing);
    const auto x = column.head(n);
    const auto sum_of_present = [&x](const auto& deviations) {
        return x.array().isNaN().select(0.0, deviations).sum();
    };
    Index first = 0;
    while (std::isnan(x[first])) {
        ++first;
    }
    of.mean = x[first];                     // so that a constant column has no deviations at all
    for (int pass = 0; pass < 2; ++pass) {  // the second pass takes away what the first one rounded
        of.mean += sum_of_present(x.array() - of.mean) / present;
    }
    of.fill = of.mean;
    of.rest = sum_of_present(x.array() - of.mean) / static_cast<double>(values.count());
    column.head(n) = x.array().isNaN().select(0.0, x.array() - of.mean);
    return of;
}

// The indicators of `moments` take the places that they have among `gaps`; the others are zero: nothing was missing.
void widen(RowMoments& moments, const std::vector<std::size_t>& gaps, bool triangular) {
    if (moments.gaps == gaps) {
        return;
    }
    const std::size_t first = moments.columns.size();
    std::vector<Index> place(moments.width());
    for (std::size_t j = 0; j < first; ++j) {
        place[j] = at(j);
    }
    for (std::size_t g = 0; g < moments.gaps.size(); ++g) {
        place[first + g] = at(first) + (std::ranges::lower_bound(gaps, moments.gaps[g]) - gaps.begin());
    }
    const Index width = at(first + gaps.size());
    MatrixXd wide = MatrixXd::Zero(triangular ? width : moments.R.rows(), width);
    for (std::size_t j = 0; j < place.size(); ++j) {
        if (triangular) {
            for (std::size_t i = 0; i <= j; ++i) {
                wide(place[i], place[j]) = moments.R(at(i), at(j));
            }
        } else {
            wide.col(place[j]) = moments.R.col(at(j));
        }
    }
    moments.R = std::move(wide);
    moments.gaps = gaps;
}

void take_exponent(RowMoments& moments, std::size_t j, int exponent) {
    MomentColumn& column = moments.columns[j];
    if (column.exponent != exponent && column.exponent != MomentColumn::kUnknown) {
        const double factor = std::ldexp(1.0, column.exponent - exponent);
        column.mean *= factor;
        column.rest *= factor;
        column.fill *= factor;
        moments.R.col(at(j)) *= factor;
    }
    column.exponent = exponent;
}

double share_missing(const RowMoments& moments, std::size_t input) {
    return static_cast<double>(moments.columns[input].missing) / static_cast<double>(moments.rows);
}

// Both in the same units, with the same indicators, and missing values counted as the same number.
void bring_together(RowMoments& total, RowMoments& block) {
    const std::vector<std::size_t> gaps = united_gaps(total, block);
    widen(total, gaps, true);
    widen(block, gaps, false);
    for (std::size_t j = 0; j < total.columns.size(); ++j) {
        const int exponent = std::max(total.columns[j].exponent, block.columns[j].exponent);
        take_exponent(total, j, exponent);
        take_exponent(block, j, exponent);
    }
    for (std::size_t g = 0; g < gaps.size(); ++g) {
        MomentColumn& of_total = total.columns[gaps[g]];
        MomentColumn& of_block = block.columns[gaps[g]];
        if (of_total.missing == 0) {
            of_total.fill = of_block.fill;
        } else if (of_block.missing > 0) {
            const double change = of_total.fill - of_block.fill;
            block.R.col(at(gaps[g])) += change * block.R.col(at(total.columns.size() + g));
            of_block.rest += change * share_missing(block, gaps[g]);
            of_block.fill = of_total.fill;
        }
    }
}

// m <- m + change, in two doubles.
void add_to_mean(MomentColumn& column, double change) {
    const double more = column.rest + change;
    const double sum = column.mean + more;
    const double of_more = sum - column.mean;
    column.rest = (column.mean - (sum - of_more)) + (more - of_more);
    column.mean = sum;
}

}  // namespace

RowMoments::RowMoments(std::size_t inputs_and_outputs)
    : columns(inputs_and_outputs), R(MatrixXd::Zero(at(inputs_and_outputs), at(inputs_and_outputs))) {}

RowMoments moments_of_block(const Rows& values) {
    RowMoments block(0);
    block.rows = values.count();
    block.columns.resize(values.width());
    block.R.resize(at(values.count()) + 1, at(values.width()));
    for (std::size_t j = 0; j < values.width(); ++j) {
        block.columns[j] = measure(values, j, block.R.col(at(j)));
        if (block.columns[j].missing > 0) {
            block.gaps.push_back(j);
        }
    }
    block.R.conservativeResize(Eigen::NoChange, at(block.width()));
    for (std::size_t g = 0; g < block.gaps.size(); ++g) {
        const double share = share_missing(block, block.gaps[g]);
        for (std::size_t i = 0; i < values.count(); ++i) {
            block.R(at(i), at(values.width() + g)) = (std::isnan(values[i][block.gaps[g]]) ? 1.0 : 0.0) - share;
        }
        block.R(at(values.count()), at(values.width() + g)) = 0.0;
    }
    return block;
}

std::vector<std::size_t> united_gaps(const RowMoments& one, const RowMoments& other) {
    std::vector<std::size_t> gaps;
    std::ranges::set_union(one.gaps, other.gaps, std::back_inserter(gaps));
    return gaps;
}

void merge_block(RowMoments& total, RowMoments block) {
    bring_together(total, block);
    const auto n_a = static_cast<double>(total.rows);
    const auto n_b = static_cast<double>(block.rows);
    const double n = n_a + n_b;
    if (total.rows > 0 && block.rows > 0) {
        const double root = std::sqrt(n_a * (n_b / n));
        auto last = block.R.bottomRows(1);
        for (std::size_t j = 0; j < total.columns.size(); ++j) {
            MomentColumn& a = total.columns[j];
            const MomentColumn& b = block.columns[j];
            const double d = (b.mean - a.mean) + (b.rest - a.rest);
            last(0, at(j)) = root * d;
            add_to_mean(a, (n_b / n) * d);
        }
        for (std::size_t g = 0; g < total.gaps.size(); ++g) {
            const std::size_t input = total.gaps[g];
            last(0, at(total.columns.size() + g)) = root * (share_missing(block, input) - share_missing(total, input));
        }
        for (std::size_t j = 0; j < total.columns.size(); ++j) {
            total.columns[j].missing += block.columns[j].missing;
        }
    } else if (total.rows == 0) {
        total.columns = std::move(block.columns);
    }
    total.rows += block.rows;
    add_rows(total.R, block.R);
}

void merge(RowMoments& total, const RowMoments& other) {
    if (other.rows == 0) {
        return;
    }
    RowMoments block = other;
    block.R.conservativeResize(other.R.rows() + 1, Eigen::NoChange);
    block.R.bottomRows(1).setZero();
    merge_block(total, std::move(block));
}

}  // namespace sluice::batch
