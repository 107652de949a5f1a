#include "page.hpp"

#include <gtest/gtest.h>

namespace sluice::serve::page_test {
namespace {

TEST(Page, ScriptsAndStylesBecomeFilesBecauseThePolicyAllowsNoneInside) {
    const auto files = split_page(
        "<style>p{}</style><script type=\"application/json\">{}</script><script type=\"module\">run();</script>end");
    EXPECT_EQ(files.at("/").text,
              "<link rel=\"stylesheet\" href=\"/page/1.css\"><script type=\"application/json\">{}</script>"
              "<script type=\"module\" src=\"/page/2.js\"></script>end");
    EXPECT_EQ(files.at("/page/1.css").text, "p{}");
    EXPECT_EQ(files.at("/page/2.js").text, "run();");
    EXPECT_EQ(files.size(), 3U);
}

TEST(Page, TheBuiltInPageHasNoScriptInside) {
    const auto files = split_page(page_html());
    EXPECT_EQ(files.at("/").text.find("<script>"), std::string::npos);
    EXPECT_EQ(files.at("/").text.find("http://"), std::string::npos);
    EXPECT_EQ(files.at("/").text.find("https://"), std::string::npos);
}

}  // namespace
}  // namespace sluice::serve::page_test
