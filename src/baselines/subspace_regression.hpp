// subspace_regression.hpp -- on-line principal components regression: a subspace of the inputs that is tracked row by row,
// and recursive least squares on the scores.
//
//     z = standard inputs                                   standard_inputs.hpp
//     V = directions, tracked                               Tracker: ccipca.hpp or spirit.hpp
//     s = V'z,   y - y_first = b0 + s b                     recursive_least_squares.hpp
//
// The regularisation of the regression shrinks b0 too. y_first, the first known value of the output, takes the level of
// the output out of b0.
//
// A tracker has, for p inputs and at most k directions:
//     double gain() const                       of the mean, for the row to come
//     void add(span z, span carry)              one row; carry as in standard_inputs.hpp
//     std::size_t most_directions() const       k
//     span direction(i) const                   of unit length; all zeros where there are fewer than i + 1 directions
//     std::size_t bytes() const
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "recursive_least_squares.hpp"
#include "row_intake.hpp"
#include "sluice/matrix.hpp"
#include "standard_inputs.hpp"

namespace sluice::baselines {

template <typename Tracker>
class SubspaceRegression {
  public:
    SubspaceRegression(std::size_t inputs, std::size_t outputs, Tracker tracker, RecursiveOptions regression)
        : inputs_(inputs),
          outputs_(outputs),
          tracker_(std::move(tracker)),
          regression_(tracker_.most_directions(), outputs, regression),
          scores_(tracker_.most_directions(), 0.0),
          first_(outputs, std::numeric_limits<double>::quiet_NaN()),
          row_(outputs, 0.0) {}

    /// The outputs expected with these inputs. Changes nothing. Before any row was learnt: zeros.
    void predict(std::span<const double> x, std::span<double> y) const {
        check_row(x, inputs_.size(), "x");
        std::vector<double> z(inputs_.size());
        for (std::size_t j = 0; j < z.size(); ++j) {
            z[j] = inputs_.standard(x, j);
        }
        std::vector<double> scores(scores_.size());
        project(z, scores);
        regression_.predict(scores, y);
        for (std::size_t k = 0; k < outputs_; ++k) {
            y[k] += std::isnan(first_[k]) ? 0.0 : first_[k];
        }
    }

    /// A missing output counts as what was predicted for it; a row without any output only updates the last values seen.
    void learn(std::span<const double> x, std::span<const double> y) {
        check_row(x, inputs_.size(), "x");
        check_row(y, outputs_, "y");
        if (!any_there(y)) {
            inputs_.see(x);
            return;
        }
        inputs_.add(x, tracker_.gain());
        tracker_.add(inputs_.row(), inputs_.carry());
        project(inputs_.row(), scores_);
        for (std::size_t k = 0; k < outputs_; ++k) {
            first_[k] = std::isnan(first_[k]) ? y[k] : first_[k];
            row_[k] = y[k] - first_[k];
        }
        regression_.learn(scores_, row_);
    }

    [[nodiscard]] const Tracker& tracker() const noexcept { return tracker_; }
    /// inputs x outputs, in the caller's units.
    [[nodiscard]] Matrix coefficients() const {
        const Matrix of_scores = regression_.coefficients();
        Matrix b(inputs_.size(), outputs_);
        for (std::size_t i = 0; i < of_scores.rows(); ++i) {
            const std::span<const double> v = tracker_.direction(i);
            for (std::size_t k = 0; k < outputs_; ++k) {
                for (std::size_t j = 0; j < v.size(); ++j) {
                    b(j, k) += v[j] * of_scores(i, k) * inputs_.scale(j);
                }
            }
        }
        return b;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        const std::size_t numbers = scores_.size() + first_.size() + row_.size();
        return inputs_.bytes() + tracker_.bytes() + regression_.bytes() + (numbers * sizeof(double));
    }

  private:
    void project(std::span<const double> z, std::span<double> scores) const {
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const std::span<const double> v = tracker_.direction(i);
            scores[i] = std::inner_product(z.begin(), z.end(), v.begin(), 0.0);
        }
    }

    StandardInputs inputs_;
    std::size_t outputs_;
    Tracker tracker_;
    RecursiveLeastSquares regression_;
    std::vector<double> scores_;
    std::vector<double> first_;  // NaN before a value of the output is known
    std::vector<double> row_;
};

}  // namespace sluice::baselines
