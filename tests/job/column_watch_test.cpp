#include "column_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "small_stream.hpp"
#include "state.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace column_watch_test {
namespace {

using sluice::job::ColumnWatch;
using sluice::job::Event;
using sluice::job::EventKind;
using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using namespace sluice::test;

std::string number(double value) {
    return std::to_string(value);
}

// Rows {"a":..., "o":{"b":...}, "y":...}; `cell_of(row, name, usual)` gives the text of a value, "" leaves the key out.
using CellOf = std::function<std::string(int row, const std::string& name, const std::string& usual)>;
std::string json_rows(int rows, const CellOf& cell_of) {
    std::string text;
    for (int row = 1; row <= rows; ++row) {
        const double a = std::sin(1.7 * row);
        const double b = std::cos(2.9 * row);
        const auto member = [&](const std::string& name, double value, const std::string& key) {
            const std::string cell = cell_of(row, name, number(value));
            return cell.empty() ? cell : "\"" + key + "\":" + cell + ",";
        };
        std::string line = member("a", a, "a");
        std::string inner = member("o.b", b, "b");
        if (!inner.empty()) {
            inner.pop_back();
            line += "\"o\":{" + inner + "},";
        }
        line += member("y", a - b, "y");
        if (const std::string extra = cell_of(row, "extra", ""); !extra.empty()) {
            line += extra + ",";
        }
        if (!line.empty()) {
            line.pop_back();
        }
        text += "{" + line + "}\n";
    }
    return text;
}

StreamSettings settings_for(const Scratch& scratch, const std::string& text) {
    write_file(scratch.path("in.ndjson"), text);
    StreamSettings settings;
    settings.input = scratch.path("in.ndjson");
    settings.roles.targets = {"y"};
    settings.out = scratch.path("out.ndjson");
    return settings;
}

struct Ran {
    std::vector<Event> events;
    std::vector<std::string> lines;
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::size_t vanished = 0;
    std::size_t ignored = 0;
};

Ran run(const StreamSettings& settings) {
    Ran ran;
    StreamJob job(settings, sluice::io::real_disk(), nullptr,
                  [&](const sluice::job::Message& message) { ran.lines.push_back(message.text); });
    job.events().add_handler([&](const Event& event) {
        if (event.kind != EventKind::drift && event.kind != EventKind::suspect) {
            ran.events.push_back(event);
        }
    });
    EXPECT_EQ(job.run(), StreamJob::End::finished);
    ran.rows = job.tally().rows();
    ran.skipped = job.tally().skipped();
    ran.vanished = job.columns().vanished();
    ran.ignored = job.columns().ignored();
    return ran;
}

std::string record(const StreamSettings& settings, std::size_t row) {
    const std::string text = content(settings.out);
    std::size_t at = 0;
    for (std::size_t i = 1; i < row; ++i) {
        at = text.find('\n', at) + 1;
    }
    return text.substr(at, text.find('\n', at) - at);
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A new JSON field stopped the stream; with bad rows skipped, every later row was dropped and nobody was told.
TEST(ColumnWatch, ANewFieldIsIgnoredAndAnnouncedOnce) {
    const Scratch scratch;
    const StreamSettings settings = settings_for(
        scratch, json_rows(60, [](int row, const std::string& name, const std::string& usual) {
            return name == "extra" && row >= 30 ? "\"wind\":{\"speed\":" + std::to_string(row) + "}" : usual;
        }));
    const Ran ran = run(settings);
    EXPECT_EQ(ran.rows, 60U);
    EXPECT_EQ(ran.skipped, 0U);
    ASSERT_EQ(ran.events.size(), 1U);
    EXPECT_EQ(ran.events[0].kind, EventKind::column_new);
    EXPECT_EQ(ran.events[0].row, 30U);
    EXPECT_EQ(ran.events[0].columns, std::vector<std::string>{"wind.speed"});
    EXPECT_EQ(ran.ignored, 1U);
    EXPECT_TRUE(says(record(settings, 30), R"("events":[{"event":"column_new","row":30,"columns":["wind.speed"])"))
        << record(settings, 30);
    EXPECT_FALSE(says(record(settings, 31), "events"));
    ASSERT_EQ(ran.lines.size(), 1U);
    EXPECT_TRUE(says(ran.lines[0], "row 30: there is a field that the first row did not have: wind.speed"))
        << ran.lines[0];
}

// A column that vanished passed silently.
TEST(ColumnWatch, AColumnThatHasNoValueForSixteenRowsHasVanishedAndReturnsAfterEight) {
    const Scratch scratch;
    const Ran ran = run(settings_for(
        scratch, json_rows(200, [](int row, const std::string& name, const std::string& usual) {
            const bool gone = row > 100 && row <= 150 && row != 140;  // one value alone is no return
            return name == "o.b" && gone ? std::string() : name == "a" && gone ? std::string("null") : usual;
        })));
    ASSERT_EQ(ran.events.size(), 2U);
    EXPECT_EQ(ran.events[0].kind, EventKind::column_vanished);
    EXPECT_EQ(ran.events[0].row, 116U);
    EXPECT_EQ(ran.events[0].columns, (std::vector<std::string>{"a", "o.b"}));
    EXPECT_EQ(ran.events[1].kind, EventKind::column_returned);
    EXPECT_EQ(ran.events[1].row, 158U);
    EXPECT_EQ(ran.vanished, 0U);
}

TEST(ColumnWatch, FifteenRowsWithoutAValueAreAGapAndNoEvent) {
    const Scratch scratch;
    const Ran ran =
        run(settings_for(scratch, json_rows(200, [](int row, const std::string& name, const std::string& usual) {
                             return name == "a" && row > 100 && row <= 115 ? std::string() : usual;
                         })));
    EXPECT_TRUE(ran.events.empty());
}

TEST(ColumnWatch, AColumnThatOftenHasNoValueDoesNotVanish) {
    const Scratch scratch;
    const Ran ran =
        run(settings_for(scratch, json_rows(600, [](int row, const std::string& name, const std::string& usual) {
                             const bool sparse =
                                 (name == "y" && row % 10 != 0) || (name == "a" && row % 40 < 20) ||
                                 (name == "o.b" && row > 10 && row < 590);  // too few values to be known
                             return sparse && row > 1 ? std::string() : usual;
                         })));
    EXPECT_TRUE(ran.events.empty());
}

TEST(ColumnWatch, AColumnThatTurnsToTextIsAnnouncedOnceAndCountsAsMissing) {
    const Scratch scratch;
    const StreamSettings settings =
        settings_for(scratch, json_rows(120, [](int row, const std::string& name, const std::string& usual) {
                         return name == "a" && row > 50 && row <= 100 ? std::string("\"E\\u0007RR\"") : usual;
                     }));
    const Ran ran = run(settings);
    EXPECT_EQ(ran.rows, 120U);
    ASSERT_EQ(ran.events.size(), 2U);
    EXPECT_EQ(ran.events[0].kind, EventKind::column_vanished);
    EXPECT_EQ(ran.events[0].row, 51U);
    EXPECT_EQ(ran.events[0].text, "column a holds no number but \"E RR\": it counts as missing");
    EXPECT_EQ(ran.events[1].kind, EventKind::column_returned);
    EXPECT_EQ(ran.events[1].row, 108U);
    EXPECT_TRUE(says(record(settings, 51), R"("count":1,"why":"text","value":"E\u0007RR")")) << record(settings, 51);
}

TEST(ColumnWatch, InCsvATextIsAnErrorBeforeTheColumnHasHeldTwentyNumbersAndMissingAfterIt) {
    const Scratch scratch;
    for (const int text_row : {1, 20, 21, 40}) {
        std::string rows = "a,b,y\n";
        for (int row = 1; row <= 60; ++row) {
            const double b = std::cos(2.9 * row);
            rows += (row == text_row ? "n/v" : number(std::sin(1.7 * row))) + "," + number(b) + "," + number(b) + "\n";
        }
        const StreamSettings settings = settings_for(scratch, rows);
        if (text_row <= 20) {
            EXPECT_THROW((void)run(settings), sluice::io::RowError) << text_row;
        } else {
            const Ran ran = run(settings);
            EXPECT_EQ(ran.rows, 60U);
            ASSERT_EQ(ran.events.size(), 2U) << text_row;
            EXPECT_EQ(ran.events[0].row, static_cast<std::uint64_t>(text_row));
        }
    }
}

TEST(ColumnWatch, StrictColumnsAreAsStrictAsBefore) {
    const Scratch scratch;
    StreamSettings settings =
        settings_for(scratch, json_rows(60, [](int row, const std::string& name, const std::string& usual) {
                         return name == "o.b"                 ? std::string()
                                : name == "extra" && row > 40 ? "\"wind\":1"
                                : name == "a" && row == 30    ? "\"ERR\""
                                                              : usual;
                     }));
    settings.dialect.strict_columns = true;
    EXPECT_THROW((void)run(settings), sluice::io::RowError);
    settings.skip_bad_rows = true;
    const Ran ran = run(settings);
    EXPECT_EQ(ran.rows, 39U);
    EXPECT_EQ(ran.skipped, 21U);
    EXPECT_TRUE(ran.events.empty());
    settings = settings_for(scratch, "{\"a\":{\"b\":1},\"y\":1}\n{\"a\":{\"b\":2},\"y\":1}\n");
    settings.dialect.strict_columns = true;
    EXPECT_THROW((void)run(settings), sluice::io::RowError);
}

TEST(ColumnWatch, RejectsKeepTheTextOfTheRow) {
    const Scratch scratch;
    StreamSettings settings = settings_for(scratch, "a,y\n1,2\nx,\"3\"\n4\n5,6\n");
    settings.skip_bad_rows = true;
    settings.rejects = scratch.path("rejects.csv");
    (void)run(settings);
    EXPECT_EQ(content(settings.rejects),
              "line,byte,column,value,reason,text\n3,8,a,x,is not a number,\"x,\"\"3\"\"\"\n"
              "4,14,,,\"has 1 cell, the header has 2\",4\n");
}

// Columns that vanish, return, turn to text and appear, in good rows and in bad ones.
std::string eventful_rows() {
    return json_rows(150, [](int row, const std::string& name, const std::string& usual) -> std::string {
        if (name == "a") {
            return row > 60 && row < 90 ? "" : usual;
        }
        if (name == "o.b") {
            return row == 40 || (row > 70 && row < 74) ? "\"ERR\"" : usual;
        }
        if (name == "extra") {
            return row == 33   ? "\"first\":1,\"y\":0"  // a bad row: y twice
                   : row == 34 ? "\"second\":1"
                   : row > 100 ? "\"third\":{\"x\":1}"
                               : "";
        }
        return usual;
    });
}

TEST(ColumnWatch, ARunKilledAfterAnyRowAndResumedWritesTheSameEvents) {
    const Scratch scratch;
    for (const bool csv : {false, true}) {
        StreamSettings base = settings_for(scratch, eventful_rows());
        base.options.tuning = sluice::Tuning::off();
        base.options.model.components = 1;
        base.options.model.keep = {1};
        base.skip_bad_rows = true;
        base.checkpoint_rows = 7;
        base.out_format = csv ? sluice::job::RecordFormat::csv : sluice::job::RecordFormat::ndjson;
        StreamSettings whole = base;
        whole.checkpoint = scratch.path("whole.sluice");
        std::filesystem::remove(whole.checkpoint);
        const Ran ran = run(whole);
        EXPECT_EQ(ran.events.size(), 9U);
        EXPECT_EQ(ran.ignored, 3U);
        const std::string records = content(whole.out);
        if (csv) {
            EXPECT_TRUE(says(records, R"("[{""event"":""column_vanished"",""row"":39)")) << records;
        }
        for (int rows = 25; rows <= 150; rows += csv ? 17 : 1) {
            StreamSettings part = base;
            part.out = scratch.path("part.ndjson");
            part.checkpoint = scratch.path("part.sluice");
            std::filesystem::remove(part.checkpoint);
            {
                struct Killed {};
                StreamJob job(part, sluice::io::real_disk(), nullptr, ignore_message);
                int seen = 0;
                EXPECT_THROW((void)job.run([&] {
                    if (++seen == rows) {
                        throw Killed();
                    }
                }),
                             Killed);
            }
            part.resume = true;
            (void)run(part);
            ASSERT_EQ(content(part.out), records) << rows;
            ASSERT_EQ(content(part.checkpoint), content(whole.checkpoint)) << rows;
        }
    }
}

TEST(ColumnWatch, ARunThatIsResumedOnRowsWithoutOneOfItsColumnsContinues) {
    const Scratch scratch;
    const auto usual = [](int, const std::string&, const std::string& cell) { return cell; };
    StreamSettings settings = settings_for(scratch, json_rows(50, usual));
    settings.checkpoint = scratch.path("a.sluice");
    (void)run(settings);
    write_file(settings.input, json_rows(50, [](int, const std::string& name, const std::string& cell) {
                   return name == "a" ? std::string() : name == "extra" ? "\"new\":1" : cell;
               }));
    settings.resume = true;
    settings.from_here = true;
    const Ran ran = run(settings);
    EXPECT_EQ(ran.rows, 100U);
    ASSERT_EQ(ran.events.size(), 2U);
    EXPECT_EQ(ran.events[0].kind, EventKind::column_new);
    EXPECT_EQ(ran.events[0].row, 51U);
    EXPECT_EQ(ran.events[1].kind, EventKind::column_vanished);
    EXPECT_EQ(ran.events[1].row, 66U);
    EXPECT_EQ(ran.vanished, 1U);
}

TEST(ColumnWatch, RefusesDamagedState) {
    sluice::Roles roles;
    roles.inputs = {"a"};
    roles.targets = {"y"};
    const ColumnWatch watch(roles);
    sluice::core::StateWriter out;
    watch.save(out);
    const auto bytes = std::move(out).unframed();
    const auto refused = [&](std::size_t at, int value) {
        auto damaged = bytes;
        damaged[at] = static_cast<std::byte>(value);
        auto in = sluice::core::StateReader::unframed(damaged);
        ColumnWatch other(roles);
        try {
            other.load(in);
        } catch (const sluice::StateError&) {
            return true;
        }
        return false;
    };
    EXPECT_FALSE(refused(0, 2));
    EXPECT_TRUE(refused(0, 3));    // columns
    EXPECT_TRUE(refused(16, 21));  // numbers of the first
    EXPECT_TRUE(refused(17, 3));   // its status
    EXPECT_TRUE(refused(28, 1));   // a name that is not there
}

}  // namespace
}  // namespace column_watch_test
