// window_lars.cpp -- see window_lars.hpp.
//
//     D = (X - 1 m') diag(1 / d),   e = y_k - mean                d_j: length of the centred column, or 1 for all
//     S = names of LARS on D'D, D'e, at most the output's share
//     b_S = diag(1 / d) (D_S'D_S + r I)^-1 D_S'e                  r: the ridge times the mean square of the chosen columns
//
// D'D is never formed: LARS asks for the columns of names that join, W p operations each.
#include "window_lars.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "as_index.hpp"
#include "power_of_two.hpp"
#include "require_valid.hpp"
#include "share_of_names.hpp"
#include "small_dense.hpp"

namespace sluice::baselines {

// Subtracts the mean where asked, and divides by a power of two so that squares neither overflow nor underflow.
struct Deviations {
    double mean = 0.0;
    double unit = 1.0;
};

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Deviations from the mean below this share of the values are the rounding of the mean: the column is constant.
constexpr double kConstant = 8.0 * std::numeric_limits<double>::epsilon();

// out <- A'v. The only product here: each that Eigen sees takes the compiler half a second.
void multiply_transposed(const MatrixXd& A, const Eigen::Ref<const VectorXd>& v, std::span<double> out) {
    Eigen::Map<VectorXd>(out.data(), A.cols()).noalias() = A.transpose() * v;
}

Deviations centre(Eigen::Ref<VectorXd> column, bool center) {
    Deviations found;
    const double size = column.cwiseAbs().maxCoeff();
    if (center) {
        found.mean = column.mean();
        column.array() -= found.mean;
        const double rest = column.mean();
        found.mean += rest;
        column.array() -= rest;
    }
    const double largest = column.cwiseAbs().maxCoeff();
    if (center && largest <= kConstant * size) {
        column.setZero();
        return found;
    }
    found.unit = power_of_two_near(largest);
    column /= found.unit;
    return found;
}

}  // namespace

std::vector<std::string> WindowLarsOptions::problems() const {
    std::vector<std::string> found;
    if (window < 2) {
        found.push_back(fmt::format("window = {}: must be 2 or more", window));
    }
    if (refit_every < 1) {
        found.emplace_back("refit_every = 0: must be 1 or more");
    }
    if (names < 1) {
        found.emplace_back("names = 0: must be 1 or more");
    }
    const bool shrinks = ridge >= 1e-12 && ridge <= 1e12;  // written so that NaN breaks the rule
    if (!shrinks) {
        found.push_back(fmt::format("ridge = {}: must be 1e-12 to 1e12", ridge));
    }
    return found;
}

struct WindowLars::Window {
    MatrixXd D;     // rows x inputs
    MatrixXd E;     // rows x outputs, centred
    VectorXd mean;  // of the inputs
    VectorXd d;
    std::vector<double> squares;  // diagonal of D'D
    std::vector<Deviations> of_outputs;
};

WindowLars::WindowLars(std::size_t inputs, std::size_t outputs, WindowLarsOptions options)
    : inputs_(inputs),
      outputs_(outputs),
      options_(options),
      last_(inputs),
      rows_(require_valid(options).window, inputs, outputs),
      filled_(outputs, 0.0),
      chosen_(outputs),
      b_(outputs),
      intercept_(outputs, 0.0) {}

std::size_t WindowLars::share(std::size_t output) const {
    return share_of_names(options_.names, outputs_, output);
}

void WindowLars::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs_, "x");
    assert(y.size() == outputs_);
    for (std::size_t k = 0; k < outputs_; ++k) {
        y[k] = intercept_[k];
        for (std::size_t i = 0; i < chosen_[k].size(); ++i) {
            y[k] += last_.fill(x, chosen_[k][i]) * b_[k][i];
        }
    }
}

std::vector<double> WindowLars::predict(std::span<const double> x) const {
    std::vector<double> y(outputs_);
    predict(x, y);
    return y;
}

void WindowLars::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, inputs_, "x");
    check_row(y, outputs_, "y");
    if (!any_there(y)) {
        last_.see(x);
        return;
    }
    predict(x, filled_);
    for (std::size_t k = 0; k < outputs_; ++k) {
        filled_[k] = std::isnan(y[k]) ? filled_[k] : y[k];
    }
    last_.see(x);
    rows_.add(last_.values(), filled_);
    if (rows_.rows_added() % options_.refit_every == 0 && rows_.rows_added() > 1) {
        fit();
    }
}

