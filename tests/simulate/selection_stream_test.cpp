#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"

namespace sluice::selection_stream_test {
namespace {

struct Rows {
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    std::vector<SelectionStream::Truth> truth;
};

Rows draw(const SelectionOptions& options, std::uint64_t seed, std::size_t count) {
    SelectionStream stream(options, seed);
    Rows rows;
    for (std::size_t t = 0; t < count; ++t) {
        rows.x.emplace_back(options.inputs);
        rows.y.push_back(stream.next(rows.x.back()));
        rows.truth.push_back(stream.truth());
    }
    return rows;
}

double signal_of(const SelectionStream::Truth& truth, const std::vector<double>& x) {
    double sum = 0.0;
    for (std::size_t i = 0; i < truth.drivers.size(); ++i) {
        sum += truth.coefficients[i] * x[truth.drivers[i]];
    }
    return sum;
}

TEST(SelectionStream, DriversAreAsManyAsAskedForAndOtherInputsFromTheChangeOn) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const Rows rows = draw({.inputs = 9, .drivers = 5, .drivers_after = 4, .change_at = 7}, seed, 10);
        for (std::size_t t = 0; t < 10; ++t) {
            const SelectionStream::Truth& truth = rows.truth[t];
            ASSERT_EQ(truth.drivers.size(), t < 7 ? 5U : 4U) << "seed " << seed << ", row " << t + 1;
            ASSERT_EQ(truth.coefficients.size(), truth.drivers.size());
            EXPECT_TRUE(std::ranges::is_sorted(truth.drivers));
            EXPECT_EQ(truth.drivers, rows.truth[t < 7 ? 0 : 7].drivers);
            for (const double coefficient : truth.coefficients) {
                EXPECT_GE(std::abs(coefficient), 1.0);
                EXPECT_LE(std::abs(coefficient), 2.0);
            }
        }
        std::set<std::size_t> all(rows.truth[0].drivers.begin(), rows.truth[0].drivers.end());
        all.insert(rows.truth[9].drivers.begin(), rows.truth[9].drivers.end());
        EXPECT_EQ(all.size(), 9U) << "five and four different ones of nine are all";
        EXPECT_EQ(*all.rbegin(), 8U);
    }
}

TEST(SelectionStream, TheOutputIsTheSignalAndTheSameNoiseInUnitsOfItsDeviation) {
    const SelectionOptions few{.inputs = 6, .drivers = 2, .drivers_after = 1, .signal_to_noise = 4.0, .change_at = 20};
    const Rows noise = draw({.inputs = 6, .drivers = 0}, 3, 40);
    const Rows rows = draw(few, 3, 40);
    for (std::size_t t = 0; t < 40; ++t) {
        EXPECT_EQ(noise.truth[t].noise_variance, 1.0);
        EXPECT_EQ(noise.x[t], rows.x[t]) << "the inputs do not depend on who drives the output";
        const double left = rows.y[t] - signal_of(rows.truth[t], rows.x[t]);
        EXPECT_NEAR(left / std::sqrt(rows.truth[t].noise_variance), noise.y[t], 1e-12);  // rounding of sums of size 10
    }
}

TEST(SelectionStream, InputsShareOneFactorWithTheWeightOfTheirCorrelation) {
    const Rows plain = draw({.inputs = 5, .correlation = 0.0}, 8, 30);
    const Rows related = draw({.inputs = 5, .correlation = 0.75}, 8, 30);
    for (std::size_t t = 0; t < 30; ++t) {
        const double common = related.x[t][0] - (0.5 * plain.x[t][0]);  // sqrt(1 - 0.75) = 0.5
        EXPECT_NE(common, 0.0);
        for (std::size_t j = 1; j < 5; ++j) {
            EXPECT_NEAR(related.x[t][j] - (0.5 * plain.x[t][j]), common, 1e-14);  // a few units of rounding
        }
    }
}

TEST(SelectionStream, TheSignalsVarianceIsThatOfTheCoefficientsUnderEqualCorrelation) {
    for (const double rho : {0.0, 0.5, 0.9}) {
        SelectionStream stream({.inputs = 40, .drivers = 5, .correlation = rho, .signal_to_noise = 20.0}, 4);
        const SelectionStream::Truth& truth = stream.truth();
        double variance = 0.0;
        for (std::size_t i = 0; i < 5; ++i) {
            for (std::size_t j = 0; j < 5; ++j) {
                variance += truth.coefficients[i] * truth.coefficients[j] * (i == j ? 1.0 : rho);
            }
        }
        EXPECT_NEAR(truth.signal_variance, variance, 1e-12);
        EXPECT_NEAR(truth.noise_variance, variance / 20.0, 1e-13);
    }
}

