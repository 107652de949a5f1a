// factor_stream.cpp -- wide streams whose truth is known.
//
//     f_{t,g} = 0.5 f_{t-1,g} + e           hidden factors, e of unit variance
//     x_{t,i} = f_{t,g(i)} + 0.5 n          groups are blocks of neighbours
//     y_{t,j} = sum_g w_{t,j,g} f_{t,g} + 0.1 n,      w_t = w_{t-1} + drift e
//
// Every `break_every` rows w is drawn again.
#include <limits>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "uniform.hpp"

namespace sluice {

namespace {

constexpr double kMemory = 0.5;
constexpr double kInputNoise = 0.5;
constexpr double kOutputNoise = 0.1;

}  // namespace

FactorStream::FactorStream(const FactorOptions& options, std::uint64_t seed)
    : options_(options), normal_(seed), gaps_(seed + 1) {
    std::vector<std::string> problems;
    const auto require = [&](bool kept, const char* rule) {
        if (!kept) {
            problems.emplace_back(rule);
        }
    };
    require(options.inputs >= 1, "inputs: must be at least 1");
    require(options.outputs >= 1, "outputs: must be at least 1");
    require(options.groups >= 1 && options.groups <= options.inputs, "groups: must be 1 to the number of inputs");
    require(options.drift >= 0.0 && options.drift < std::numeric_limits<double>::infinity(),
            "drift: must be 0 or more, and finite");
    require(options.missing_share >= 0.0 && options.missing_share < 1.0, "missing: must be from 0 to below 1");
    if (!problems.empty()) {
        throw OptionError(problems);
    }
    factors_.resize(options.groups, 0.0);
    weights_.resize(options.groups * options.outputs);
    draw_weights();
}

void FactorStream::draw_weights() {
    for (double& weight : weights_) {
        weight = normal_.next();
    }
    since_break_ = 0;
}

void FactorStream::next(std::span<double> x, std::span<double> y) {
    if (options_.break_every > 0 && since_break_ == options_.break_every) {
        draw_weights();
    }
    ++since_break_;
    for (double& factor : factors_) {
        factor = (kMemory * factor) + normal_.next();
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = factors_[i * options_.groups / options_.inputs] + normal_.next(0.0, kInputNoise);
    }
    for (std::size_t j = 0; j < y.size(); ++j) {
        y[j] = normal_.next(0.0, kOutputNoise);
        for (std::size_t g = 0; g < options_.groups; ++g) {
            double& weight = weights_[(j * options_.groups) + g];
            if (options_.drift > 0.0) {
                weight += normal_.next(0.0, options_.drift);
            }
            y[j] += weight * factors_[g];
        }
    }
    if (options_.missing_share > 0.0) {
        for (const auto cells : {x, y}) {
            for (double& cell : cells) {
                if (uniform(gaps_) < options_.missing_share) {
                    cell = std::numeric_limits<double>::quiet_NaN();
                }
            }
        }
    }
}

}  // namespace sluice
