#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "sluice/simulate.hpp"

namespace sluice::paper_stream_test {
namespace {

// Least squares of y on the three group sums over a stretch of rows: what the groups' coefficients are on average.
std::array<double, 3> group_coefficients(const std::vector<PaperStream::Row>& rows, std::size_t from, std::size_t to) {
    std::array<std::array<double, 4>, 3> A{};
    for (std::size_t t = from; t < to; ++t) {
        std::array<double, 3> sums{};
        for (std::size_t i = 0; i < PaperStream::inputs; ++i) {
            sums.at(i / PaperStream::group_size) += rows[t].x.at(i);
        }
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b) {
                A.at(a).at(b) += sums.at(a) * sums.at(b);
            }
            A.at(a)[3] += sums.at(a) * rows[t].y;
        }
    }
    for (std::size_t a = 0; a < 3; ++a) {  // Gauss-Jordan
        for (std::size_t b = 0; b < 3; ++b) {
            const double factor = b == a ? 0.0 : A.at(b).at(a) / A.at(a).at(a);
            for (std::size_t c = 0; c < 4; ++c) {
                A.at(b).at(c) -= factor * A.at(a).at(c);
            }
        }
    }
    return {A[0][3] / A[0][0], A[1][3] / A[1][1], A[2][3] / A[2][2]};
}

std::vector<PaperStream::Row> draw(PaperStream stream, std::size_t count) {
    std::vector<PaperStream::Row> rows;
    for (std::size_t t = 0; t < count; ++t) {
        rows.push_back(stream.next());
    }
    return rows;
}

void expect_coefficients(const std::array<double, 3>& found, const std::array<double, 3>& expected) {
    for (std::size_t g = 0; g < 3; ++g) {
        EXPECT_NEAR(found.at(g), expected.at(g), 0.15) << "group " << g + 1;
    }
}

TEST(PaperStream, FactorsFollowEquation21) {
    const auto rows = draw(PaperStream(PaperStream::Kind::constant, 4), 40000);
    const std::array<double, 3> delta = {0.1, 0.4, 0.2};
    const std::array<double, 3> error_mean = {0.0, -1.5, 1.5};
    for (std::size_t j = 0; j < 3; ++j) {
        std::vector<double> factor;  // the mean of a group's twenty streams: the factor, and noise of variance 1/20
        for (const auto& row : rows) {
            double sum = 0.0;
            for (std::size_t i = j * 20; i < (j + 1) * 20; ++i) {
                sum += row.x.at(i) / 20.0;
            }
            factor.push_back(sum);
        }
        double mean = 0.0;
        for (const double f : factor) {
            mean += f / static_cast<double>(factor.size());
        }
        double variance = 0.0;
        double lagged = 0.0;
        for (std::size_t t = 1; t < factor.size(); ++t) {
            variance += (factor[t] - mean) * (factor[t] - mean) / static_cast<double>(factor.size());
            lagged += (factor[t] - mean) * (factor[t - 1] - mean) / static_cast<double>(factor.size());
        }
        // Standard errors at 40,000 rows: 0.03 for means, 0.1 for variances.
        EXPECT_NEAR(mean, error_mean.at(j) / (1.0 - delta.at(j)), 0.15);
        EXPECT_NEAR(variance, (12.25 / (1.0 - (delta.at(j) * delta.at(j)))) + 0.05, 0.5);
        EXPECT_NEAR(lagged / variance, delta.at(j), 0.03);
    }
}

TEST(PaperStream, StreamsFollowTheirFactorWithUnitNoise) {  // eq. (22)
    const auto rows = draw(PaperStream(PaperStream::Kind::constant, 5), 20000);
    double within = 0.0;
    double across = 0.0;
    for (const auto& row : rows) {
        within += std::pow(row.x[3] - row.x[4], 2) / 20000.0;   // both of group 1: twice the noise
        across += std::pow(row.x[3] - row.x[24], 2) / 20000.0;  // groups 1 and 2
    }
    EXPECT_NEAR(within, 2.0, 0.1);
    EXPECT_GT(across, 20.0);
}

TEST(PaperStream, StaticKeepsItsCoefficients) {
    const auto rows = draw(PaperStream(PaperStream::Kind::constant, 1), 900);
    expect_coefficients(group_coefficients(rows, 0, 450), {10.0, 5.0, 0.0});
    expect_coefficients(group_coefficients(rows, 450, 900), {10.0, 5.0, 0.0});
}

TEST(PaperStream, SwitchingChangesAtRows101And301AndRepeatsAfter400) {
    const auto rows = draw(PaperStream(PaperStream::Kind::switching, 1), 800);
    for (const std::size_t cycle : {0U, 400U}) {
        expect_coefficients(group_coefficients(rows, cycle, cycle + 100), {10.0, 5.0, 0.0});
        expect_coefficients(group_coefficients(rows, cycle + 100, cycle + 300), {5.0, 10.0, 0.0});
        expect_coefficients(group_coefficients(rows, cycle + 300, cycle + 400), {0.0, 5.0, 10.0});
        EXPECT_EQ(rows[cycle + 99].large, 0);
        EXPECT_EQ(rows[cycle + 100].large, 1);
        EXPECT_EQ(rows[cycle + 300].large, 2);
        EXPECT_EQ(rows[cycle + 300].small, 1);
    }
}

TEST(PaperStream, TheTextLeavesGroupTwoLargeInTheThirdPhase) {
    const auto rows = draw(PaperStream(PaperStream::Kind::switching, 1, ThirdPhase::text), 400);
    expect_coefficients(group_coefficients(rows, 300, 400), {0.0, 10.0, 10.0});
}

TEST(PaperStream, SameSeedSameBits) {
    const auto a = draw(PaperStream(PaperStream::Kind::switching, 9), 50);
    const auto b = draw(PaperStream(PaperStream::Kind::switching, 9), 50);
    const auto c = draw(PaperStream(PaperStream::Kind::switching, 10), 50);
    EXPECT_EQ(a[49].x, b[49].x);
    EXPECT_EQ(a[49].y, b[49].y);
    EXPECT_NE(a[49].x, c[49].x);
}

TEST(PaperStream, ShareRightCountsTheSelectedOfAGroup) {
    const std::vector<std::size_t> selected = {0, 19, 20, 59};
    EXPECT_EQ(PaperStream::share_right(selected, 0), 0.5);
    EXPECT_EQ(PaperStream::share_right(selected, 1), 0.25);
    EXPECT_EQ(PaperStream::share_right({}, 1), 0.0);
}

TEST(NormalSource, HasTheMomentsOfANormal) {
    NormalSource normal(3);
    double first = 0.0;
    double second = 0.0;
    double fourth = 0.0;
    constexpr int kCount = 200000;
    for (int i = 0; i < kCount; ++i) {
        const double z = normal.next();
        first += z / kCount;
        second += z * z / kCount;
        fourth += z * z * z * z / kCount;
    }
    EXPECT_NEAR(first, 0.0, 0.01);
    EXPECT_NEAR(second, 1.0, 0.02);
    EXPECT_NEAR(fourth, 3.0, 0.1);
}

}  // namespace
}  // namespace sluice::paper_stream_test
