// describe.cpp -- what follows from the directions, alike for all methods.
//
//     S = X U,   W = (S'S)^+ S'Y,   B' = (S'S)^+ S'X,   beta = U W          eq. (2), (3), (5), (10)
//
// In the caller's units x = c + D x_w, with x_w the working inputs, so that s = rotation' x_w = G'x - G'c, G = D^-1 rotation
// (put_score_map), and likewise beta (put_coefficients).
//
//   code       paper   size    meaning
//   rotation   U       p x R   U, but for PLS-2: U (B'U)^-1
//   S          S       n x R   scores
//   q          -       n       part of a score that those before it do not hold, unit length
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "complement.hpp"
#include "methods.hpp"
#include "products.hpp"
#include "sluice/error.hpp"
#include "text.hpp"
#include "thin_svd.hpp"

namespace sluice::batch {

namespace {

// Scores of unit length that differ from the span of the others by less than this are the same score: Algorithm 1 as
// printed ends at the same component again and again, up to its tolerance of 1e-10. So are directions of the scores whose singular
// value is below this share of the largest.
constexpr double same_score = 1e-8;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

Matrix as_matrix(const MatrixXd& values) {
    Matrix matrix(static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols()));
    Eigen::Map<MatrixXd>(matrix.data(), values.rows(), values.cols()) = values;
    return matrix;
}

MatrixXd times_power_of_two(const MatrixXd& values, int exponent) {
    return values.unaryExpr([exponent](double value) { return std::ldexp(value, exponent); });
}

// Inputs that do not vary have no weight, not even one of the size of rounding; the largest entry is positive.
void tidy(const Side& inputs, Directions& found) {
    for (Index j = 0; j < found.weights.rows() && found.weights.cols() > 0; ++j) {
        if (!inputs.columns[static_cast<std::size_t>(j)].varies()) {
            found.weights.row(j).setZero();
            found.rotation.row(j).setZero();
        }
    }
    for (Index r = 0; r < found.weights.cols(); ++r) {
        Index largest = 0;
        found.weights.col(r).cwiseAbs().maxCoeff(&largest);
        if (found.weights(largest, r) < 0.0) {
            found.weights.col(r) *= -1.0;
            found.rotation.col(r) *= -1.0;
        }
    }
}

// Share of the variance of `data` that each score adds to those before it.
std::vector<double> explained(const MatrixXd& unit_scores, const MatrixXd& data) {
    Complement before(data.rows());
    std::vector<double> shares;
    for (Index r = 0; r < unit_scores.cols(); ++r) {
        const VectorXd rest = before.project(unit_scores.col(r));
        double share = 0.0;
        if (rest.norm() > same_score) {
            const VectorXd q = rest.normalized();
            share = apply_transposed(data, q).squaredNorm() / data.squaredNorm();
            before.add(q);
        }
        shares.push_back(share);
    }
    return shares;
}

// VIP_j = sqrt( p sum_r share_r (u_jr / |u_r|)^2 / sum_r share_r )
std::vector<double> importance(const MatrixXd& U, const std::vector<double>& shares) {
    VectorXd sum = VectorXd::Zero(U.rows());
    double total = 0.0;
    for (Index r = 0; r < U.cols(); ++r) {
        const double share = shares[static_cast<std::size_t>(r)];
        sum += share * U.col(r).normalized().cwiseAbs2();
        total += share;
    }
    std::vector<double> vip(static_cast<std::size_t>(U.rows()), 0.0);
    if (total > 0.0) {
        Eigen::Map<VectorXd>(vip.data(), U.rows()) = (static_cast<double>(U.rows()) * sum / total).cwiseSqrt();
    }
    return vip;
}

// Working units are near 1 whatever the caller's are; what is written in the caller's units need not be a double.
void require_finite(double value, const char* name, std::size_t j, const char* kind, std::size_t k) {
    if (!std::isfinite(value)) {
        throw DataError(std::string("the ") + name + (j == none ? "" : " " + core::text(j + 1)) + " of " + kind + " " +
                        core::text(k + 1) +
                        " is beyond the range of double: give inputs and outputs in units that are nearer to each "
                        "other");
    }
}

// Column k of the matrix belongs to output or component k, row j to input or component j.
void require_finite(const Matrix& matrix, const char* name, const char* kind) {
    for (std::size_t k = 0; k < matrix.cols(); ++k) {
        for (std::size_t j = 0; j < matrix.rows(); ++j) {
            require_finite(matrix(j, k), name, j, kind, k);
        }
    }
}

// From working units to the caller's; Column tells how the one became the other.
void put_coefficients(const Table& table, const MatrixXd& beta, bool center, Fit& fit) {
    const auto& inputs = table.inputs.columns;
    const auto& outputs = table.outputs.columns;
    fit.coefficients = Matrix(inputs.size(), outputs.size());
    for (const Column& input : inputs) {
        fit.input_means.push_back(input.mean_as_given());
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const Column& out = outputs[k];
        double intercept = center ? out.mean_as_given() : 0.0;
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            const Column& in = inputs[j];
            if (in.varies() && out.varies()) {
                const double working = beta(static_cast<Index>(j), static_cast<Index>(k));
                fit.coefficients(j, k) =
                    std::ldexp(working * (out.spread / in.spread), in.shift - in.exponent + out.exponent - out.shift);
                require_finite(fit.coefficients(j, k), "coefficient of input", j, "output", k);
                intercept -= center ? fit.input_means[j] * fit.coefficients(j, k) : 0.0;
            }
        }
        require_finite(intercept, "intercept", none, "output", k);
        fit.intercept.push_back(intercept);
    }
}

