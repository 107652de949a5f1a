#include "sluice/tuning.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::tuning_test {
namespace {

using Sentences = std::vector<std::string>;

TEST(Tuning, TheDefaultsTuneEverythingAndOffTunesNothing) {
    EXPECT_TRUE(Tuning{}.any());
    EXPECT_FALSE(Tuning::off().any());
    for (bool Tuning::*flag :
         {&Tuning::forgetting, &Tuning::variables, &Tuning::shrinkage, &Tuning::intercept, &Tuning::alarms}) {
        EXPECT_TRUE(Tuning{}.*flag);
        Tuning one = Tuning::off();
        one.*flag = true;
        EXPECT_TRUE(one.any());
    }
}

TEST(AdaptiveOptions, TheDefaultsAreValidAndRulesOfTheModelAreChecked) {
    EXPECT_EQ(AdaptiveOptions{}.problems(1, 1), Sentences{});
    AdaptiveOptions options;
    options.model.names = 0;
    options.model.forgetting = 0.0;
    EXPECT_EQ(options.problems(5, 1).size(), 2U);
    options.model = {.names = 1};
    EXPECT_EQ(options.problems(5, 1), Sentences{});
}

TEST(AdaptiveOptions, AllNamesHaveNoLimit) {
    AdaptiveOptions options;
    options.tuning.names = Names::all;
    EXPECT_EQ(options.problems(5, 1), Sentences{});
    options.model.names = 3;
    EXPECT_EQ(options.problems(5, 1), Sentences{"names = 3: must be left empty with names = all, which has no limit"});
}

TEST(AdaptiveOptions, MostOrAllNamesNeedVariablesThatAreFound) {
    for (const Names names : {Names::most, Names::all}) {
        AdaptiveOptions options;
        options.tuning.names = names;
        EXPECT_EQ(options.problems(5, 1), Sentences{});
        options.model.keep = {2};
        const Sentences given = options.problems(5, 1);
        ASSERT_EQ(given.size(), 1U);
        EXPECT_TRUE(given[0].starts_with(names == Names::most ? "number = most: " : "names = all: ")) << given[0];
        options.model.keep = {};
        options.tuning.variables = false;
        EXPECT_EQ(options.problems(5, 1).size(), 1U);
    }
    AdaptiveOptions limited{.model = {.components = 2, .keep = {2}, .names = 3}, .tuning = {}};
    EXPECT_EQ(limited.problems(5, 1), Sentences{}) << "a limit suits any model";
}

}  // namespace
}  // namespace sluice::tuning_test
