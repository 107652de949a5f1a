// example.hpp -- data for the tests of the off-line methods, and Eigen's view of what goes in and comes out.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/fit.hpp"
#include "sluice/simulate.hpp"

namespace sluice::test {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// n rows of p inputs and q outputs, one after the other in memory.
struct Example {
    std::size_t p = 0;
    std::size_t q = 0;
    std::vector<double> x;
    std::vector<double> y;

    [[nodiscard]] std::size_t n() const { return x.size() / p; }
    [[nodiscard]] Rows inputs() const { return {x, p}; }
    [[nodiscard]] Rows outputs() const { return {y, q}; }
    [[nodiscard]] double& input(std::size_t row, std::size_t column) { return x[(row * p) + column]; }
    [[nodiscard]] double& output(std::size_t row, std::size_t column) { return y[(row * q) + column]; }
    [[nodiscard]] Eigen::MatrixXd X() const { return view(x, p); }
    [[nodiscard]] Eigen::MatrixXd Y() const { return view(y, q); }

    [[nodiscard]] static Eigen::MatrixXd view(const std::vector<double>& values, std::size_t width) {
        return Eigen::Map<const RowMajor>(values.data(), static_cast<Eigen::Index>(values.size() / width),
                                          static_cast<Eigen::Index>(width));
    }
};

/// Inputs that follow three hidden factors of falling strength plus noise, with means of their own; each output
/// follows the factors and a few inputs.
inline Example factor_example(std::size_t n, std::size_t p, std::size_t q, std::uint64_t seed = 1) {
    constexpr std::size_t factors = 3;
    NormalSource normal(seed);
    Example e{.p = p, .q = q, .x = std::vector<double>(n * p), .y = std::vector<double>(n * q)};
    std::vector<double> loadings(factors * (p + q));
    for (double& loading : loadings) {
        loading = normal.next();
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double f[factors] = {normal.next(0.0, 3.0), normal.next(0.0, 2.0), normal.next(0.0, 1.0)};
        for (std::size_t j = 0; j < p + q; ++j) {
            double value = static_cast<double>(j % 5) + normal.next(0.0, 0.5);
            for (std::size_t k = 0; k < factors; ++k) {
                value += f[k] * loadings[(j * factors) + k];
            }
            (j < p ? e.input(i, j) : e.output(i, j - p)) = value;
        }
        for (std::size_t k = 0; k < q; ++k) {
            e.output(i, k) += 0.5 * e.input(i, k % p);
        }
    }
    return e;
}

/// No forgetting, no scaling: the working inputs are the centred ones.
inline StreamOptions plain_options(std::size_t components, double ridge = 1e-5) {
    StreamOptions options = StreamOptions::paper();
    options.components = components;
    options.keep.clear();
    options.forgetting = 1.0;
    options.ridge = ridge;
    return options;
}

inline Eigen::MatrixXd as_eigen(const Matrix& m) {
    return Eigen::Map<const Eigen::MatrixXd>(m.data(), static_cast<Eigen::Index>(m.rows()),
                                             static_cast<Eigen::Index>(m.cols()));
}

inline Eigen::MatrixXd centred(const Eigen::MatrixXd& m) {
    return m.rowwise() - m.colwise().mean();
}

/// Largest |a - b|, once each column of a has the sign that brings it nearer to b.
inline double distance_up_to_signs(Eigen::MatrixXd a, const Eigen::MatrixXd& b) {
    for (Eigen::Index r = 0; r < a.cols(); ++r) {
        a.col(r) *= a.col(r).dot(b.col(r)) < 0.0 ? -1.0 : 1.0;
    }
    return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace sluice::test
