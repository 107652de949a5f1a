// The picture of what a stream selected: read from its log, drawn as SVG.
#include "selection_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

#include "sluice/error.hpp"

namespace sluice::job::selection_picture_test {
namespace {

SelectionLog read(std::string text) {
    return read_selection_log(io::memory_source(std::move(text), 7));
}

std::string record(std::size_t row, const std::string& selected, const std::string& time = "") {
    return "{\"row\":" + std::to_string(row) + (time.empty() ? "" : ",\"time\":\"" + time + "\"") +
           ",\"predicted\":{\"y\":1},\"observed\":{\"y\":1.5},\"selected\":" + selected + ",\"outcome\":\"learned\"}\n";
}

// Elements are closed in the order in which they were opened, and no text holds a bare < or &.
bool is_well_formed(const std::string& xml) {
    const std::regex tag(R"(<(/?)([a-z]+)([^<>]*?)(/?)>)");
    std::vector<std::string> open;
    std::size_t end = 0;
    for (auto it = std::sregex_iterator(xml.begin(), xml.end(), tag); it != std::sregex_iterator(); ++it) {
        const std::string between = xml.substr(end, static_cast<std::size_t>(it->position()) - end);
        end = static_cast<std::size_t>(it->position() + it->length());
        if (between.find_first_of("<>") != std::string::npos ||
            std::regex_search(between, std::regex("&(?!(amp|lt|gt|quot);)"))) {
            return false;
        }
        if ((*it)[1].length() > 0) {
            if (open.empty() || open.back() != (*it)[2]) {
                return false;
            }
            open.pop_back();
        } else if ((*it)[4].length() == 0) {
            open.push_back((*it)[2]);
        }
    }
    return open.empty() && end > 0;
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++found;
    }
    return found;
}

TEST(SelectionLog, CountsTheRowsInWhichEachInputWasSelected) {
    const SelectionLog log = read(record(1, R"([["a"],["b"]])") + record(2, R"([["a","b"],["a"]])") +
                                  record(3, "[[]]") + record(4, R"([["b"]])"));
    EXPECT_EQ(log.rows, 4U);
    EXPECT_EQ(log.last_row, 4U);
    EXPECT_EQ(log.targets, std::vector<std::string>{"y"});
    ASSERT_EQ(log.variables.size(), 2U);
    EXPECT_EQ(log.variables[0].name, "a");
    EXPECT_EQ(log.variables[0].rows, 2U) << "selected by two components in row 2, counted once";
    EXPECT_EQ(log.variables[0].by_column, (std::vector<std::uint32_t>{1, 1, 0, 0}));
    EXPECT_EQ(log.variables[1].by_column, (std::vector<std::uint32_t>{1, 1, 0, 1}));
}

TEST(SelectionLog, OfAnyLengthHasABoundedNumberOfColumnsAndLosesNoRow) {
    std::string text;
    for (std::size_t row = 1; row <= 5000; ++row) {
        text += record(row, row % 10 == 0 ? R"([["ten","all"]])" : R"([["all"]])");
    }
    const SelectionLog log = read(text);
    EXPECT_LE(log.columns.size(), SelectionLog::kMostColumns);
    EXPECT_GT(log.columns.size(), SelectionLog::kMostColumns / 2);
    std::uint64_t rows = 0;
    for (std::size_t k = 0; k < log.columns.size(); ++k) {
        EXPECT_EQ(log.columns[k].row, rows + 1);
        EXPECT_EQ(log.variables[0].by_column[k], log.columns[k].rows);
        rows += log.columns[k].rows;
    }
    EXPECT_EQ(rows, 5000U);
    EXPECT_EQ(log.variables[0].name, "all");
    EXPECT_EQ(log.variables[1].rows, 500U);
    EXPECT_EQ(std::accumulate(log.variables[1].by_column.begin(), log.variables[1].by_column.end(), 0U), 500U);
}

TEST(SelectionLog, RefusesWhatIsNoLogAndNamesTheLine) {
    for (const char* bad : {"{}\n", "row,selected\n", "{\"row\":2,\"selected\":[\"a\"],\"observed\":{}}\n",
                            "{\"row\":2,\"selected\":[[1]],\"observed\":{}}\n"}) {
        try {
            (void)read(record(1, R"([["a"]])") + bad);
            FAIL() << bad;
        } catch (const DataError& error) {
            EXPECT_NE(std::string(error.what()).find("line 2: "), std::string::npos) << error.what();
        }
    }
    EXPECT_THROW((void)read(""), DataError);
}

TEST(SelectionPicture, HasALineForEachInputAndAMarkWhereItWasSelected) {
    std::string text;
    for (std::size_t row = 1; row <= 100; ++row) {
        text += record(row, row <= 50 ? R"([["early"]])" : R"([["late"]])");
    }
    const std::string svg = selection_svg(read(text));
    EXPECT_TRUE(is_well_formed(svg)) << svg;
    EXPECT_NE(svg.find("Inputs selected to predict y"), std::string::npos);
    EXPECT_LT(svg.find(">early<"), svg.find(">late<")) << "what came first is above";
    EXPECT_EQ(count(svg, "50 %"), 2U);
    // Each was always selected for half of the time: one stroke of the darkest shade each, half of the 720 pixels wide.
    const std::regex darkest(
        R"(<path class="s4" stroke-width="12" d="M([\d.]+) ([\d.]+)h([\d.]+)M([\d.]+) ([\d.]+)h([\d.]+)\"/>)");
    std::smatch mark;
    ASSERT_TRUE(std::regex_search(svg, mark, darkest)) << svg;
    EXPECT_EQ(mark[3], "360.0");
    EXPECT_EQ(mark[6], "360.0");
    EXPECT_NEAR(std::stod(mark[4]) - std::stod(mark[1]), 360.0, 0.11);
    EXPECT_EQ(std::stod(mark[5]) - std::stod(mark[2]), 15.0) << "one line below the other";
    EXPECT_EQ(count(svg, "class=\"s1\" stroke-width=\"12\" d=\"\""), 1U)
        << "nothing was selected for a part of a column";
}

TEST(SelectionPicture, ShowsTheInputsSelectedMostAndSaysHowManyThereWere) {
    std::string text;
    for (std::size_t row = 1; row <= 60; ++row) {
        text += record(row,
                       "[[\"x" + std::to_string(row % 6) + "\",\"always\",\"" + (row < 40 ? "often" : "then") + "\"]]");
    }
    const std::string svg = selection_svg(read(text), {.variables = 2});
    EXPECT_NE(svg.find(">always<"), std::string::npos);
    EXPECT_NE(svg.find(">often<"), std::string::npos);
    EXPECT_EQ(svg.find(">x1<"), std::string::npos);
    EXPECT_NE(svg.find("60 rows. 9 inputs were selected at some time; the 2 selected most often are shown, with the "
                       "share of rows."),
              std::string::npos);
}

TEST(SelectionPicture, NamesTheYearsOfDatesAndElseShowsTimesAsTheyAre) {
    std::string dated;
    std::string other;
    for (std::size_t row = 1; row <= 60; ++row) {
        const std::string month = std::to_string(10 + (row % 3));
        dated += record(row, R"([["a"]])", std::to_string(2000 + (row / 12)) + "-" + month + "-28");
        other += record(row, R"([["a"]])", "day " + std::to_string(row));
    }
    const std::string years = selection_svg(read(dated));
    for (const char* year : {">2000<", ">2001<", ">2002<", ">2003<", ">2004<", ">2005<"}) {
        EXPECT_EQ(count(years, year), 1U) << year;
    }
    EXPECT_EQ(count(selection_svg(read(other)), ">day 31<"), 1U);
    std::string rows;
    for (std::size_t row = 1; row <= 3000; ++row) {
        rows += record(row, R"([["a"]])");
    }
    EXPECT_EQ(count(selection_svg(read(rows)), ">2,000<"), 1U);
}

TEST(SelectionPicture, HostileNamesStayText) {
    const std::string svg =
        selection_svg(read(record(1, R"([["<img onerror=x>","a&b\u0001","ä\"ö"]])", "</svg>")), {.title = "<script>"});
    EXPECT_TRUE(is_well_formed(svg)) << svg;
    EXPECT_EQ(svg.find("<img"), std::string::npos);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find('\x01'), std::string::npos);
    EXPECT_NE(svg.find("a&amp;b\xEF\xBF\xBD"), std::string::npos);
    EXPECT_EQ(count(svg, "</svg>"), 1U);
}

TEST(SelectionPicture, CutsLongNamesAtALetter) {
    const std::string svg = selection_svg(read(record(1, R"([["ääääääääää"]])")), {.name_width = 4});
    EXPECT_NE(svg.find(">äää\xE2\x80\xA6<"), std::string::npos) << svg;
}

}  // namespace
}  // namespace sluice::job::selection_picture_test
