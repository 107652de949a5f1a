#include "experiments/common/plot.hpp"

#include <gtest/gtest.h>

namespace sluice::experiments::plot_test {
namespace {

std::string drawn(Scale scale, const std::string& upwards) {
    return draw({.about = "",
                 .panels = {{.title = "",
                             .scale = scale,
                             .lines = {{.name = "a line", .mean = {0.0, 12.0, 19.0}}},
                             .upwards = upwards}}});
}

TEST(Plot, CountsAreShownAsTheyAreOnAnAxisThatGoesAsFarAsTheyDo) {
    const std::string svg = drawn(Scale::count, "names");
    for (const char* label : {">0</text>", ">5</text>", ">15</text>", ">20</text>", ">names</text>"}) {
        EXPECT_NE(svg.find(label), std::string::npos) << label;
    }
    EXPECT_EQ(svg.find(">25</text>"), std::string::npos);
    EXPECT_EQ(svg.find(">500</text>"), std::string::npos) << "not in percent";
}

TEST(Plot, WithoutWordsOfItsOwnTheAxisSaysWhatItsScaleUsuallyShows) {
    EXPECT_NE(drawn(Scale::percent, "").find(">variables right, %</text>"), std::string::npos);
    EXPECT_EQ(drawn(Scale::percent, "F1, %").find("variables right"), std::string::npos);
}

}  // namespace
}  // namespace sluice::experiments::plot_test
