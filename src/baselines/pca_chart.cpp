#include "pca_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>

#include "quantiles.hpp"
#include "sluice/error.hpp"
#include "small_dense.hpp"

namespace sluice::baselines {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

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
    Matrix Z(n, width_);
    std::size_t varying = 0;
    for (std::size_t j = 0; j < width_; ++j) {
        const std::span<double> z = Z.column(j);
        for (std::size_t i = 0; i < n; ++i) {
            z[i] = rows[i][j];
        }
        mean_[j] = n > 0 ? std::accumulate(z.begin(), z.end(), 0.0) / static_cast<double>(n) : 0.0;
        for (double& value : z) {
            value -= mean_[j];
        }
        const double deviation = n > 1 ? std::sqrt(dot(z, z) / static_cast<double>(n - 1)) : 0.0;
        if (deviation > 0.0) {
            unit_[j] = 1.0 / deviation;
            ++varying;
        }
        for (double& value : z) {
            value *= unit_[j];
        }
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
    // Z'Z / (n - 1) = P diag(variances) P': of a matrix without negative eigenvalues, both decompositions are one.
    Matrix correlation(width_, width_);
    for (std::size_t j = 0; j < width_; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            correlation(i, j) = dot(Z.column(i), Z.column(j)) / static_cast<double>(n - 1);
            correlation(j, i) = correlation(i, j);
        }
    }
    std::vector<double> P(width_ * width_);
    std::vector<double> same(width_ * width_);
    std::vector<double> variances(width_);
    const std::span<const double> entries(correlation.data(), width_ * width_);
    core::square_svd(entries, P, variances, same);
    std::copy_n(P.begin(), direction_.size(), direction_.begin());
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
