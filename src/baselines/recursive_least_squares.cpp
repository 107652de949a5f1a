// recursive_least_squares.cpp -- a row is rotated into the triangular root.
//
//     [ sqrt(lambda) R   sqrt(lambda) Z ]         [ R  Z ]
//     [       x                 y       ]   -->   [ 0  e ]            R b = Z
//
// by one plane rotation for each row j of R, which turns (R_jj, x_j) into (hypot, 0). e is the error after learning, scaled;
// it is not needed. size^2 * 2 operations for a row, and as many for what is given back of the regularisation.
//
// What is given back: every `size` rows one input gets delta (1 - lambda^size), so that its own sum tends to delta.
#include "recursive_least_squares.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sluice/error.hpp"

namespace sluice::baselines {

namespace {

// What forgetting leaves below this is set to zero, before it becomes a denormal number, with which processors are slow.
constexpr double kForgotten = 1e-200;

}  // namespace

std::vector<std::string> RecursiveOptions::problems() const {
    std::vector<std::string> found;
    const bool forgets = forgetting > 0.0 && forgetting <= 1.0;  // written so that NaN breaks the rule
    const bool regular = regularisation >= 1e-100 && regularisation <= 1e100;
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be above 0 and at most 1", forgetting));
    }
    if (!regular) {
        found.push_back(fmt::format("regularisation = {}: must be 1e-100 to 1e100", regularisation));
    }
    return found;
}

RecursiveLeastSquares::RecursiveLeastSquares(std::size_t inputs, std::size_t outputs, RecursiveOptions options)
    : inputs_(inputs),
      outputs_(outputs),
      options_(options),
      size_(inputs + (options.intercept ? 1 : 0)),
      width_(size_ + outputs),
      last_(inputs),
      root_(size_ * width_, 0.0),
      row_(width_, 0.0),
      b_(size_ * outputs, 0.0) {
    if (auto problems = options.problems(); !problems.empty()) {
        throw OptionError(std::move(problems));
    }
    const double kept = std::pow(options.forgetting, static_cast<double>(size_));
    returned_ = std::sqrt(options.regularisation * (1.0 - kept));
    for (std::size_t j = 0; j < size_; ++j) {
        root_[(j * width_) + j] = std::sqrt(options.regularisation);
    }
}

void RecursiveLeastSquares::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs_, "x");
    assert(y.size() == outputs_);
    for (std::size_t k = 0; k < outputs_; ++k) {
        const auto b = std::span(b_).subspan(k * size_, size_);
        double sum = options_.intercept ? b[inputs_] : 0.0;
        for (std::size_t j = 0; j < inputs_; ++j) {
            sum += last_.fill(x, j) * b[j];
        }
        y[k] = sum;
    }
}

std::vector<double> RecursiveLeastSquares::predict(std::span<const double> x) const {
    std::vector<double> y(outputs_);
    predict(x, y);
    return y;
}

// |v|^2, where R'v = x.
double RecursiveLeastSquares::leverage(std::span<const double> x) const {
    check_row(x, inputs_, "x");
    std::vector<double> left(size_, 1.0);  // the last one: the intercept
    for (std::size_t j = 0; j < inputs_; ++j) {
        left[j] = last_.fill(x, j);
    }
    double sum = 0.0;
    for (std::size_t j = 0; j < size_; ++j) {
        const double* const R = root_.data() + (j * width_);
        const double v = R[j] > 0.0 ? left[j] / R[j] : 0.0;
        sum += v * v;
        for (std::size_t i = j + 1; i < size_; ++i) {
            left[i] -= R[i] * v;
        }
    }
    return sum;
}

// row_ has zeros before `from`.
void RecursiveLeastSquares::rotate_in(std::size_t from) {
    for (std::size_t j = from; j < size_; ++j) {
        const double x = row_[j];
        if (x == 0.0) {
            continue;
        }
        double* const R = root_.data() + (j * width_);
        const double length = std::hypot(R[j], x);
        const double c = R[j] / length;
        const double s = x / length;
        R[j] = length;
        for (std::size_t k = j + 1; k < width_; ++k) {
            const double r = R[k];
            R[k] = (c * r) + (s * row_[k]);
            row_[k] = (c * row_[k]) - (s * r);
        }
    }
}

void RecursiveLeastSquares::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, inputs_, "x");
    check_row(y, outputs_, "y");
    if (!any_there(y)) {
        last_.see(x);
        return;
    }
    if (options_.forgetting < 1.0) {
        const double root = std::sqrt(options_.forgetting);
        for (double& value : root_) {
            value = std::abs(value) < kForgotten ? 0.0 : value * root;
        }
        const std::size_t turn = size_ > 0 ? rows_ % size_ : 0;
        if (size_ > 0) {
            std::ranges::fill(row_, 0.0);
            row_[turn] = returned_;
            rotate_in(turn);
        }
    }
    const auto outputs = std::span(row_).subspan(size_);
    predict(x, outputs);
    for (std::size_t k = 0; k < outputs_; ++k) {
        outputs[k] = std::isnan(y[k]) ? outputs[k] : y[k];
    }
    last_.see(x);
    std::ranges::copy(last_.values(), row_.begin());
    if (options_.intercept) {
        row_[inputs_] = 1.0;
    }
    rotate_in(0);
    solve();
    ++rows_;
}

// R b = Z, from the last row up. The diagonal of R is at least the root of what is left of delta.
void RecursiveLeastSquares::solve() {
    for (std::size_t k = 0; k < outputs_; ++k) {
        const auto b = std::span(b_).subspan(k * size_, size_);
        for (std::size_t j = size_; j-- > 0;) {
            const double* const R = root_.data() + (j * width_);
            double sum = R[size_ + k];
            for (std::size_t i = j + 1; i < size_; ++i) {
                sum -= R[i] * b[i];
            }
            b[j] = R[j] > 0.0 ? sum / R[j] : 0.0;
        }
    }
}

Matrix RecursiveLeastSquares::coefficients() const {
    Matrix b(inputs_, outputs_);
    for (std::size_t k = 0; k < outputs_; ++k) {
        std::ranges::copy(std::span(b_).subspan(k * size_, inputs_), b.column(k).begin());
    }
    return b;
}

std::vector<double> RecursiveLeastSquares::intercept() const {
    std::vector<double> values(outputs_, 0.0);
    for (std::size_t k = 0; options_.intercept && k < outputs_; ++k) {
        values[k] = b_[(k * size_) + inputs_];
    }
    return values;
}

}  // namespace sluice::baselines
