#include "lwpr_pls.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "as_index.hpp"
#include "power_of_two.hpp"
#include "require_valid.hpp"

namespace sluice::baselines {

namespace {

using Eigen::Map;
using Eigen::VectorXd;

constexpr std::size_t kFirstProjections = 2;
// An output this many units large gets a larger unit.
constexpr double kLargestOutput = 0x1p64;
// A projection whose square is below this share of those of the row at first is what rounding left of it.
constexpr double kNoProjection = 1e-12;

}  // namespace

std::vector<std::string> LwprPlsOptions::problems() const {
    std::vector<std::string> found;  // rules are written so that NaN breaks them
    const bool forgets = forgetting >= 0.5 && forgetting <= 1.0;
    const bool lowers = add >= 0.0 && add <= 1.0;
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be 0.5 to 1", forgetting));
    }
    if (!lowers) {
        found.push_back(fmt::format("add = {}: must be 0 to 1", add));
    }
    if (most < kFirstProjections) {
        found.push_back(fmt::format("most = {}: must be {} or more", most, kFirstProjections));
    }
    return found;
}

LwprPls::LwprPls(std::size_t inputs, std::size_t outputs, LwprPlsOptions options)
    : options_(require_valid(options)),
      inputs_(inputs),
      most_(std::min(options.most, inputs)),
      of_(outputs),
      z_(inputs, 0.0),
      forecast_(most_ + 1, 0.0) {
    for (Output& out : of_) {
        out.u.resize(inputs * most_);
        out.SZ.resize(inputs * most_);
        out.SS.resize(most_);
        out.SE.resize(most_);
        out.squares.resize(most_);
        out.weights.resize(most_);
        out.count = std::min(kFirstProjections, most_);
    }
}

// y[r]: what the first r projections predict beyond the mean, in units of the output. z is what they leave of the row.
void LwprPls::predict_each(const Output& out, std::span<double> z, std::span<double> y) const {
    const auto p = as_index(inputs_.size());
    Map<VectorXd> left(z.data(), p);
    y[0] = 0.0;
    for (std::size_t r = 0; r < out.count; ++r) {
        const Map<const VectorXd> u(out.u.data() + (r * inputs_.size()), p);
        const Map<const VectorXd> SZ(out.SZ.data() + (r * inputs_.size()), p);
        const double length = u.norm();
        y[r + 1] = y[r];
        if (length > 0.0 && out.SS[r] > 0.0) {
            const double s = left.dot(u) / length;
            y[r + 1] += s * (out.SE[r] / out.SS[r]);
            left -= (s / out.SS[r]) * SZ;
        }
    }
}

// The last projection predicts where it has lowered the error.
std::size_t LwprPls::trusted(const Output& out) {
    const std::size_t R = out.count;
    if (R < 2 || out.weights[R - 1] <= 0.0 || out.weights[R - 2] <= 0.0) {
        return R < 2 ? R : R - 1;
    }
    return out.squares[R - 1] * out.weights[R - 2] < out.squares[R - 2] * out.weights[R - 1] ? R : R - 1;
}

void LwprPls::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs_.size(), "x");
    assert(y.size() == of_.size());
    std::vector<double> row(inputs_.size());
    for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = inputs_.standard(x, j);
    }
    std::vector<double> z(row.size());
    std::vector<double> each(most_ + 1, 0.0);
    for (std::size_t k = 0; k < of_.size(); ++k) {
        z = row;
        predict_each(of_[k], z, each);
        y[k] = of_[k].mean + (of_[k].unit * each[trusted(of_[k])]);
    }
}

void LwprPls::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, inputs_.size(), "x");
    check_row(y, of_.size(), "y");
    if (!any_there(y)) {
        inputs_.see(x);
        return;
    }
    // Errors one step ahead, by the means and deviations before the row.
    for (std::size_t k = 0; k < of_.size(); ++k) {
        Output& out = of_[k];
        if (std::isnan(y[k])) {
            continue;
        }
        adopt_unit(out, y[k]);
        for (std::size_t j = 0; j < z_.size(); ++j) {
            z_[j] = inputs_.standard(x, j);
        }
        predict_each(out, z_, forecast_);
        for (std::size_t r = 0; r < out.count; ++r) {
            const double error = ((y[k] - out.mean) / out.unit) - forecast_[r + 1];
            out.squares[r] = (options_.forgetting * out.squares[r]) + (error * error);
            out.weights[r] = (options_.forgetting * out.weights[r]) + 1.0;
        }
    }
    weight_ = (options_.forgetting * weight_) + 1.0;
    inputs_.add(x, 1.0 / weight_);
    const auto p = as_index(inputs_.size());
    const Map<const VectorXd> carry(inputs_.carry().data(), p);
    for (std::size_t k = 0; k < of_.size(); ++k) {
        for (std::size_t r = 0; r < of_[k].count; ++r) {
            Map<VectorXd>(of_[k].u.data() + (r * inputs_.size()), p).array() *= carry.array();
            Map<VectorXd>(of_[k].SZ.data() + (r * inputs_.size()), p).array() *= carry.array();
        }
        if (!std::isnan(y[k])) {
            learn_output(of_[k], y[k]);
        }
    }
}

