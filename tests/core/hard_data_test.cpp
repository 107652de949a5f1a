// What streams do: every pair of hazards in two input columns, one in an output, under every face of the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "sluice/model.hpp"
#include "sluice/score.hpp"
#include "support/streams.hpp"

namespace sluice::hard_data_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Hazard {
    std::string name;
    std::function<double(double value, double neighbour, std::size_t row)> apply;
};

const std::vector<Hazard>& hazards() {
    static const std::vector<Hazard> all = {
        {"missing now and then", [](double v, double, std::size_t t) { return t % 3 == 1 ? kNaN : v; }},
        {"missing always", [](double, double, std::size_t) { return kNaN; }},
        {"constant", [](double, double, std::size_t) { return 0.1; }},
        {"zero", [](double, double, std::size_t) { return 0.0; }},
        {"duplicate", [](double, double n, std::size_t) { return n; }},
        {"late", [](double v, double, std::size_t t) { return t < 20 ? kNaN : v; }},
        {"silent after a while", [](double v, double, std::size_t t) { return t < 20 ? v : 3.25; }},
        {"1e150", [](double v, double, std::size_t) { return v * 1e150; }},
        {"1e-150", [](double v, double, std::size_t) { return v * 1e-150; }},
        {"denormal", [](double v, double, std::size_t) { return v * 1e-310; }},
        {"largest",
         [](double, double, std::size_t t) { return (t % 2 == 0 ? 1.0 : -1.0) * std::numeric_limits<double>::max(); }},
        {"one spike of 1e200", [](double v, double, std::size_t t) { return t == 15 ? 1e200 : v; }},
        {"growing from 1e-150 to 1e150",
         [](double v, double, std::size_t t) { return v * std::pow(10.0, static_cast<double>(t) * 5.0 - 150.0); }},
        {"shrinking from 1e150 to 1e-150",
         [](double v, double, std::size_t t) { return v * std::pow(10.0, 150.0 - static_cast<double>(t) * 5.0); }},
        {"far from zero", [](double v, double, std::size_t) { return 1e12 + v; }},
    };
    return all;
}

std::vector<StreamOptions> faces() {
    auto paper = StreamOptions::paper();
    paper.keep = {3};
    auto literal = paper;
    literal.center = false;
    literal.balance = Balance::raw;
    literal.loadings = Loadings::instant;
    auto ridge_only = paper;
    ridge_only.ridge = 1.0;
    ridge_only.components = 4;
    auto no_ridge = paper;
    no_ridge.ridge = 0.0;
    no_ridge.components = 4;
    StreamOptions no_shrinkage{.components = 8, .keep = {1}, .shrinkage = 0.0, .clip = std::nullopt};
    return {StreamOptions{}, paper, literal, ridge_only, no_ridge, no_shrinkage};
}

void expect_finite(const StreamModel& model, const StepReport& report, const std::string& where) {
    for (const double value : report.predicted) {
        ASSERT_TRUE(std::isfinite(value)) << where;
    }
    ASSERT_TRUE(std::isfinite(report.error_before)) << where;
    for (std::size_t r = 0; r < model.components(); ++r) {
        for (const double u : model.weights(r)) {
            ASSERT_TRUE(std::isfinite(u)) << where;
        }
    }
    const Matrix beta = model.coefficients();
    for (std::size_t k = 0; k < beta.cols(); ++k) {
        for (const double b : beta.column(k)) {
            ASSERT_TRUE(std::isfinite(b)) << where;
        }
        ASSERT_TRUE(std::isfinite(model.intercept()[k])) << where;
    }
}

TEST(HardData, EveryPairOfHazardsGivesFiniteNumbersAtEveryRow) {
    const auto clean = test::factor_table(71, 60, 8, 2);
    for (const Hazard& first : hazards()) {
        for (const Hazard& second : hazards()) {
            auto table = clean;
            for (std::size_t t = 0; t < table.rows(); ++t) {
                auto x = table.x_row(t);
                x[0] = first.apply(x[0], x[7], t);
                x[5] = second.apply(x[5], x[6], t);
                table.y_row(t)[1] = second.apply(table.y_row(t)[1], table.y_row(t)[0], t);
            }
            std::size_t face = 0;
            for (const StreamOptions& options : faces()) {
                StreamModel model(8, 2, options);
                for (std::size_t t = 0; t < table.rows(); ++t) {
                    const auto report = model.learn(table.x_row(t), table.y_row(t));
                    expect_finite(model, report,
                                  first.name + " and " + second.name + ", face " + std::to_string(face) + ", row " +
                                      std::to_string(t));
                    if (HasFatalFailure()) {
                        return;
                    }
                }
                ++face;
            }
        }
    }
}