TEST(SelectionStream, ManyRowsHaveTheVariancesAndTheCorrelationThatAreSaid) {
    const SelectionOptions options{
        .inputs = 3, .drivers = 2, .correlation = 0.5, .signal_to_noise = 2.0, .change_at = 0};
    constexpr std::size_t kRows = 40'000;
    const Rows rows = draw(options, 6, kRows);
    double first = 0.0;
    double both = 0.0;
    double output = 0.0;
    for (std::size_t t = 0; t < kRows; ++t) {
        first += rows.x[t][0] * rows.x[t][0] / kRows;
        both += rows.x[t][0] * rows.x[t][2] / kRows;
        output += rows.y[t] * rows.y[t] / kRows;
    }
    // One standard error is at most 0.7 % of a variance: sqrt(2 / 40,000).
    EXPECT_NEAR(first, 1.0, 0.03);
    EXPECT_NEAR(both, 0.5, 0.03);
    EXPECT_NEAR(output / (1.5 * rows.truth[0].signal_variance), 1.0, 0.03);
}

TEST(SelectionStream, ALaterChangeMovesTheChangeAndNothingElse) {
    SelectionOptions options{.inputs = 12, .change_at = 20};
    const Rows early = draw(options, 2, 40);
    options.change_at = 30;
    const Rows late = draw(options, 2, 40);
    for (std::size_t t = 0; t < 40; ++t) {
        EXPECT_EQ(early.x[t], late.x[t]);
        EXPECT_EQ(early.y[t] == late.y[t], t < 20 || t >= 30) << "row " << t + 1;
    }
    options.change_at = 0;
    const Rows never = draw(options, 2, 40);
    EXPECT_EQ(never.truth[39].drivers, early.truth[0].drivers);
    EXPECT_TRUE(std::equal(never.y.begin(), never.y.begin() + 20, early.y.begin()));
}

TEST(SelectionStream, OverManySeedsEveryInputAndBothSignsAreChosenEquallyOften) {
    std::vector<int> chosen(10);
    int positive = 0;
    constexpr int kSeeds = 4000;
    for (int seed = 0; seed < kSeeds; ++seed) {
        const SelectionStream stream({.inputs = 10, .drivers = 1}, static_cast<std::uint64_t>(seed) * 7919U);
        ++chosen[stream.truth().drivers[0]];
        positive += stream.truth().coefficients[0] > 0.0 ? 1 : 0;
    }
    for (const int times : chosen) {
        EXPECT_NEAR(times, 400, 95);  // five deviations of a binomial with 4,000 trials and 0.1
    }
    EXPECT_NEAR(positive, 2000, 160);  // five deviations with 0.5
}

TEST(SelectionStream, SameSeedSameBits) {
    const SelectionOptions options{.inputs = 8, .correlation = 0.3};
    EXPECT_EQ(draw(options, 5, 30).y, draw(options, 5, 30).y);
    EXPECT_NE(draw(options, 5, 30).y, draw(options, 6, 30).y);
}

TEST(SelectionStream, OptionsOutsideTheirRangesAreRefusedAllAtOnce) {
    EXPECT_TRUE((SelectionOptions{.inputs = 1, .drivers = 0}.problems().empty()));
    EXPECT_TRUE((SelectionOptions{.inputs = 4, .drivers = 4, .change_at = 0}.problems().empty()));
    EXPECT_TRUE((SelectionOptions{.inputs = 4, .drivers = 1, .drivers_after = 3}.problems().empty()));
    EXPECT_TRUE((SelectionOptions{.correlation = 0.999, .signal_to_noise = 1e-9}.problems().empty()));
    EXPECT_EQ((SelectionOptions{.inputs = 4, .drivers = 5, .change_at = 0}.problems().size()), 1U);
    EXPECT_EQ((SelectionOptions{.inputs = 4, .drivers = 1, .drivers_after = 4}.problems().size()), 1U);
    EXPECT_EQ((SelectionOptions{.inputs = 3, .drivers = 2}.problems().size()), 1U) << "as many other inputs afterwards";
    EXPECT_EQ((SelectionOptions{.correlation = 1.0}.problems().size()), 1U);
    EXPECT_EQ((SelectionOptions{.correlation = -0.1}.problems().size()), 1U);
    EXPECT_EQ((SelectionOptions{.correlation = std::nan("")}.problems().size()), 1U);
    EXPECT_EQ((SelectionOptions{.signal_to_noise = 0.0}.problems().size()), 1U);
    EXPECT_EQ((SelectionOptions{.signal_to_noise = std::nan("")}.problems().size()), 1U);
    try {
        const SelectionStream stream(
            {.inputs = 0, .drivers = 9, .correlation = 2.0, .signal_to_noise = -1.0, .change_at = 0}, 1);
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 4U) << error.what();
    }
}

}  // namespace
}  // namespace sluice::selection_stream_test