// The first value that is not zero, or one far beyond the unit, sets the unit.
void LwprPls::adopt_unit(Output& out, double y) const {
    if (!out.known) {
        out.known = true;
        out.mean = y;
        out.unit = 0.0;
    }
    if (std::abs(y) > kLargestOutput * out.unit) {
        const double unit = power_of_two_near(std::abs(y));
        const double ratio = out.unit / unit;  // 0 at first, where all that is converted is 0
        for (std::size_t r = 0; r < out.count; ++r) {
            Map<VectorXd>(out.u.data() + (r * inputs_.size()), as_index(inputs_.size())) *= ratio;
            out.SE[r] *= ratio;
            out.squares[r] *= ratio * ratio;
        }
        out.unit = unit;
    }
    out.unit = out.unit > 0.0 ? out.unit : 1.0;
}

void LwprPls::learn_output(Output& out, double y) {
    const double lambda = options_.forgetting;
    out.weight = (lambda * out.weight) + 1.0;
    out.mean += (y - out.mean) / out.weight;
    double e = (y - out.mean) / out.unit;
    const auto p = as_index(inputs_.size());
    std::ranges::copy(inputs_.row(), z_.begin());
    Map<VectorXd> z(z_.data(), p);
    const double whole = z.squaredNorm();
    for (std::size_t r = 0; r < out.count; ++r) {
        Map<VectorXd> u(out.u.data() + (r * inputs_.size()), p);
        Map<VectorXd> SZ(out.SZ.data() + (r * inputs_.size()), p);
        u = (lambda * u) + (e * z);
        const double length = u.norm();
        double s = length > 0.0 ? z.dot(u) / length : 0.0;
        s = s * s > kNoProjection * whole ? s : 0.0;
        out.SS[r] = (lambda * out.SS[r]) + (s * s);
        out.SE[r] = (lambda * out.SE[r]) + (s * e);
        SZ = (lambda * SZ) + (s * z);
        if (out.SS[r] > 0.0) {
            z -= (s / out.SS[r]) * SZ;
            e -= s * (out.SE[r] / out.SS[r]);
        }
    }
    ++out.trial;
    add_projection(out);
}

void LwprPls::add_projection(Output& out) const {
    const std::size_t R = out.count;
    if (R < 2 || R == most_ || out.trial < options_.trial) {
        return;
    }
    const double last = out.squares[R - 1] / out.weights[R - 1];
    const double before = out.squares[R - 2] / out.weights[R - 2];
    if (last < options_.add * before) {
        ++out.count;
        out.trial = 0;
    }
}

double LwprPls::mean_square(std::size_t output, std::size_t r) const {
    const Output& out = of_.at(output);
    assert(r < out.count);
    return out.weights[r] > 0.0 ? out.unit * out.unit * (out.squares[r] / out.weights[r]) : 0.0;
}

// The prediction of an input's unit step, projection by projection: b = sum_r b_r d_r, where d_r is what z_r is of z_1.
Matrix LwprPls::coefficients() const {
    const auto p = as_index(inputs_.size());
    Matrix b(inputs_.size(), of_.size());
    for (std::size_t k = 0; k < of_.size(); ++k) {
        const Output& out = of_[k];
        std::vector<VectorXd> rotations;  // s_r = rotation_r' z_1
        VectorXd sum = VectorXd::Zero(p);
        for (std::size_t r = 0; r < trusted(out); ++r) {
            const Map<const VectorXd> u(out.u.data() + (r * inputs_.size()), p);
            VectorXd rotation = VectorXd::Zero(p);
            if (u.norm() > 0.0 && out.SS[r] > 0.0) {
                rotation = u.normalized();
                for (std::size_t i = 0; i < r; ++i) {
                    const Map<const VectorXd> SZ(out.SZ.data() + (i * inputs_.size()), p);
                    if (out.SS[i] > 0.0) {
                        rotation -= (SZ.dot(u) / (u.norm() * out.SS[i])) * rotations[i];
                    }
                }
                sum += (out.SE[r] / out.SS[r]) * rotation;
            }
            rotations.push_back(rotation);
        }
        for (std::size_t j = 0; j < inputs_.size(); ++j) {
            b(j, k) = sum[as_index(j)] * inputs_.scale(j) * out.unit;
        }
    }
    return b;
}

std::size_t LwprPls::bytes() const noexcept {
    const std::size_t each = ((2 * inputs_.size()) + 4) * most_;
    return inputs_.bytes() + (((of_.size() * each) + (2 * inputs_.size()) + most_) * sizeof(double));
}

}  // namespace sluice::baselines
