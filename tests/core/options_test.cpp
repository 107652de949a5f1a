#include "sluice/options.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sluice/error.hpp"
#include "sluice/model.hpp"

namespace sluice::options_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(StreamOptions, DefaultsSuitAnyNumberOfInputsAndOutputs) {
    for (std::size_t p = 1; p <= 300; ++p) {
        for (const std::size_t q : {1U, 2U, 100U}) {
            EXPECT_TRUE(StreamOptions{}.problems(p, q).empty()) << p << " inputs, " << q << " outputs";
        }
    }
    EXPECT_EQ(StreamOptions{}.components_for(300), 5U);
    EXPECT_EQ(StreamOptions{}.keep_for(0, 300), 4U);
    EXPECT_EQ(StreamOptions{}.components_for(3), 1U);
    EXPECT_EQ(StreamOptions{}.keep_for(0, 3), 3U);
}

TEST(StreamOptions, PaperIsTwoComponentsOfTwentyByProjection) {
    const StreamOptions paper = StreamOptions::paper();
    EXPECT_TRUE(paper.problems(60, 1).empty());
    EXPECT_EQ(paper.components_for(60), 2U);
    EXPECT_EQ(paper.keep_for(1, 60), 20U);
    EXPECT_EQ(paper.deflation, Deflation::project);
    EXPECT_EQ(paper.loadings, Loadings::weighted);
    EXPECT_EQ(paper.balance, Balance::trace);
    EXPECT_TRUE(paper.center);
    EXPECT_FALSE(paper.scale_inputs || paper.scale_outputs || paper.clip.has_value());
}

// Each rule at both ends: the last good value on either side, and the first bad ones.
TEST(StreamOptions, EveryRuleHoldsAtBothEnds) {
    struct Rule {
        const char* field;
        std::function<void(StreamOptions&, double)> set;
        std::vector<double> good;
        std::vector<double> bad;
    };
    const double above_zero = std::numeric_limits<double>::denorm_min();
    const auto size = [](double v) { return static_cast<std::size_t>(v); };
    const std::vector<Rule> rules = {
        {"components", [&](auto& o, double v) { o.components = size(v); }, {1, 10}, {0, 11}},
        {"keep", [&](auto& o, double v) { o.keep = {size(v)}; }, {1, 10}, {0, 11}},
        {"gamma", [](auto& o, double v) { o.gamma = v; }, {0, std::nextafter(1.0, 0.0)}, {-above_zero, 1, kNaN}},
        {"names", [&](auto& o, double v) { o.names = size(v); }, {1, 1000}, {0}},
        {"forgetting",
         [](auto& o, double v) { o.forgetting = v; },
         {above_zero, 1},
         {0, std::nextafter(1.0, 2.0), kNaN}},
        {"ridge", [](auto& o, double v) { o.ridge = v; }, {0, 1}, {-above_zero, std::nextafter(1.0, 2.0), kNaN}},
        {"shrinkage", [](auto& o, double v) { o.shrinkage = v; }, {0, 1e300}, {-above_zero, kInfinity, kNaN}},
        {"clip", [](auto& o, double v) { o.clip = v; }, {above_zero, 1e300}, {0, kInfinity, kNaN}},
        {"hold_bonus",
         [](auto& o, double v) { o.hold_bonus = v; },
         {0, 1e6},
         {-above_zero, std::nextafter(1e6, 1e7), kNaN}},
        {"elastic_mix",
         [](auto& o, double v) { o.elastic_mix = v; },
         {above_zero, 1},
         {0, std::nextafter(1.0, 2.0), kNaN}},
        {"scad_knee",
         [](auto& o, double v) { o.scad_knee = v; },
         {std::nextafter(2.0, 3.0), 1e300},
         {2, kInfinity, kNaN}},
        {"mcp_knee",
         [](auto& o, double v) { o.mcp_knee = v; },
         {std::nextafter(1.0, 2.0), 1e300},
         {1, kInfinity, kNaN}},
        {"adaptive_power", [](auto& o, double v) { o.adaptive_power = v; }, {above_zero, 1e300}, {0, kInfinity, kNaN}},
    };
    for (const Rule& rule : rules) {
        for (const double value : rule.good) {
            StreamOptions options;
            rule.set(options, value);
            EXPECT_TRUE(options.problems(10, 1).empty()) << rule.field << " = " << value;
        }
        for (const double value : rule.bad) {
            StreamOptions options;
            rule.set(options, value);
            const auto problems = options.problems(10, 1);
            ASSERT_EQ(problems.size(), 1U) << rule.field << " = " << value;
            EXPECT_EQ(problems[0].rfind(rule.field, 0), 0U) << problems[0];
        }
    }
}

TEST(StreamOptions, AllBrokenRulesAreReportedAtOnce) {
    StreamOptions options;
    options.keep = {120};
    options.forgetting = kNaN;
    const auto problems = options.problems(100, 1);
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0], "keep = 120: must be 1 to 100, the number of inputs");
    EXPECT_EQ(problems[1], "forgetting = nan: must be above 0 and at most 1");
    try {
        const StreamModel model(100, 1, options);
        FAIL() << "a model was made of broken options";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems(), problems);
        EXPECT_EQ(std::string(error.what()), problems[0] + "\n" + problems[1]);
    }
}

TEST(StreamOptions, ChoicesThatContradictEachOtherAreReported) {
    StreamOptions keep_per_component{.components = 3, .keep = {2, 2}};
    EXPECT_EQ(keep_per_component.problems(10, 1),
              std::vector<std::string>{"keep = 2,2: must be one number, or one for each of the 3 components"});
    StreamOptions both{.keep = {2}, .gamma = 0.1};
    EXPECT_EQ(both.problems(10, 1), std::vector<std::string>{"keep = 2: must be left empty when gamma is given"});
    StreamOptions instant{.loadings = Loadings::instant, .deflation = Deflation::refit};
    EXPECT_EQ(instant.problems(10, 1).size(), 1U);
    EXPECT_EQ(StreamOptions{}.problems(0, 0).size(), 2U);
    StreamOptions screened = StreamOptions::paper();
    screened.keep = {2};
    screened.hold_bonus = 0.5;
    screened.engine = Engine::screened;
    EXPECT_EQ(screened.problems(10, 1),
              std::vector<std::string>{"engine = screened: must be dense or automatic with these options; it needs "
                                       "hold_bonus = 0"});
}

TEST(StreamOptions, GroupsMustCoverTheInputsAndFitIntoKeep) {
    StreamOptions options{.keep = {2}, .penalty = Penalty::group_lasso, .groups = {0, 0, 1, 1}};
    EXPECT_TRUE(options.problems(4, 1).empty());
    EXPECT_EQ(options.problems(5, 1).size(), 1U);  // one input without a group
    options.keep = {1};
    EXPECT_EQ(options.problems(4, 1),
              std::vector<std::string>{"keep = 1: must be at least 2, the size of the largest group"});
    options.keep = {2};
    options.groups = {0, 0, 1, 9};
    EXPECT_EQ(options.problems(4, 1).size(), 1U);  // numbered too high
    options.penalty = Penalty::lasso;
    EXPECT_EQ(options.problems(4, 1).size(), 1U);  // groups without the group lasso
}

}  // namespace
}  // namespace sluice::options_test