void WindowLars::fit() {
    const std::size_t n = rows_.size();
    Window window{.D = MatrixXd(as_index(n), as_index(inputs_)),
                  .E = MatrixXd(as_index(n), as_index(outputs_)),
                  .mean = VectorXd(as_index(inputs_)),
                  .d = VectorXd(as_index(inputs_)),
                  .squares = std::vector<double>(inputs_, 0.0),
                  .of_outputs = {}};
    for (std::size_t i = 0; i < n; ++i) {  // oldest first: the fit depends on the rows, not on where the ring begins
        window.D.row(as_index(i)) = Eigen::Map<const Eigen::RowVectorXd>(rows_.x(i).data(), as_index(inputs_));
        window.E.row(as_index(i)) = Eigen::Map<const Eigen::RowVectorXd>(rows_.y(i).data(), as_index(outputs_));
    }
    double largest_unit = 0.0;
    for (Index j = 0; j < window.D.cols(); ++j) {
        const Deviations deviations = centre(window.D.col(j), options_.center);
        window.mean[j] = deviations.mean;
        window.d[j] = deviations.unit;
        if (options_.scale_inputs) {
            const double length = window.D.col(j).norm();
            if (length > 0.0) {
                window.D.col(j) /= length;
                window.d[j] *= length;
            }
        } else if ((window.D.col(j).array() != 0.0).any()) {
            largest_unit = std::max(largest_unit, deviations.unit);
        }
    }
    for (Index j = 0; j < window.D.cols(); ++j) {
        if (!options_.scale_inputs && largest_unit > 0.0) {  // one unit for all
            window.D.col(j) *= window.d[j] / largest_unit;
            window.d[j] = largest_unit;
        }
        window.squares[static_cast<std::size_t>(j)] = window.D.col(j).squaredNorm();
    }
    for (Index k = 0; k < window.E.cols(); ++k) {
        window.of_outputs.push_back(centre(window.E.col(k), options_.center));
    }
    all_chosen_.clear();
    for (std::size_t k = 0; k < outputs_; ++k) {
        fit_output(window, k);
        all_chosen_.insert(all_chosen_.end(), chosen_[k].begin(), chosen_[k].end());
    }
    std::ranges::sort(all_chosen_);
    all_chosen_.erase(std::ranges::unique(all_chosen_).begin(), all_chosen_.end());
}

void WindowLars::fit_output(const Window& window, std::size_t output) {
    const auto e = window.E.col(as_index(output));
    std::vector<double> cross(inputs_);
    multiply_transposed(window.D, e, cross);
    const GramColumn column = [&](std::size_t j, std::span<double> out) {
        multiply_transposed(window.D, window.D.col(as_index(j)), out);
    };
    auto& S = chosen_[output];
    S = lars(column, window.squares, cross, {.variant = options_.variant, .max_names = share(output), .max_knots = 0})
            .active;

    const std::size_t size = S.size();
    MatrixXd D_S(window.D.rows(), as_index(size));
    for (std::size_t i = 0; i < size; ++i) {
        D_S.col(as_index(i)) = window.D.col(as_index(S[i]));
    }
    std::vector<double> A(size * size);
    std::vector<double> b(size);
    double trace = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
        multiply_transposed(D_S, D_S.col(as_index(i)), std::span(A).subspan(i * size, size));
        trace += A[(i * size) + i];
    }
    for (std::size_t i = 0; i < size; ++i) {
        A[(i * size) + i] += options_.ridge * trace / static_cast<double>(size);
    }
    multiply_transposed(D_S, e, b);
    if (size > 0) {
        core::cholesky_in_place(A, size);
        core::cholesky_solve(A, size, b);
    }
    const double unit = window.of_outputs[output].unit;
    b_[output].resize(size);
    intercept_[output] = window.of_outputs[output].mean;
    for (std::size_t i = 0; i < size; ++i) {
        b_[output][i] = b[i] * (unit / window.d[as_index(S[i])]);
        intercept_[output] -= b_[output][i] * window.mean[as_index(S[i])];
    }
}

Matrix WindowLars::coefficients() const {
    Matrix b(inputs_, outputs_);
    for (std::size_t k = 0; k < outputs_; ++k) {
        for (std::size_t i = 0; i < chosen_[k].size(); ++i) {
            b(chosen_[k][i], k) = b_[k][i];
        }
    }
    return b;
}

}  // namespace sluice::baselines