// The scores of rows in the caller's units: the same as working_rows_times(), to rounding.
void put_score_map(const Side& inputs, const MatrixXd& rotation, bool center, Fit& fit) {
    fit.score_coefficients = Matrix(inputs.columns.size(), static_cast<std::size_t>(rotation.cols()));
    for (std::size_t r = 0; r < fit.score_coefficients.cols(); ++r) {
        double intercept = 0.0;
        for (std::size_t j = 0; j < inputs.columns.size(); ++j) {
            const Column& in = inputs.columns[j];
            if (in.varies()) {
                const double working = rotation(static_cast<Index>(j), static_cast<Index>(r));
                const double g = std::ldexp(working / in.spread, in.shift - in.exponent + inputs.unit);
                require_finite(g, "coefficient of input", j, "component", r);
                fit.score_coefficients(j, r) = g;
                intercept -= center ? fit.input_means[j] * g : 0.0;
            }
        }
        require_finite(intercept, "intercept", none, "component", r);
        fit.score_intercept.push_back(intercept);
    }
}

// A row that was forgotten wholly may be beyond double in working units, which suit those that were not.
void put_scores(const Rows& x, const Side& inputs, const MatrixXd& rotation, Fit& fit) {
    fit.scores = as_matrix(times_power_of_two(working_rows_times(x, inputs, rotation), inputs.unit));
    for (std::size_t i = 0; i < x.count(); ++i) {
        bool finite = true;
        for (std::size_t r = 0; r < fit.components(); ++r) {
            finite = finite && std::isfinite(fit.scores(i, r));
        }
        if (!finite) {
            const std::vector<double> s = fit.scores_of(x[i]);
            for (std::size_t r = 0; r < fit.components(); ++r) {
                fit.scores(i, r) = s[r];
            }
        }
    }
}

}  // namespace

Fit describe(Method method, const Table& table, const Rows* x, Directions found, bool center) {
    const MatrixXd& X = table.inputs.working;
    const MatrixXd& Y = table.outputs.working;
    tidy(table.inputs, found);

    // Regression on scores of unit length: whether two of them are the same does not depend on their sizes.
    MatrixXd S = times(X, found.rotation);
    const VectorXd lengths = S.colwise().norm();
    for (Index r = 0; r < S.cols(); ++r) {
        S.col(r) /= lengths[r] > 0.0 ? lengths[r] : 1.0;
    }
    MatrixXd W(S.cols(), Y.cols());
    MatrixXd B(X.cols(), S.cols());
    if (S.cols() > 0) {
        const ThinSvd svd = thin_svd(S);
        W = pseudo_inverse_times(svd, Y, same_score);
        B = pseudo_inverse_times(svd, X, same_score).transpose();
        for (Index r = 0; r < S.cols(); ++r) {
            const double inverse_length = lengths[r] > 0.0 ? 1.0 / lengths[r] : 0.0;
            W.row(r) *= inverse_length;
            B.col(r) *= inverse_length;
        }
    }

    Fit fit;
    fit.method = method;
    fit.weights = as_matrix(found.weights);
    fit.loadings = as_matrix(times_power_of_two(W, table.outputs.unit - table.inputs.unit));
    fit.input_loadings = as_matrix(B);
    fit.explained_inputs = explained(S, X);
    fit.explained_outputs = explained(S, Y);
    fit.importance = importance(found.weights, fit.explained_outputs);
    put_coefficients(table, found.coefficients ? *found.coefficients : times(found.rotation, W), center, fit);
    put_score_map(table.inputs, found.rotation, center, fit);
    require_finite(fit.loadings, "loading on component", "output");
    require_finite(fit.input_loadings, "loading of input", "component");
    if (x != nullptr) {
        put_scores(*x, table.inputs, found.rotation, fit);
    }
    for (Index r = 0; r < found.weights.cols(); ++r) {
        fit.selected.emplace_back();
        for (Index j = 0; j < found.weights.rows(); ++j) {
            if (found.weights(j, r) != 0.0) {
                fit.selected.back().push_back(static_cast<std::size_t>(j));
            }
        }
    }
    fit.notes = std::move(found.notes);
    return fit;
}

}  // namespace sluice::batch
