#include "pca_chart.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "quantiles.hpp"
#include "sluice/error.hpp"

namespace sluice::baselines {

namespace {

double t2_limit(double level, double a, double n) {
    return a * (n - 1.0) * (n + 1.0) / (n * (n - a)) * f_quantile(level, a, n - a);
}

// variances: along the components that are left out.
double spe_limit(double level, std::span<const double> variances) {
    double t1 = 0.0;
    double t2 = 0.0;
    double t3 = 0.0;
    for (const double variance : variances) {
        t1 += variance;
        t2 += variance * variance;
        t3 += variance * variance * variance;
    }
    const double h = 1.0 - (2.0 * t1 * t3 / (3.0 * t2 * t2));
    const double c = normal_quantile(level);
    const double base = (c * std::sqrt(2.0 * t2 * h * h) / t1) + 1.0 + (t2 * h * (h - 1.0) / (t1 * t1));
    return t1 * std::pow(base, 1.0 / h);
}

}  // namespace

PcaChart::PcaChart(const Rows& rows, PcaChartOptions options)
    : width_(rows.width()),
      components_(options.components),
      mean_(width_, 0.0),
      unit_(width_, 0.0),
      direction_(width_ * components_) {
    const std::size_t n = rows.count();
    Eigen::MatrixXd Z(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(width_));
    std::size_t varying = 0;
    for (std::size_t j = 0; j < width_; ++j) {
        const auto at = static_cast<Eigen::Index>(j);
        for (std::size_t i = 0; i < n; ++i) {
            Z(static_cast<Eigen::Index>(i), at) = rows[i][j];
        }
        mean_[j] = n > 0 ? Z.col(at).mean() : 0.0;
        Z.col(at).array() -= mean_[j];
        const double deviation = n > 1 ? Z.col(at).norm() / std::sqrt(static_cast<double>(n - 1)) : 0.0;
        if (deviation > 0.0) {
            unit_[j] = 1.0 / deviation;
            ++varying;
        }
        Z.col(at) *= unit_[j];
    }
    std::vector<std::string> problems;
    if (components_ < 1 || components_ >= varying || components_ >= n) {
        problems.push_back(
            fmt::format("components = {}: must be at least 1 and below {}, the number of columns that vary, and {}, "
                        "the number of rows",
                        components_, varying, n));
    }
    if (options.level <= 0.0 || options.level >= 1.0 || std::isnan(options.level)) {
        problems.push_back(fmt::format("level = {}: must be above 0 and below 1", options.level));
    }
    if (!problems.empty()) {
        throw OptionError(problems);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(Z.transpose() * Z / static_cast<double>(n - 1));
    std::vector<double> variances(solver.eigenvalues().begin(), solver.eigenvalues().end());
    std::ranges::reverse(variances);  // the largest first
    for (std::size_t r = 0; r < components_; ++r) {
        const auto vector = solver.eigenvectors().col(static_cast<Eigen::Index>(width_ - 1 - r));
        std::ranges::copy(vector, direction_.begin() + static_cast<std::ptrdiff_t>(r * width_));
    }
    variance_.assign(variances.begin(), variances.begin() + static_cast<std::ptrdiff_t>(components_));
    limits_ = {.t2 = t2_limit(options.level, static_cast<double>(components_), static_cast<double>(n)),
               .spe = spe_limit(options.level, std::span(variances).subspan(components_))};
}

PcaChart::Distances PcaChart::measure(std::span<const double> row) const {
    assert(row.size() == width_);
    Distances out;
    for (std::size_t j = 0; j < width_; ++j) {
        const double z = (row[j] - mean_[j]) * unit_[j];
        out.spe += z * z;
    }
    for (std::size_t r = 0; r < components_; ++r) {
        double score = 0.0;
        for (std::size_t j = 0; j < width_; ++j) {
            score += direction_[(r * width_) + j] * (row[j] - mean_[j]) * unit_[j];
        }
        out.t2 += score * score / variance_[r];
        out.spe -= score * score;
    }
    out.spe = std::max(out.spe, 0.0);  // a difference of two sums
    return out;
}

}  // namespace sluice::baselines
