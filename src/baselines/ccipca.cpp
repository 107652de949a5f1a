#include "ccipca.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cassert>

#include "as_index.hpp"
#include "require_valid.hpp"

namespace sluice::baselines {

namespace {

// A direction shorter than this is none: nothing is left of the row after the directions before it.
constexpr double kNoDirection = 1e-12;

}  // namespace

std::vector<std::string> CcipcaOptions::problems() const {
    std::vector<std::string> found;
    if (components < 1) {
        found.emplace_back("components = 0: must be 1 or more");
    }
    const bool counts = amnesic >= 0.0 && amnesic <= 100.0;  // written so that NaN breaks the rule
    if (!counts) {
        found.push_back(fmt::format("amnesic = {}: must be 0 to 100", amnesic));
    }
    return found;
}

Ccipca::Ccipca(std::size_t inputs, CcipcaOptions options)
    : inputs_(inputs),
      components_(std::min(require_valid(options).components, inputs)),
      amnesic_(options.amnesic),
      v_(inputs * components_, 0.0),
      w_(inputs * components_, 0.0),
      u_(inputs, 0.0) {}

double Ccipca::gain() const {
    const double n = static_cast<double>(rows_) + 1.0;
    return rows_ == 0 ? 1.0 : std::min((1.0 + amnesic_) / n, 0.5);
}

void Ccipca::add(std::span<const double> z, std::span<const double> carry) {
    assert(z.size() == inputs_ && carry.size() == inputs_);
    const double share = gain();
    const auto p = as_index(inputs_);
    const Eigen::Map<const Eigen::VectorXd> carried(carry.data(), p);
    Eigen::Map<Eigen::VectorXd> u(u_.data(), p);
    u = Eigen::Map<const Eigen::VectorXd>(z.data(), p);
    ++rows_;
    for (std::size_t i = 0; i < components_; ++i) {
        Eigen::Map<Eigen::VectorXd> v(v_.data() + (i * inputs_), p);
        Eigen::Map<Eigen::VectorXd> w(w_.data() + (i * inputs_), p);
        v.array() *= carried.array();
        const double before = v.norm();
        if (before > kNoDirection) {
            v = ((1.0 - share) * v) + ((share * u.dot(v) / before) * u);
        } else {  // the first row that has something left for this direction
            v = u;
        }
        const double length = v.norm();
        if (length <= kNoDirection) {
            v.setZero();
            w.setZero();
            break;  // and nothing for those after it
        }
        w = v / length;
        if (!(before > kNoDirection)) {
            break;  // u lies in v: nothing is left
        }
        u -= u.dot(w) * w;
    }
}

double Ccipca::eigenvalue(std::size_t i) const {
    return Eigen::Map<const Eigen::VectorXd>(v_.data() + (i * inputs_), as_index(inputs_)).norm();
}

}  // namespace sluice::baselines
