#include "spirit.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <numeric>

#include "as_index.hpp"
#include "require_valid.hpp"

namespace sluice::baselines {

namespace {

using Eigen::VectorXd;

// What is left of a direction after the others are taken out, below this: it is theirs.
constexpr double kNothingNew = 1e-8;

}  // namespace

std::vector<std::string> SpiritOptions::problems() const {
    std::vector<std::string> found;  // rules are written so that NaN breaks them
    const bool forgets = forgetting >= 0.5 && forgetting <= 1.0;
    const bool some_energy = low > 0.0 && low <= high;
    const bool not_all = high < 1.0;
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be 0.5 to 1", forgetting));
    }
    if (!some_energy) {
        found.push_back(fmt::format("low = {}: must be above 0 and at most high, which is {}", low, high));
    }
    if (!not_all) {
        found.push_back(fmt::format("high = {}: must be below 1", high));
    }
    if (most < 1) {
        found.emplace_back("most = 0: must be 1 or more");
    }
    return found;
}

Spirit::Spirit(std::size_t inputs, SpiritOptions options)
    : inputs_(inputs),
      options_(require_valid(options)),
      most_(std::min(options.most, inputs)),
      energy_of_(most_, 0.0),
      w_(inputs * most_, 0.0),
      d_(most_, 0.0),
      rest_(inputs, 0.0) {}

double Spirit::gain() const {
    return 1.0 / ((options_.forgetting * weight_) + 1.0);
}

void Spirit::add(std::span<const double> z, std::span<const double> carry) {
    assert(z.size() == inputs_ && carry.size() == inputs_);
    weight_ = (options_.forgetting * weight_) + 1.0;
    std::ranges::copy(z, rest_.begin());
    update_directions(carry);
    orthonormalize();
    update_energies(z);
    change_number(z);
}

void Spirit::update_directions(std::span<const double> carry) {
    const auto p = as_index(inputs_);
    const Eigen::Map<const VectorXd> carried(carry.data(), p);
    Eigen::Map<VectorXd> x(rest_.data(), p);
    for (std::size_t i = 0; i < k_; ++i) {
        Eigen::Map<VectorXd> w(w_.data() + (i * inputs_), p);
        w.array() *= carried.array();
        const double length = w.norm();
        if (length > 0.0) {
            w /= length;
        }
        const double y = w.dot(x);
        d_[i] = (options_.forgetting * d_[i]) + (y * y);
        if (d_[i] > 0.0) {
            w += (y / d_[i]) * (x - (y * w));
        }
        x -= y * w;
    }
}

void Spirit::orthonormalize() {
    const auto p = as_index(inputs_);
    for (std::size_t i = 0; i < k_; ++i) {
        Eigen::Map<VectorXd> w(w_.data() + (i * inputs_), p);
        const double before = w.norm();
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t l = 0; l < i; ++l) {
                const Eigen::Map<const VectorXd> other(w_.data() + (l * inputs_), p);
                w -= other.dot(w) * other;
            }
        }
        const double length = w.norm();
        if (length > kNothingNew * before) {
            w /= length;
        } else {
            w.setZero();
        }
    }
}

void Spirit::update_energies(std::span<const double> z) {
    const double lambda = options_.forgetting;
    energy_ = (lambda * energy_) + std::inner_product(z.begin(), z.end(), z.begin(), 0.0);
    for (std::size_t i = 0; i < k_; ++i) {
        const auto w = direction(i);
        const double y = std::inner_product(z.begin(), z.end(), w.begin(), 0.0);
        energy_of_[i] = (lambda * energy_of_[i]) + (y * y);
    }
}

double Spirit::kept_energy() const {
    const double kept = std::accumulate(energy_of_.begin(), energy_of_.begin() + static_cast<std::ptrdiff_t>(k_), 0.0);
    return energy_ > 0.0 ? kept / energy_ : 0.0;
}

void Spirit::change_number(std::span<const double> z) {
    ++unchanged_;
    if (energy_ <= 0.0 || (k_ > 0 && unchanged_ <= options_.wait)) {
        return;
    }
    const auto p = as_index(inputs_);
    const double kept = kept_energy();
    if (kept < options_.low && k_ < most_) {
        Eigen::Map<VectorXd> w(w_.data() + (k_ * inputs_), p);
        w = Eigen::Map<const VectorXd>(z.data(), p);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t l = 0; l < k_; ++l) {
                const Eigen::Map<const VectorXd> other(w_.data() + (l * inputs_), p);
                w -= other.dot(w) * other;
            }
        }
        const double length = w.norm();
        if (length <= kNothingNew) {
            w.setZero();
            return;
        }
        w /= length;
        d_[k_] = length * length;
        energy_of_[k_] = 0.0;
        ++k_;
        unchanged_ = 0;
    } else if (k_ > 1 && kept - (energy_of_[k_ - 1] / energy_) > options_.high) {
        --k_;
        std::fill_n(w_.begin() + static_cast<std::ptrdiff_t>(k_ * inputs_), inputs_, 0.0);
        unchanged_ = 0;
    }
}

}  // namespace sluice::baselines
