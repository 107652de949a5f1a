#include "component_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice::tune {
namespace {

std::vector<std::size_t> keeps(const Ladder& ladder) {
    std::vector<std::size_t> all;
    for (const ComponentShape& shape : ladder.rungs) {
        all.push_back(shape.keep);
    }
    return all;
}

TEST(Shapes, ABudgetIsSplitIntoComponentsOfOneTwoFourVariables) {
    StreamOptions options;
    options.names = 20;
    const Ladder ladder = tune::ladder(100, options, {});
    const std::vector<ComponentShape> expected = {{.components = 20, .keep = 1},
                                                  {.components = 10, .keep = 2},
                                                  {.components = 5, .keep = 4},
                                                  {.components = 3, .keep = 8},
                                                  {.components = 2, .keep = 16}};
    EXPECT_EQ(ladder.rungs, expected);
    EXPECT_EQ(ladder.rungs[ladder.start], (ComponentShape{.components = 20, .keep = 1}));
    options.keep = {4};  // what was given is where it starts
    const Ladder given = tune::ladder(100, options, {});
    EXPECT_EQ(given.rungs[given.start], (ComponentShape{.components = 5, .keep = 4}));
}

TEST(Shapes, WithComponentsGivenEachKeepsMoreFromRungToRung) {
    Tuning tuning;
    tuning.components = false;
    const Ladder ladder = tune::ladder(100, {.components = 2, .keep = {20}}, tuning);
    // The nearest rung gives way to what was given.
    EXPECT_EQ(keeps(ladder), (std::vector<std::size_t>{1, 2, 3, 4, 6, 8, 12, 20, 24, 32}));
    EXPECT_EQ(ladder.rungs[ladder.start], (ComponentShape{.components = 2, .keep = 20}));
}

TEST(Shapes, EveryLadderKeepsToItsBoundsAndHoldsWhatWasGiven) {
    for (const std::size_t p : {1U, 2U, 3U, 7U, 20U, 60U, 500U}) {
        for (const std::size_t components : {1U, 2U, 5U}) {
            for (const std::size_t keep : {1U, 2U, 3U, 5U, 8U, 20U, 60U}) {
                for (const std::size_t names : {0U, 1U, 3U, 10U, 40U}) {
                    for (const std::size_t least : {1U, 2U, 5U, 30U}) {
                        for (const std::size_t most : {0U, 30U, 100U}) {
                            for (const bool free : {true, false}) {
                                if (components > p || keep > p) {
                                    continue;
                                }
                                StreamOptions options{.components = components, .keep = {keep}};
                                Tuning tuning;
                                tuning.components = free;
                                tuning.keep_min = least;
                                if (names > 0) {
                                    options.names = names;
                                }
                                if (most > 0) {
                                    tuning.keep_max = most;
                                }
                                SCOPED_TRACE(testing::Message()
                                             << p << " inputs, " << components << " x " << keep << ", names " << names
                                             << ", keep " << least << " to " << most << (free ? ", free" : ""));
                                const Ladder ladder = tune::ladder(p, options, tuning);
                                const std::size_t budget =
                                    std::min<std::size_t>(p, names > 0 ? names : components * keep);
                                const std::size_t bound = std::min<std::size_t>({p, most > 0 ? most : 50, budget});
                                ASSERT_FALSE(ladder.rungs.empty());
                                ASSERT_LT(ladder.start, ladder.rungs.size());
                                const auto all = keeps(ladder);
                                ASSERT_TRUE(std::ranges::adjacent_find(all, std::greater_equal{}) == all.end());
                                for (const ComponentShape& shape : ladder.rungs) {
                                    ASSERT_GE(shape.keep, std::min(least, bound));
                                    ASSERT_LE(shape.keep, bound);
                                    ASSERT_GE(shape.components, 1U);
                                    ASSERT_LE(shape.components, p);
                                    if (free) {  // as many components as the budget fills, and no more
                                        ASSERT_LT((shape.components - 1) * shape.keep, budget);
                                        ASSERT_GE(shape.components * shape.keep, budget);
                                    } else {
                                        ASSERT_EQ(shape.components, components);
                                    }
                                    ASSERT_TRUE(shaped(options, shape).problems(p, 1).empty());
                                }
                                if (!free && keep >= least && keep <= bound) {
                                    ASSERT_EQ(ladder.rungs[ladder.start].keep, keep);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

TEST(Shapes, WhatTheOptionsDoNotAllowIsNotTuned) {
    auto rules = [](const StreamOptions& options) { return possible(options, Tuning{}); };
    EXPECT_EQ(rules({}), Tuning{});
    EXPECT_FALSE(rules({.gamma = 0.1}).keep || rules({.gamma = 0.1}).components);
    EXPECT_FALSE(rules({.components = 2, .keep = {2, 3}}).keep);
    EXPECT_FALSE(rules({.deflation = Deflation::project}).shrinkage);
    EXPECT_FALSE(rules({.loadings = Loadings::instant, .deflation = Deflation::project}).components);
    const auto grouped = rules({.penalty = Penalty::group_lasso, .groups = {0, 1}});
    EXPECT_FALSE(grouped.keep);
    EXPECT_TRUE(grouped.forgetting && grouped.components && grouped.shrinkage);
}

}  // namespace
}  // namespace sluice::tune
