#include "history_json.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <array>
#include <limits>
#include <string>

#include "made_stream.hpp"
#include "report_page.hpp"

namespace sluice::report {
namespace {

simdjson::dom::element parsed(simdjson::dom::parser& parser, const std::string& json) {
    simdjson::dom::element out;
    EXPECT_EQ(parser.parse(json).get(out), simdjson::SUCCESS) << json.substr(0, 200);
    return out;
}

std::size_t length(const simdjson::dom::element& list) {
    return simdjson::dom::array(list).size();
}

TEST(HistoryJson, TheSameRowsGiveTheSameBytes) {
    const MadeStream stream = made_stream(7, 900, 6, 30.0);
    const std::string first = snapshot_json(history_of(stream, {}), {.title = "t", .source = "s"});
    EXPECT_EQ(first, snapshot_json(history_of(stream, {}), {.title = "t", .source = "s"}));
}

TEST(HistoryJson, HasANumberForEachBin) {
    const MadeStream stream = made_stream(7, 900, 6, 30.0);
    simdjson::dom::parser parser;
    const auto json = parsed(parser, snapshot_json(history_of(stream, {.bins = 64}), {}));
    EXPECT_EQ(std::uint64_t(json["rows_per_bin"]), 16U);
    EXPECT_EQ(std::uint64_t(json["bins"]), 57U);
    const simdjson::dom::element target = json["targets"].at(0);
    for (const char* key : {"scored", "squares", "peak", "peak_row", "centre"}) {
        EXPECT_EQ(length(target[key]), 57U) << key;
    }
    for (const char* key : {"mean", "min", "max"}) {
        EXPECT_EQ(length(target["observed"][key]), 57U) << key;
    }
}

TEST(HistoryJson, HasNoNumberThatJsonDoesNotKnow) {
    History history({.targets = {"y"}, .bins = 2});
    for (const double y : {1e200, -1e200, 1e-300}) {
        const std::array<Use, 3> uses = {
            Use{.variable = history.variable("a"), .weight = 1e308, .gain = -1e308},
            Use{.variable = history.variable("b"), .weight = std::numeric_limits<double>::infinity()},
            Use{.variable = history.variable("c"), .weight = 0.0, .gain = 0.0}};
        history.add(
            {.row = history.last_row() + 1, .predicted = std::span(&y, 1), .observed = std::span(&y, 1), .uses = uses});
    }
    simdjson::dom::parser parser;
    (void)parsed(parser, snapshot_json(history, {}));
}

// What has come since a row: later bins, stays and weights since, events since.
TEST(HistoryJson, AnIncrementHasOnlyWhatIsNew) {
    const MadeStream stream = made_stream(7, 100, 6, 30.0);
    History history({.targets = {"y"}});
    for (std::size_t t = 0; t < 90; ++t) {
        add_row(history, stream, t);
    }
    const Mark seen = history.mark();
    for (std::size_t t = 90; t < 100; ++t) {
        add_row(history, stream, t);
    }
    simdjson::dom::parser parser;
    const auto json = parsed(parser, increment_json(history, {}, seen));
    EXPECT_EQ(std::uint64_t(json["since"]), 90U);
    EXPECT_EQ(std::uint64_t(json["from_bin"]), 89U);
    EXPECT_EQ(length(json["targets"].at(0)["scored"]), 11U);
    for (const simdjson::dom::element variable : json["variables"]) {
        const std::size_t v = std::size_t(std::uint64_t(variable["id"]));
        const Track& track = history.presence().variables()[v].tracks.front();
        const auto part = variable["tracks"].at(0);
        const std::uint64_t first = std::uint64_t(part["from_stay"]);
        EXPECT_EQ(length(part["stays"]), 4 * (track.stays.size() - first));
        EXPECT_TRUE(first == 0 || track.stays[first - 1].to <= 90);
        EXPECT_GT(track.stays[first].to, 90U);
        EXPECT_GE(std::uint64_t(part["cells"]["runs"].at(0)), 89U);
    }
    const auto snapshot_of = [&](const Mark& mark) {
        simdjson::dom::parser other;
        return std::uint64_t(parsed(other, increment_json(history, {}, mark))["since"]) == 0;
    };
    EXPECT_FALSE(snapshot_of(seen));
    EXPECT_TRUE(snapshot_of({.first_row = 1, .row = 90, .revision = seen.revision + 1}));
    EXPECT_TRUE(snapshot_of({.first_row = 2, .row = 90, .revision = seen.revision}));
    EXPECT_TRUE(snapshot_of({.first_row = 1, .row = 101, .revision = seen.revision}));
}

// A label that comes late changes an old bin: the increment begins there, once.
TEST(HistoryJson, AnIncrementBeginsAtTheOldestLabelThatCame) {
    History history({.targets = {"y"}});
    const double y = 1.0;
    for (std::uint64_t row = 1; row <= 50; ++row) {
        history.add({.row = row, .predicted = std::span(&y, 1), .observed = std::span(&kUnknown, 1)});
    }
    const Mark seen = history.mark();
    history.add({.row = 50, .label_of = 20, .predicted = std::span(&y, 1), .observed = std::span(&y, 1)});
    simdjson::dom::parser parser;
    EXPECT_EQ(std::uint64_t(parsed(parser, increment_json(history, {}, seen))["from_bin"]), 19U);
    const Mark later = history.mark();
    EXPECT_EQ(std::uint64_t(parsed(parser, increment_json(history, {}, later))["from_bin"]), 49U);
}

TEST(HistoryJson, JoinedBinsAreANewRevision) {
    const MadeStream stream = made_stream(7, 100, 3, 30.0);
    History history({.targets = {"y"}, .bins = 64});
    for (std::size_t t = 0; t < 64; ++t) {
        add_row(history, stream, t);
    }
    const Mark seen = history.mark();
    add_row(history, stream, 64);
    EXPECT_GT(history.revision(), seen.revision);
    simdjson::dom::parser parser;
    EXPECT_EQ(std::uint64_t(parsed(parser, increment_json(history, {}, seen))["since"]), 0U);
}

TEST(HistoryJson, ManyInputsAreCutToThoseThatWereSelectedLongest) {
    History history({.targets = {"y"}});
    const double y = 1.0;
    for (std::uint64_t row = 1; row <= 3; ++row) {
        std::vector<Use> uses;
        for (std::size_t v = 0; v < (row == 1 ? kMostVariablesShown + 100 : 50); ++v) {
            uses.push_back({.variable = history.variable("v" + std::to_string(kMostVariablesShown + 99 - v))});
        }
        if (row > 1) {
            uses.clear();
            for (std::size_t v = 0; v < 50; ++v) {
                uses.push_back({.variable = history.variable("v" + std::to_string(v))});
            }
        }
        history.add({.row = row, .predicted = std::span(&y, 1), .observed = std::span(&y, 1), .uses = uses});
    }
    simdjson::dom::parser parser;
    const auto json = parsed(parser, snapshot_json(history, {}));
    EXPECT_EQ(length(json["variables"]), kMostVariablesShown);
    EXPECT_EQ(std::uint64_t(json["variables_left_out"]), 100U);
    EXPECT_EQ(length(json["now"]), 150U);  // all of them are in use at the end, and shown
}

// A column's name is text wherever it is shown: it cannot end the element that holds the data.
TEST(ReportPage, AHostileNameStaysText) {
    const std::string hostile = "</script><img src=x onerror=alert(1)><!--<script>";
    History history({.targets = {hostile}});
    const double y = 1.0;
    const Use use{.variable = history.variable(hostile + "@-3")};
    history.add({.row = 1, .predicted = std::span(&y, 1), .observed = std::span(&y, 1), .uses = std::span(&use, 1)});
    const std::string json = snapshot_json(history, {.title = hostile, .source = hostile});
    const std::string page = report_html("<script type=\"application/json\">SLUICE_DATA</script>", json);
    const std::string inside = page.substr(page.find('>') + 1, page.rfind('<') - page.find('>') - 1);
    EXPECT_EQ(inside.find('<'), std::string::npos);
    EXPECT_EQ(inside.find('>'), std::string::npos);
    simdjson::dom::parser parser;
    const auto read = parsed(parser, inside);
    EXPECT_EQ(std::string_view(read["targets"].at(0)["name"]), hostile);
    EXPECT_EQ(std::string_view(read["variables"].at(0)["name"]), hostile + "@-3");
    EXPECT_EQ(std::string_view(read["title"]), hostile);
}

}  // namespace
}  // namespace sluice::report
