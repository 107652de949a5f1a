// What every method of the table guarantees, whatever it computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "methods.hpp"
#include "sluice/error.hpp"
#include "support/streams.hpp"

namespace sluice::test::method_manners_test {
namespace {

using baselines::Method;
using baselines::MethodEntry;

constexpr std::size_t p = 12;
constexpr std::size_t q = 2;
constexpr std::size_t names = 6;

class MethodManners : public ::testing::TestWithParam<MethodEntry> {
  protected:
    [[nodiscard]] static std::unique_ptr<Method> make(std::size_t inputs = p, std::size_t outputs = q) {
        return GetParam().make({.inputs = inputs, .outputs = outputs, .names = names, .season = 7});
    }
    [[nodiscard]] static std::unique_ptr<Method> taught(const Table& table, std::size_t rows) {
        auto method = make();
        for (std::size_t t = 0; t < rows; ++t) {
            method->learn(table.x_row(t), table.y_row(t));
        }
        return method;
    }
    [[nodiscard]] static std::vector<double> predicted(const Method& method, std::span<const double> x,
                                                       std::size_t outputs = q) {
        std::vector<double> y(outputs);
        method.predict(x, y);
        return y;
    }
    // All that can be seen of a method.
    [[nodiscard]] std::vector<double> answers(const Method& method) const {
        std::vector<double> all;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto y = predicted(method, table.x_row(t));
            all.insert(all.end(), y.begin(), y.end());
        }
        return all;
    }

    const Table table = factor_table(7, 120, p, q);
};

TEST_P(MethodManners, PredictingBeforeLearningGivesZeros) {
    EXPECT_EQ(predicted(*make(), table.x_row(0)), std::vector<double>(q, 0.0));
    EXPECT_TRUE(make()->selected().empty());
}

TEST_P(MethodManners, PredictingChangesNothing) {
    const auto method = taught(table, 60);
    const auto before = answers(*method);
    EXPECT_EQ(answers(*method), before);
    const auto other = taught(table, 60);
    method->learn(table.x_row(60), table.y_row(60));
    other->learn(table.x_row(60), table.y_row(60));
    EXPECT_EQ(answers(*method), answers(*other));
}

TEST_P(MethodManners, SameRowsGiveTheSameBits) {
    const auto one = taught(table, 120);
    const auto other = taught(table, 120);
    EXPECT_EQ(answers(*one), answers(*other));
    EXPECT_EQ(one->selected(), other->selected());
}

TEST_P(MethodManners, ACloneIsIndependent) {
    const auto original = taught(table, 60);
    const auto before = answers(*original);
    const auto clone = original->clone();
    EXPECT_EQ(answers(*clone), before);
    clone->learn(table.x_row(60), table.y_row(60));
    EXPECT_EQ(answers(*original), before);
    EXPECT_EQ(answers(*clone), answers(*taught(table, 61)));
}

TEST_P(MethodManners, WrongWidthsAndInfinitiesAreRefusedAndChangeNothing) {
    const auto method = taught(table, 40);
    const auto before = answers(*method);
    std::vector<double> x(p, 1.0);
    std::vector<double> y(q, 1.0);
    EXPECT_THROW(method->learn(std::span(x).first(p - 1), y), DataError);
    EXPECT_THROW(method->learn(x, std::span(y).first(q - 1)), DataError);
    EXPECT_THROW(method->predict(std::span(x).first(p - 1), y), DataError);
    x[3] = std::numeric_limits<double>::infinity();
    EXPECT_THROW(method->learn(x, y), DataError);
    EXPECT_THROW(method->predict(x, y), DataError);
    x[3] = 1.0;
    y[1] = -std::numeric_limits<double>::infinity();
    EXPECT_THROW(method->learn(x, y), DataError);
    EXPECT_EQ(answers(*method), before);
}

TEST_P(MethodManners, HardRowsGiveFinitePredictions) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double scale : {1e-150, 1.0, 1e100}) {
        const auto method = make();
        for (std::size_t t = 0; t < table.rows(); ++t) {
            std::vector<double> x(table.x_row(t).begin(), table.x_row(t).end());
            std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
            for (double& value : x) {
                value *= scale;
            }
            for (double& value : y) {
                value *= scale;
            }
            x[0] = 5.0 * scale;  // constant
            x[2] = x[1];         // twice the same
            x[3] = t % 3 == 0 ? nan : x[3];
            y[0] = t % 5 == 0 ? nan : y[0];
            y[1] = t % 10 == 0 ? nan : y[1];
            for (const double value : predicted(*method, x)) {
                ASSERT_TRUE(std::isfinite(value)) << "scale " << scale << ", row " << t;
            }
            method->learn(x, y);
        }
    }
}

TEST_P(MethodManners, OneRowAndMoreInputsThanRowsGiveFinitePredictions) {
    const Table wide = factor_table(3, 15, 60, 1);
    const auto method = make(60, 1);
    for (std::size_t t = 0; t < wide.rows(); ++t) {
        for (const double value : predicted(*method, wide.x_row(t), 1)) {
            ASSERT_TRUE(std::isfinite(value)) << "row " << t;
        }
        method->learn(wide.x_row(t), wide.y_row(t));
    }
    for (const double value : predicted(*method, wide.x_row(0), 1)) {
        ASSERT_TRUE(std::isfinite(value));
    }
}

TEST_P(MethodManners, AMethodThatSelectsUsesAtMostTheNamesAsked) {
    const auto method = taught(table, 120);
    const auto used = method->selected();
    EXPECT_TRUE(std::ranges::is_sorted(used));
    EXPECT_TRUE(used.empty() || used.back() < p);
    if (GetParam().selects) {
        EXPECT_LE(used.size(), names);
        EXPECT_GE(used.size(), 1U);
    }
}

TEST_P(MethodManners, MemoryDoesNotGrowWithRows) {
    const Table longer = factor_table(9, 3000, p, q);
    const auto method = make();
    std::size_t early = 0;
    for (std::size_t t = 0; t < longer.rows(); ++t) {
        method->learn(longer.x_row(t), longer.y_row(t));
        early = t == 999 ? method->bytes() : early;
    }
    EXPECT_GT(method->bytes(), 0U);
    EXPECT_LE(method->bytes(), early + 1024);
}

INSTANTIATE_TEST_SUITE_P(All, MethodManners,
                         ::testing::ValuesIn(baselines::methods().begin(), baselines::methods().end()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Methods, AnUnknownNameIsRefusedWithTheKnownOnes) {
    try {
        (void)baselines::make_method("lasso of the future", {.inputs = p, .outputs = q});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_NE(std::string(error.what()).find("window_lars"), std::string::npos);
    }
}

}  // namespace
}  // namespace sluice::test::method_manners_test
