#include "parse_spec.hpp"

#include <gtest/gtest.h>

#include "request_error.hpp"
#include "sluice/error.hpp"

namespace sluice::serve::parse_spec_test {
namespace {

std::string refusal(const std::string& json) {
    try {
        (void)parse_spec(json);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "accepted";
}

TEST(ModelSpec, OneFormForEachSpecAndItReadsItself) {
    const ModelSpec spec = parse_spec(
        R"({"options":{"forgetting":0.98,"keep":[2,1],"components":2},"targets":"y","lags":[0,1,5],"interval":0.9,"time":null})");
    const std::string json = spec_json(spec);
    EXPECT_EQ(spec_json(parse_spec(json)), json);
    EXPECT_EQ(spec.layout.lags, (std::vector<std::size_t>{0, 1, 5}));
    EXPECT_EQ(spec.adaptive_options().model.forgetting, 0.98);
    EXPECT_FALSE(spec.adaptive_options().tuning.forgetting);
}

TEST(ModelSpec, LagsAreATextAsOnTheCommandLineOrAList) {
    EXPECT_EQ(parse_spec(R"({"targets":["y"],"lags":"0:2"})").layout.lags, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(parse_spec(R"({"targets":["y"],"target_lags":[1,2]})").layout.target_lags,
              (std::vector<std::size_t>{1, 2}));
}

TEST(ModelSpec, EveryProblemIsToldAtOnceWithWhatToDo) {
    const std::string all = refusal(R"({"target":["y"],"horizon":-1,"interval":2,"options":{"forgeting":1}})");
    EXPECT_NE(all.find("there is no field \"target\""), std::string::npos) << all;
    EXPECT_NE(all.find("targets"), std::string::npos) << all;
    EXPECT_NE(all.find("horizon: must be a whole number"), std::string::npos) << all;
    EXPECT_NE(all.find("interval: must be the share"), std::string::npos) << all;
    EXPECT_NE(all.find("there is no option \"forgeting\""), std::string::npos) << all;
    EXPECT_NE(all.find("forgetting"), std::string::npos) << all;
}

TEST(ModelSpec, TheCoresOwnSentenceIsGivenForAnOption) {
    EXPECT_NE(refusal(R"({"targets":["y"],"options":{"forgetting":1.5}})").find("must be above 0 and at most 1"),
              std::string::npos)
        << refusal(R"({"targets":["y"],"options":{"forgetting":1.5}})");
    EXPECT_NE(refusal(R"({"targets":["y"],"options":{"forgetting":"soon"}})").find("forgetting"), std::string::npos);
}

TEST(ModelSpec, RefusesWhatIsNoObjectOfTheRightKinds) {
    for (const char* json : {"",
                             "{",
                             "[]",
                             "7",
                             "null",
                             "{}",
                             R"({"targets":7})",
                             R"({"targets":[7]})",
                             R"({"targets":["y"],"lags":{}})",
                             R"({"targets":["y"],"lags":"5:1"})",
                             R"({"targets":["y"],"lags":"0:999999999"})",
                             R"({"targets":["y"],"options":[]})",
                             R"({"targets":["y"],"options":{"forgetting":{}}})",
                             R"({"targets":["y"],"options":{"keep":[[1]]}})",
                             R"({"targets":["y"],"on_bad_row":"maybe"})",
                             R"({"targets":["y"],"decimal":"x"})",
                             R"({"targets":["y"],"delimiter":"ab"})",
                             R"({"targets":["y"],"targets":["z"]})",
                             R"({"targets":["y"],"name":"x"})",
                             R"({"targets":["y"],"time":7})",
                             R"({"targets":["y"],"paper":1})",
                             R"({"targets":["y"],"interval":"0.9"})"}) {
        EXPECT_NE(refusal(json), "accepted") << json;
    }
}

TEST(ModelSpec, AHorizonTurnsTheDriftingInterceptOffUnlessItIsGiven) {
    EXPECT_FALSE(parse_spec(R"({"targets":["y"],"horizon":3})").adaptive_options().tuning.intercept);
    EXPECT_TRUE(parse_spec(R"({"targets":["y"],"horizon":3,"options":{"intercept":"drifting"}})")
                    .adaptive_options()
                    .tuning.intercept);
}

TEST(ModelSpec, ANameIsALetterOrDigitAndThenLettersDigitsDashesAndUnderlines) {
    for (const char* good : {"a", "7", "Plant-2_b"}) {
        EXPECT_TRUE(is_model_name(good)) << good;
    }
    EXPECT_TRUE(is_model_name(std::string(64, 'x')));
    for (const char* bad : {"", ".", "..", "-a", "_a", "a/b", "a.b", "../x", "a b", "a\n", "\xc3\xa4", "%2e"}) {
        EXPECT_FALSE(is_model_name(bad)) << bad;
    }
    EXPECT_FALSE(is_model_name(std::string(65, 'x')));
    EXPECT_FALSE(is_model_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace sluice::serve::parse_spec_test
