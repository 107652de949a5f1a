#include "served_page.hpp"

#include <gtest/gtest.h>

namespace sluice::serve {
namespace {

TEST(ServedPage, ScriptsAndStylesBecomeFilesBecauseThePolicyAllowsNoneInside) {
    const auto files = split_page(
        "<style>p{}</style><script type=\"application/json\">{}</script><script type=\"module\">run();</script>end");
    EXPECT_EQ(files.at("/").text,
              "<link rel=\"stylesheet\" href=\"/page/1.css\"><script type=\"application/json\">{}</script>"
              "<script type=\"module\" src=\"/page/2.js\"></script>end");
    EXPECT_EQ(files.at("/page/1.css").text, "p{}");
    EXPECT_EQ(files.at("/page/2.js").text, "run();");
    EXPECT_EQ(files.size(), 3U);
}

// A report has its data and a policy by hashes inside; from the server both come another way.
TEST(ServedPage, TheServersPageAsksForItsData) {
    const auto files = split_page(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">\n<p>"
        "<script type=\"application/json\" id=\"data\">SLUICE_DATA</script>");
    EXPECT_EQ(files.at("/").text, "\n<p><script type=\"application/json\" id=\"data\">{\"live\":true}</script>");
}

}  // namespace
}  // namespace sluice::serve
