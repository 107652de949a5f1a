#include "shooting.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "as_index.hpp"

namespace sluice::baselines {

namespace {

// Where an input is a copy of one in use, z is +-gamma but for rounding, and it is not needed.
constexpr double kTie = 1e-12;

double soft_threshold(double z, double gamma) {
    const double left = std::abs(z) - gamma;
    return left > kTie ? std::copysign(left, z) : 0.0;
}

// c <- c - step R_:j
void subtract_column(std::span<const double> column, double step, std::vector<double>& c) {
    Eigen::Map<Eigen::VectorXd>(c.data(), as_index(c.size())) -=
        step * Eigen::Map<const Eigen::VectorXd>(column.data(), as_index(column.size()));
}

}  // namespace

std::size_t LassoPoint::names() const {
    return static_cast<std::size_t>(std::ranges::count_if(b, [](double value) { return value != 0.0; }));
}

double LassoPoint::residual(std::span<const double> r) const {
    double explained = 0.0;  // b'r + b'c = 2 b'r - b'Rb
    for (std::size_t j = 0; j < b.size(); ++j) {
        explained += b[j] * (r[j] + c[j]);
    }
    return 1.0 - explained;
}

void refresh_correlations(const WeightedMoments& moments, CorrelationColumns& columns, std::span<const double> r,
                          LassoPoint& point) {
    std::ranges::copy(r, point.c.begin());
    for (std::size_t j = 0; j < point.b.size(); ++j) {
        if (moments.correlation_square(j) == 0.0) {
            point.b[j] = 0.0;
        }
        if (point.b[j] != 0.0) {
            subtract_column(columns.column(moments, j), point.b[j], point.c);
        }
    }
}

void shoot(const WeightedMoments& moments, CorrelationColumns& columns, const ShootingOptions& options,
           LassoPoint& point) {
    // Visits input j; returns how far its coefficient moved.
    const auto visit = [&](std::size_t j) {
        const double before = point.b[j];
        const double after =
            moments.correlation_square(j) > 0.0 ? soft_threshold(point.c[j] + before, point.gamma) : 0.0;
        if (after != before) {
            point.b[j] = after;
            subtract_column(columns.column(moments, j), after - before, point.c);
        }
        return std::abs(after - before);
    };
    std::vector<std::size_t> active;
    for (std::size_t sweep = 0; sweep < options.most_sweeps;) {
        double moved = 0.0;
        for (std::size_t j = 0; j < point.b.size(); ++j) {
            moved = std::max(moved, visit(j));
        }
        ++sweep;
        if (moved <= options.tolerance) {
            return;
        }
        active.clear();
        for (std::size_t j = 0; j < point.b.size(); ++j) {
            if (point.b[j] != 0.0) {
                active.push_back(j);
            }
        }
        while (moved > options.tolerance && sweep < options.most_sweeps) {
            moved = 0.0;
            for (const std::size_t j : active) {
                moved = std::max(moved, visit(j));
            }
            ++sweep;
        }
    }
}

}  // namespace sluice::baselines
