// Every set of vector instructions that this processor has must give the result of a plain loop.
#include "series_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "kernels.hpp"
#include "sluice/simulate.hpp"
#include "support/every_target.hpp"

namespace sluice::core::series_kernels_test {
namespace {

constexpr std::size_t kRows = 72;
constexpr std::size_t kStride = 80;
// Sums of 72 products of order 1: rounding is below 1e-13.
constexpr double kRounding = 1e-12;

template <typename Number>
struct Series {
    explicit Series(std::size_t count, std::uint64_t seed) : numbers(count * kStride) {
        NormalSource normal(seed);
        for (Number& v : numbers.all()) {
            v = static_cast<Number>(normal.next());
        }
        for (std::size_t c = 0; c < count; ++c) {
            pointers.push_back(numbers.data() + (c * kStride));
        }
    }
    Buffer<Number> numbers;
    std::vector<const Number*> pointers;
};

template <typename Number>
void expect_plain_dots(const kernels::RingRows& rows) {
    const Series<Number> series(19, 1);
    const Series<double> target(5, 2);
    std::vector<double> alone(1);
    for (const std::size_t targets : {1U, 2U, 3U, 4U, 5U}) {
        for (std::size_t count = 0; count <= 19; ++count) {
            std::vector<double> out(count * targets, -7.0);
            kernels::dots(series.pointers.data(), count, target.pointers.data(), targets, rows, out.data());
            for (std::size_t c = 0; c < count; ++c) {
                for (std::size_t m = 0; m < targets; ++m) {
                    double plain = 0.0;
                    for (std::size_t t = 0; t < kRows; ++t) {
                        const bool counts = (rows.first <= t && t < rows.last) || t < rows.wrapped;
                        plain += counts ? static_cast<double>(series.pointers[c][t]) * target.pointers[m][t] : 0.0;
                    }
                    ASSERT_NEAR(out[(c * targets) + m], plain, kRounding) << c << " of " << count << ", target " << m;
                    kernels::dots(&series.pointers[c], 1, &target.pointers[m], 1, rows, alone.data());
                    ASSERT_EQ(out[(c * targets) + m], alone[0]) << "the bits depend on what else is computed";
                }
            }
        }
    }
}

TEST(SeriesKernels, DotsAreThoseOfAPlainLoopAndTheirBitsDoNotDependOnTheirNumber) {
    test::on_every_target([](std::int64_t /*target*/) {
        for (const kernels::RingRows& rows : {kernels::RingRows{.first = 0, .last = kRows, .wrapped = 0},
                                              kernels::RingRows{.first = 40, .last = kRows, .wrapped = 16},
                                              kernels::RingRows{.first = 8, .last = 8, .wrapped = 0}}) {
            expect_plain_dots<double>(rows);
            expect_plain_dots<float>(rows);
        }
    });
}

TEST(SeriesKernels, WeightedScoresAreThoseOfAPlainLoopWithinTheirRows) {
    const Series<double> series(7, 3);
    const Series<double> other(2, 4);
    const double* coefficient = other.pointers[0];
    const double* weight = other.pointers[1];
    test::on_every_target([&](std::int64_t /*target*/) {
        for (const std::size_t first : {0U, 8U}) {
            Buffer<double> scores(kStride);
            Buffer<double> weighted(kStride);
            kernels::weighted_scores(series.pointers.data(), 7, coefficient, weight, first, kRows, scores.data(),
                                     weighted.data());
            for (std::size_t t = 0; t < kStride; ++t) {
                double plain = 0.0;
                for (std::size_t c = 0; c < 7 && first <= t && t < kRows; ++c) {
                    plain += series.pointers[c][t] * coefficient[c];
                }
                ASSERT_NEAR(scores[t], plain, kRounding);
                ASSERT_EQ(weighted[t], scores[t] * weight[t]);
            }
        }
    });
}

TEST(SeriesKernels, CrossBoundsEncloseEveryWeightWithinItsReach) {
    const Series<double> M(3, 5);
    const Series<double> more(3, 6);
    const double* ge = more.pointers[0];
    Buffer<double> w(kRows);
    Buffer<double> square(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        w[i] = i % 5 == 0 ? 0.0 : std::abs(more.pointers[1][i]);  // 0: does not vary
        square[i] = std::abs(more.pointers[2][i]);
    }
    Buffer<double> least(kRows);
    Buffer<double> most(kRows);
    test::on_every_target([&](std::int64_t /*target*/) {
        kernels::cross_bounds(M.numbers.data(), kStride, 3, ge, w.data(), square.data(), 0.5, kRows, least.data(),
                              most.data());
        for (std::size_t i = 0; i < kRows; ++i) {
            double along = 0.0;
            for (std::size_t k = 0; k < 3; ++k) {
                along += M.pointers[k][i] * ge[k];
            }
            const double size = std::sqrt(w[i]) * std::abs(along);
            const double reach = 0.5 * std::sqrt(w[i] * square[i]);
            ASSERT_NEAR(least[i], std::max(size - reach, 0.0), kRounding);
            ASSERT_NEAR(most[i], size + reach, kRounding);
        }
    });
}

}  // namespace
}  // namespace sluice::core::series_kernels_test
