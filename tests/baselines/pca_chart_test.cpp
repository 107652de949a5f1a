// The chart and its limits against numpy and scipy (pca_chart_reference.txt, redone by make_pca_chart_reference.py).
#include "pca_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "quantiles.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"

namespace sluice::baselines::pca_chart_test {
namespace {

std::ifstream reference() {
    return std::ifstream(SLUICE_SOURCE_DIR "/tests/baselines/pca_chart_reference.txt");
}

std::vector<double> numbers_of(std::istream& in) {
    std::string line;
    std::getline(in, line);
    std::istringstream words(line);
    std::vector<double> numbers;
    for (double number = 0.0; words >> number;) {
        numbers.push_back(number);
    }
    return numbers;
}

// Both sides round some hundred products of numbers of size 1 to 1e-16; distances of size 100.
constexpr double kClose = 1e-10;

TEST(PcaChart, AgreesWithNumpyAndScipy) {
    std::ifstream in = reference();
    int cases = 0;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what != "case") {
            continue;
        }
        std::size_t n = 0;
        std::size_t p = 0;
        PcaChartOptions options;
        words >> n >> p >> options.components >> options.level;
        std::vector<double> train;
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = numbers_of(in);
            ASSERT_EQ(row.size(), p);
            train.insert(train.end(), row.begin(), row.end());
        }
        const PcaChart chart(Rows(train, p), options);
        const auto limits = numbers_of(in);
        EXPECT_NEAR(chart.limits().t2, limits[0], kClose * limits[0]);
        EXPECT_NEAR(chart.limits().spe, limits[1], kClose * limits[1]);
        for (int row = 0; row < 5; ++row) {
            const auto x = numbers_of(in);
            const auto expected = numbers_of(in);
            const auto found = chart.measure(x);
            EXPECT_NEAR(found.t2, expected[0], kClose * (1.0 + expected[0]));
            EXPECT_NEAR(found.spe, expected[1], kClose * (1.0 + expected[1]));
        }
        ++cases;
    }
    EXPECT_EQ(cases, 3);
}

TEST(Quantiles, AgreeWithScipy) {
    std::ifstream in = reference();
    int seen = 0;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        double p = 0.0;
        double expected = 0.0;
        if (what == "normal") {
            words >> p >> expected;
            EXPECT_NEAR(normal_quantile(p), expected, 1e-9);  // erfc near 1 - 1e-6 has 1e-10 of its argument
            ++seen;
        } else if (what == "f") {
            double numerator = 0.0;
            double denominator = 0.0;
            words >> p >> numerator >> denominator >> expected;
            EXPECT_NEAR(f_quantile(p, numerator, denominator), expected, 1e-10 * (1.0 + expected)) << line;
            ++seen;
        }
    }
    EXPECT_EQ(seen, 10);
}

TEST(PcaChart, LeavesAboutOneInAHundredNewRowsBeyondEachLimit) {
    NormalSource normal(3);
    constexpr std::size_t kWidth = 5;
    const auto draw = [&] {
        const double common = normal.next();
        std::vector<double> row(kWidth);
        for (double& value : row) {
            value = (2.0 * common) + normal.next();
        }
        return row;
    };
    std::vector<double> train;
    for (int i = 0; i < 1000; ++i) {
        const auto row = draw();
        train.insert(train.end(), row.begin(), row.end());
    }
    const PcaChart chart(Rows(train, kWidth), {.components = 2});
    int t2 = 0;
    int spe = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto found = chart.measure(draw());
        t2 += found.t2 > chart.limits().t2 ? 1 : 0;
        spe += found.spe > chart.limits().spe ? 1 : 0;
    }
    // 200 are expected, give or take 14; the limits are from 1,000 rows and approximate.
    EXPECT_NEAR(t2, 200, 80);
    EXPECT_NEAR(spe, 200, 80);
}

TEST(PcaChart, AColumnThatDoesNotVarySaysNothing) {
    const std::vector<double> train{1.0, 2.0, 7.0, 2.0, 1.5, 7.0, 3.0, 3.5, 7.0, 2.5, 2.0, 7.0};
    const PcaChart chart(Rows(train, 3), {.components = 1});
    const auto usual = chart.measure(std::vector<double>{2.0, 2.0, 7.0});
    const auto other = chart.measure(std::vector<double>{2.0, 2.0, 100.0});
    EXPECT_EQ(usual.t2, other.t2);
    EXPECT_EQ(usual.spe, other.spe);
}

TEST(PcaChart, SaysEveryRuleThatItsOptionsBreak) {
    const std::vector<double> train{1.0, 2.0, 2.0, 1.5, 3.0, 3.5};
    try {
        const PcaChart chart(Rows(train, 2), {.components = 2, .level = 1.0});
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 2U);
    }
}

TEST(ConsecutiveRule, IsMetByTheLastOfSoManyRowsInARowAndOnce) {
    ConsecutiveRule rule(3);
    const std::vector<bool> beyond{true, true, false, true, true, true, true, true, false, true};
    std::vector<bool> found;
    for (const bool one : beyond) {
        found.push_back(rule.add(one));
    }
    EXPECT_EQ(found, (std::vector<bool>{false, false, false, false, false, true, false, false, false, false}));
}

}  // namespace
}  // namespace sluice::baselines::pca_chart_test
