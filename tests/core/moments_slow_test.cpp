// A million rows: the moments' recursion in double, with its running scale, against the plain recursion in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <span>
#include <vector>

#include "moment_helpers.hpp"
#include "moments.hpp"

namespace sluice::core::moments_slow_test {
namespace {

constexpr std::size_t kInputs = 60;
constexpr std::size_t kOutputs = 2;
constexpr std::size_t kRows = 1'000'000;
constexpr std::size_t kSilent = 7;   // this input stays at one value after the first rows
constexpr std::size_t kMissing = 8;  // this one is not there any more
constexpr std::size_t kFirstRows = 1000;

// Cheap and the same everywhere: sums of uniform numbers, correlated by a common term, means far from zero.
class Rows {
  public:
    void next(std::size_t row, std::span<double> x, std::span<double> y) {
        const double common = uniform();
        for (std::size_t j = 0; j < x.size(); ++j) {
            const double place = static_cast<double>(j) - 20.0;
            x[j] = (3.0 * place) + (common * (j % 3 == 0 ? 2.0 : -1.0)) + uniform();
        }
        y[0] = 100.0 + x[0] - (2.0 * x[1]) + uniform();
        y[1] = -1.0 + (0.1 * x[2]) + uniform();
        if (row >= kFirstRows) {
            x[kSilent] = 1.5;
            x[kMissing] = std::numeric_limits<double>::quiet_NaN();
        }
    }

  private:
    double uniform() {  // splitmix64, in (-1, 1)
        std::uint64_t v = state_ += 0x9e3779b97f4a7c15U;
        v = (v ^ (v >> 30U)) * 0xbf58476d1ce4e5b9U;
        v = (v ^ (v >> 27U)) * 0x94d049bb133111ebU;
        return static_cast<double>(static_cast<std::int64_t>(v ^ (v >> 31U))) * 0x1p-63;
    }
    std::uint64_t state_ = 42;
};

bool gone(std::size_t j) {
    return j == kSilent || j == kMissing;
}

// sum w (x - mean)'(x - mean) over all columns that stay, outputs last; upper triangle.
class PlainMoments {
  public:
    static constexpr std::size_t kAll = kInputs + kOutputs;

    explicit PlainMoments(long double forgetting) : forgetting_(forgetting) {}

    void add(std::span<const double> x, std::span<const double> y) {
        const long double before = forgetting_ * weight;
        weight = before + 1.0L;
        for (std::size_t i = 0; i < kAll; ++i) {
            const long double value = static_cast<long double>(i < kInputs ? x[i] : y[i - kInputs]);
            deviation_[i] = gone(i) ? 0.0L : value - mean[i];
            mean[i] += deviation_[i] / weight;
        }
        for (std::size_t i = 0; i < kAll; ++i) {
            const long double factor = before / weight * deviation_[i];
            for (std::size_t j = i; j < kAll; ++j) {
                product(i, j) = (forgetting_ * product(i, j)) + (factor * deviation_[j]);
            }
        }
    }
    [[nodiscard]] long double& product(std::size_t i, std::size_t j) { return products_[(i * kAll) + j]; }

    long double weight = 0.0L;
    std::vector<long double> mean = std::vector<long double>(kAll, 0.0L);

  private:
    long double forgetting_;
    std::vector<long double> deviation_ = std::vector<long double>(kAll, 0.0L);
    std::vector<long double> products_ = std::vector<long double>(kAll * kAll, 0.0L);
};

double relative(long double ours, long double truth, long double size) {
    return static_cast<double>(std::abs(ours - truth) / size);
}

// A million additions, each rounded to 1e-16 of a sum that remembers 1/(1 - forgetting) rows: 1e-16 of random sign
// times the root of the rows remembered, 1e-13 at worst, times some tens for means of up to 100 deviations.
constexpr double kTolerance = 1e-9;

void expect_long_run_to_agree(double forgetting) {
    Moments moments(kInputs, kOutputs, {.forgetting = forgetting, .center = true});
    PlainMoments plain(static_cast<long double>(forgetting));
    Rows rows;
    std::vector<double> x(kInputs);
    std::vector<double> y(kOutputs);
    const std::vector<unsigned char> observed(kOutputs, 1);
    for (std::size_t row = 0; row < kRows; ++row) {
        rows.next(row, x, y);
        add_row(moments, x, y, observed);
        plain.add(x, y);
    }

    // In the caller's units. A column's unit is a power of two, so that nothing is rounded here.
    auto unit = [&](std::size_t i) -> long double {
        return static_cast<long double>(i < kInputs ? moments.inputs.units().in_callers_units(i, 1.0)
                                                    : moments.outputs.units().in_callers_units(i - kInputs, 1.0));
    };
    EXPECT_LE(relative(static_cast<long double>(moments.inputs.weight()), plain.weight, plain.weight), kTolerance);
    double worst = 0.0;
    double worst_mean = 0.0;
    for (std::size_t i = 0; i < PlainMoments::kAll; ++i) {
        if (gone(i)) {
            continue;
        }
        const auto mean =
            static_cast<long double>(i < kInputs ? moments.inputs.mean(i) : moments.outputs.mean(i - kInputs));
        worst_mean = std::max(worst_mean, relative(mean * unit(i), plain.mean[i], std::abs(plain.mean[i]) + 1.0L));
        for (std::size_t j = i; i < kInputs && j < PlainMoments::kAll; ++j) {
            if (gone(j)) {
                continue;
            }
            const double stored = j < kInputs ? entry(moments, i, j) : moments.inputs.cross(i, j - kInputs);
            const long double ours = static_cast<long double>(stored * moments.inputs.scale()) * unit(i) * unit(j);
            const long double size = std::sqrt(plain.product(i, i) * plain.product(j, j));
            worst = std::max(worst, relative(ours, plain.product(i, j), size));
        }
    }
    EXPECT_LE(worst, kTolerance);
    EXPECT_LE(worst_mean, kTolerance);
    std::cout << "largest relative difference: moments " << worst << ", means " << worst_mean << "\n";

    for (std::size_t j = 0; j < kInputs; ++j) {
        for (std::size_t i = 0; i < kInputs; ++i) {
            ASSERT_NE(std::fpclassify(entry(moments, i, j)), FP_SUBNORMAL) << i << ", " << j;
            ASSERT_EQ(entry(moments, i, j), entry(moments, j, i));
        }
        for (std::size_t k = 0; k < kOutputs; ++k) {
            ASSERT_NE(std::fpclassify(moments.inputs.cross(j, k)), FP_SUBNORMAL) << j << ", " << k;
        }
    }
}

TEST(Moments, AMillionRowsAtForgetting090AgreeWithLongDouble) {
    expect_long_run_to_agree(0.9);
}

TEST(Moments, AMillionRowsAtForgetting099AgreeWithLongDouble) {
    expect_long_run_to_agree(0.99);
}

TEST(Moments, AMillionRowsWithoutForgettingAgreeWithLongDouble) {
    expect_long_run_to_agree(1.0);
}

}  // namespace
}  // namespace sluice::core::moments_slow_test
