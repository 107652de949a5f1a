#include "plan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "constants.hpp"
#include "sluice/adaptive_fields.hpp"

namespace sluice::tune::plan_test {
namespace {

using Sizes = std::vector<std::size_t>;

Plan plan_of(std::size_t inputs, const StreamOptions& model, const Tuning& tuning = {}) {
    return {inputs, 1, AdaptiveOptions{.model = model, .tuning = tuning}};
}

TEST(Plan, SizesGoUpToTheLimitOnNamesTheNumberOfInputsOrFifty) {
    EXPECT_EQ(plan_of(1, {}).readings.sizes, (Sizes{0, 1}));
    EXPECT_EQ(plan_of(9, {}).readings.sizes, (Sizes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(plan_of(1000, {}).readings.sizes, Sizes(kSizes.begin(), kSizes.end()));
    EXPECT_EQ(plan_of(1000, {.names = 11}).readings.sizes, (Sizes{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11}));
    EXPECT_EQ(plan_of(1000, {.names = 400}).readings.sizes.back(), 50U);
    EXPECT_EQ(plan_of(1000, {.names = 1}).readings.sizes, (Sizes{0, 1}));
    for (const Names names : {Names::most, Names::all}) {
        Tuning tuning;
        tuning.names = names;
        EXPECT_EQ(plan_of(1000, {}, tuning).readings.sizes.back(), 20U);
        EXPECT_EQ(plan_of(1000, {}, tuning).own_paths, names == Names::all);
    }
    Tuning most;
    most.names = Names::most;
    EXPECT_EQ(plan_of(1000, {.names = 33}, most).readings.sizes.back(), 33U);
}

TEST(Plan, WhatIsNotTunedKeepsItsValue) {
    StreamOptions model;
    model.forgetting = 0.93;
    model.shrinkage = 2.5;
    Tuning tuning;
    tuning.forgetting = tuning.shrinkage = tuning.intercept = false;
    const Plan plan = plan_of(10, model, tuning);
    EXPECT_EQ(plan.forgetting, std::vector<double>{0.93});
    EXPECT_EQ(plan.readings.shrinkages, std::vector<double>{2.5});
    EXPECT_EQ(plan.readings.grid.speeds, 1U);
    EXPECT_EQ(plan.readings.grid.memories, 1U);  // without fresh starts
    EXPECT_EQ(plan.options_of(0, model).forgetting, 0.93);
}

TEST(Plan, ManyInputsHaveMemoriesThatForget) {
    const Plan few = plan_of(kFewInputs, {});
    EXPECT_EQ(few.forgetting, std::vector<double>(kMemories.begin(), kMemories.end()));
    EXPECT_EQ(few.readings.grid.memories, few.forgetting.size() + 1);  // and the one since the last break
    const Plan many = plan_of(kFewInputs + 1, {});
    EXPECT_EQ(many.forgetting, std::vector<double>(kMemoriesOfMany.begin(), kMemoriesOfMany.end()));
    // The memory since the break is the longest, begun later.
    EXPECT_EQ(few.options_of(few.forgetting.size(), {}).forgetting, few.forgetting.front());
}

TEST(Plan, VariablesAreFoundWhereTheOptionsSaySo) {
    StreamOptions penalty;
    penalty.penalty = Penalty::mcp;
    StreamOptions groups;
    groups.groups = {0, 0, 1, 1};
    groups.penalty = Penalty::group_lasso;
    StreamOptions project;
    project.deflation = Deflation::project;
    auto paper = StreamOptions::paper();
    auto instant = StreamOptions::paper();
    instant.loadings = Loadings::instant;
    const std::vector<StreamOptions> all = {
        {},      {.names = 3}, {.components = 2}, {.keep = {2}}, {.components = 1, .gamma = 0.1},
        penalty, groups,       project,           paper,         instant};
    for (const StreamOptions& model : all) {
        for (const bool variables : {true, false}) {
            Tuning tuning;
            tuning.variables = variables;
            const AdaptiveOptions options{.model = model, .tuning = tuning};
            EXPECT_EQ(Plan(4, 1, options).readings.path, finds_variables(options));
        }
    }
    EXPECT_TRUE(plan_of(4, {}).readings.path);
    EXPECT_FALSE(plan_of(4, paper).readings.path);
    EXPECT_EQ(plan_of(4, paper).readings.sizes, (Sizes{0, 1}));  // nothing, or all components
    EXPECT_FALSE(plan_of(4, paper).readings.refits);
    EXPECT_EQ(plan_of(4, paper).readings.shrinkages.size(), 1U);
}

}  // namespace
}  // namespace sluice::tune::plan_test