TEST(HardData, TheOtherInputsStillPredict) {
    const auto clean = test::factor_table(72, 400, 8, 1);
    for (const Hazard& hazard : hazards()) {
        if (hazard.name.find("growing") != std::string::npos || hazard.name.find("shrinking") != std::string::npos) {
            continue;  // beyond 60 rows these leave the range of double
        }
        auto table = clean;
        for (std::size_t t = 0; t < table.rows(); ++t) {  // inputs 0, 1, 2 carry the output; 5 is the nuisance
            table.x_row(t)[5] = hazard.apply(table.x_row(t)[5], table.x_row(t)[6], t);
        }
        StreamModel model(8, 1, {.components = 4, .keep = {1}, .shrinkage = 1.0});
        Score score;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            if (t >= 100) {
                score.add(table.y_row(t)[0], report.predicted[0]);
            }
        }
        EXPECT_GT(score.r2(), 0.97) << hazard.name;
    }
}

TEST(HardData, OneRowGivesItsMeanAndSaysThatNothingVaries) {
    StreamModel model(3, 1);
    const std::vector<double> x = {1.0, 2.0, 3.0};
    const double y = 7.0;
    const auto report = model.learn(x, {&y, 1});
    EXPECT_EQ(report.outcome, Outcome::nothing_varies);
    EXPECT_EQ(report.constant_inputs, 3U);
    EXPECT_TRUE(report.selected.empty());
    EXPECT_EQ(model.predict(x)[0], 7.0);
}

// Found by the fuzzer: lambda^t reached 0 at once, and the moments were divided by it.
TEST(HardData, AForgettingNearTheSmallestNumberGivesFiniteNumbers) {
    const auto table = test::factor_table(76, 30, 8, 2);
    for (const double forgetting : {std::numeric_limits<double>::denorm_min(), 1e-300, 1e-100, 1e-20}) {
        for (StreamOptions options : faces()) {
            options.forgetting = forgetting;
            StreamModel model(8, 2, options);
            for (std::size_t t = 0; t < table.rows(); ++t) {
                expect_finite(model, model.learn(table.x_row(t), table.y_row(t)), "row " + std::to_string(t));
            }
        }
    }
}

TEST(HardData, AConstantFirstInputDoesNotKeepTheModelFromStarting) {
    // The paper starts from U = I: the first input alone. Were that input constant, H u would stay zero for ever.
    for (const auto& base : {StreamOptions{.components = 1, .keep = {2}},
                             StreamOptions{.components = 1, .keep = {2}, .deflation = Deflation::project}}) {
        auto table = test::factor_table(73, 200, 5, 1);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            table.x_row(t)[0] = 4.0;
        }
        StreamModel model(5, 1, base);
        bool restarted = false;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            restarted = restarted || report.outcome == Outcome::component_restarted;
            ASSERT_FALSE(std::ranges::binary_search(report.selected, std::size_t{0}));
        }
        EXPECT_TRUE(restarted);
        EXPECT_TRUE(std::ranges::binary_search(model.selected(), std::size_t{1}));
    }
}

TEST(HardData, MoreComponentsThanTheDataSupportsAreHeldAndReported) {
    // Two inputs, one of them a copy: only one direction is there.
    NormalSource normal(5);
    auto options = StreamOptions::paper();
    options.keep = {2};
    StreamModel model(2, 1, options);
    StepReport report;
    for (int t = 0; t < 50; ++t) {
        const double value = normal.next();
        const double x[] = {value, value};
        const double y = 3.0 * value;
        report = model.learn(x, {&y, 1});
    }
    EXPECT_EQ(report.outcome, Outcome::component_held);
    EXPECT_EQ(report.held_components, 1U);
    EXPECT_NEAR(model.predict(std::vector<double>{1.0, 1.0})[0], 3.0, 1e-9);
}

TEST(HardData, DuplicateColumnsKeepTheLowestIndex) {
    NormalSource normal(6);
    StreamModel model(6, 1, {.components = 1, .keep = {1}});
    for (int t = 0; t < 50; ++t) {
        const double a = normal.next();
        const double b = normal.next();
        const double x[] = {b, a, b, a, a, b};
        const double y = 3.0 * a;
        model.learn(x, {&y, 1});
    }
    ASSERT_EQ(model.selected().size(), 1U);
    EXPECT_EQ(model.selected()[0], 1U);
}

TEST(HardData, AConstantOutputIsPredictedAndDisturbsNoOther) {
    const auto table = test::factor_table(74, 200, 6, 1);
    StreamModel alone(6, 1);
    StreamModel both(6, 2);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const double y[] = {table.y_row(t)[0], 42.0};
        alone.learn(table.x_row(t), table.y_row(t));
        both.learn(table.x_row(t), y);
        ASSERT_TRUE(std::ranges::equal(alone.selected(), both.selected()));
    }
    EXPECT_EQ(both.predict(table.x_row(0))[1], 42.0);
    EXPECT_NEAR(both.predict(table.x_row(0))[0], alone.predict(table.x_row(0))[0], 1e-12);
}

TEST(HardData, MoreInputsThanRowsAndAHundredOutputsGiveFiniteNumbers) {
    const auto table = test::factor_table(75, 30, 90, 100);
    for (const StreamOptions& options : faces()) {
        StreamModel model(90, 100, options);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            expect_finite(model, model.learn(table.x_row(t), table.y_row(t)), "row " + std::to_string(t));
        }
    }
}

}  // namespace
}  // namespace sluice::hard_data_test
