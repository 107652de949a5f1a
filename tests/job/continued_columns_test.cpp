// A file that continues the stream and has other columns. The run is killed after any row, resumed, and rotated while it is
// down: the events and the records stay the same.
#include "continued_columns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "interrupt.hpp"
#include "roles.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace continued_columns_test {
namespace {

using sluice::job::ColumnError;
using sluice::job::Event;
using sluice::job::EventKind;
using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using namespace sluice::test;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr int kRows = 30;  // of each file

double value(const std::string& column, int row) {
    const double a = std::sin(1.7 * row);
    const double b = std::cos(2.9 * row);
    return column == "a" ? a : column == "b" ? b : column == "y" ? a - b : 100.0 + row;
}

// Rows `first` and on: t is the number of the row.
std::string file_of(const Names& columns, int first, int rows = kRows) {
    std::string text;
    for (int row = first - 1; row < first + rows; ++row) {
        std::string line;
        for (const std::string& column : columns) {
            line += line.empty() ? "" : ",";
            line += row < first     ? column
                    : column == "t" ? "t" + std::to_string(row)
                                    : std::to_string(value(column, row));
        }
        text += line + "\n";
    }
    return text;
}

struct Ran {
    std::vector<Event> events;
    std::uint64_t rows = 0;
    std::size_t vanished = 0;
    std::size_t ignored = 0;
};

// A run of a file that is followed; it is rotated to the next of `files` whenever all rows of the present one are learnt.
class Rotated {
  public:
    explicit Rotated(std::vector<Names> files) : files_(std::move(files)) {
        base_.input = scratch_.path("in.csv");
        base_.follow = true;
        base_.roles.targets = {"y"};
        base_.roles.time = "t";
        base_.options.tuning = sluice::Tuning::off();
        base_.options.model.components = 1;
        base_.options.model.keep = {1};
        base_.checkpoint_rows = 7;
        start_files();
    }

    [[nodiscard]] StreamSettings settings(const std::string& name) const {
        StreamSettings settings = base_;
        settings.out = scratch_.path(name + ".ndjson");
        settings.checkpoint = scratch_.path(name + ".sluice");
        fs::remove(settings.checkpoint);
        return settings;
    }

    void start_files() {
        for (int number = 1; number < 10; ++number) {
            fs::remove(base_.input + "." + std::to_string(number));
        }
        fs::remove(base_.input);
        write_file(base_.input, file_of(files_.front(), 1));
        next_ = 1;
    }

    void rotate() {
        for (int number = 8; number >= 0; --number) {
            const std::string from = base_.input + (number == 0 ? "" : "." + std::to_string(number));
            if (fs::exists(from)) {
                fs::rename(from, base_.input + "." + std::to_string(number + 1));
            }
        }
        write_file(base_.input, file_of(files_[next_], 1 + (static_cast<int>(next_) * kRows)));
        ++next_;
    }

    void rotate_all() {
        while (next_ < files_.size()) {
            rotate();
        }
    }

    // Ends when all rows of all files are learnt.
    Ran run(const StreamSettings& settings) {
        Ran ran;
        const sluice::io::Interrupt interrupt;
        StreamJob job(settings, sluice::io::real_disk(), &interrupt, ignore_message);
        job.events().add_handler([&](const Event& event) {
            if (event.kind != EventKind::drift && event.kind != EventKind::suspect) {
                ran.events.push_back(event);
            }
        });
        const auto each_row = [&] {
            const std::uint64_t rows = job.tally().rows();
            if (rows == files_.size() * kRows) {
                if (!interrupt.requested()) {
                    (void)std::raise(SIGTERM);
                }
            } else if (rows == next_ * kRows) {
                rotate();
            }
        };
        each_row();  // the last row may have been learnt before
        (void)job.run(each_row);
        ran.rows = job.tally().rows();
        ran.vanished = job.columns().vanished();
        ran.ignored = job.columns().ignored();
        return ran;
    }

    void run_and_kill(const StreamSettings& settings, std::uint64_t after) {
        struct Killed {};
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        EXPECT_THROW((void)job.run([&] {
            if (job.tally().rows() == after) {
                throw Killed();
            }
            if (job.tally().rows() == next_ * kRows) {
                rotate();
            }
        }),
                     Killed);
    }

    Scratch& scratch() { return scratch_; }
    StreamSettings& base() { return base_; }

  private:
    Scratch scratch_;
    StreamSettings base_;
    std::vector<Names> files_;
    std::size_t next_ = 1;
};

std::string told(const Ran& ran) {
    std::string out;
    for (const Event& event : ran.events) {
        out += out.empty() ? "" : "|";
        out += std::string(event.kind == EventKind::column_new        ? "new"
                           : event.kind == EventKind::column_vanished ? "vanished"
                           : event.kind == EventKind::column_returned ? "returned"
                                                                      : "other") +
               " " + std::to_string(event.row);
        for (const std::string& column : event.columns) {
            out += " " + column;
        }
    }
    return out;
}

std::string complaint(Rotated& rotated, const StreamSettings& settings) {
    try {
        return "it ran: " + told(rotated.run(settings));
    } catch (const ColumnError& error) {
        return error.what();
    }
}

// The run was refused: the columns were not those that the model knew.
TEST(ContinuedColumns, ANewColumnOfANewFileIsIgnoredAndAnnouncedOnce) {
    Rotated rotated({{"t", "a", "b", "y"}, {"t", "a", "new", "b", "y"}, {"new", "y", "b", "a", "t"}});
    const StreamSettings settings = rotated.settings("changed");
    const Ran ran = rotated.run(settings);
    EXPECT_EQ(told(ran), "new 31 new");
    EXPECT_EQ(ran.rows, 90U);
    EXPECT_EQ(ran.ignored, 1U);
    const std::string records = content(settings.out);
    const std::size_t event = records.find(",\"events\":[{");
    ASSERT_NE(event, std::string::npos);

    Rotated same({{"t", "a", "b", "y"}, {"t", "a", "b", "y"}, {"t", "a", "b", "y"}});
    const StreamSettings plain = same.settings("plain");
    (void)same.run(plain);
    std::string without = records;
    without.erase(event, without.find("}]", event) + 2 - event);
    EXPECT_TRUE(without == content(plain.out)) << "the new column changes what is learnt";
}

TEST(ContinuedColumns, AColumnThatANewFileLacksHasVanishedAtOnceAndReturnsInALaterFile) {
    Rotated rotated({{"t", "a", "b", "y"}, {"t", "b", "y"}, {"t", "y", "a", "b"}});
    const StreamSettings settings = rotated.settings("changed");
    const Ran ran = rotated.run(settings);
    EXPECT_EQ(told(ran), "vanished 31 a|returned 68 a");
    EXPECT_EQ(ran.events.front().text, "column a is not in the header of the new file: it counts as missing");
    EXPECT_EQ(ran.vanished, 0U);
    EXPECT_NE(content(settings.out).find(R"("columns":["a"],"count":1,"why":"header")"), std::string::npos);
}

TEST(ContinuedColumns, ATargetThatANewFileLacksIsPredictedAndNotLearnt) {
    Rotated rotated({{"t", "a", "b", "y"}, {"t", "a", "b"}});
    const StreamSettings settings = rotated.settings("changed");
    const Ran ran = rotated.run(settings);
    EXPECT_EQ(told(ran), "vanished 31 y");
    EXPECT_EQ(ran.rows, 60U);
    EXPECT_EQ(ran.vanished, 1U);
}

TEST(ContinuedColumns, AnIgnoredColumnMayComeAndGoSilently) {
    Rotated rotated({{"t", "a", "b", "y", "note"}, {"t", "a", "b", "y"}, {"t", "a", "b", "y", "note2"}});
    rotated.base().roles.ignore = {"note*"};
    EXPECT_EQ(told(rotated.run(rotated.settings("changed"))), "");
}

TEST(ContinuedColumns, AFileWithoutTheTimeOrWithoutAnyColumnOfTheStreamIsRefused) {
    Rotated timeless({{"t", "a", "b", "y"}, {"a", "b", "new"}});
    EXPECT_EQ(complaint(timeless, timeless.settings("changed")),
              "the columns are not those that the model knows.\n  missing: t");
    Rotated other({{"t", "a", "b", "y"}, {"t", "c"}});
    EXPECT_EQ(complaint(other, other.settings("changed")),
              "the columns are not those that the model knows.\n  missing: a, b, y\n  new:     c");
}

TEST(ContinuedColumns, StrictColumnsRefuseThem) {
    Rotated rotated({{"t", "a", "b", "y"}, {"t", "b", "y", "new"}});
    rotated.base().dialect.strict_columns = true;
    EXPECT_EQ(complaint(rotated, rotated.settings("changed")),
              "the columns are not those that the model knows.\n  missing: a\n  new:     new");
}

TEST(ContinuedColumns, ATextInAKnownColumnIsReportedUnderItsNameWhereAnotherColumnIsAbsent) {
    Rotated rotated({{"t", "a", "b", "y"}, {"t", "y", "b"}});
    StreamSettings settings = rotated.settings("changed");
    rotated.run_and_kill(settings, 30);
    rotated.rotate();
    std::string text = content(settings.input);
    text.replace(text.rfind(',') + 1, std::string::npos, "ERR\n");
    write_file(settings.input, text);
    settings.resume = true;
    EXPECT_EQ(told(rotated.run(settings)), "vanished 31 a|vanished 60 b");
}

TEST(ContinuedColumns, ARunKilledAfterAnyRowAndResumedWritesTheSameBytes) {
    Rotated rotated({{"t", "a", "b", "y"}, {"t", "new", "b", "y"}, {"y", "t", "newer", "a"}, {"t", "a", "b", "y"}});
    const StreamSettings whole = rotated.settings("whole");
    const Ran ran = rotated.run(whole);
    EXPECT_EQ(told(ran), "new 31 new|vanished 31 a|new 61 newer|vanished 61 b|returned 68 a|returned 98 b");
    const std::string records = content(whole.out);
    for (std::uint64_t row = 25; row < 120; ++row) {
        for (const bool rotated_while_down : {false, true}) {
            rotated.start_files();
            StreamSettings part = rotated.settings("part");
            rotated.run_and_kill(part, row);
            if (rotated_while_down) {
                rotated.rotate_all();
            }
            part.resume = true;
            part.roles.inputs = {"a", "b"};  // given as they are known
            (void)rotated.run(part);
            ASSERT_TRUE(content(part.out) == records) << row << (rotated_while_down ? ", rotated" : "");
        }
    }
}

TEST(ContinuedColumns, AResumeInsideSuchAFileIsRefusedWithStrictColumnsOrOtherInputs) {
    Rotated rotated({{"t", "a", "b", "y"}, {"t", "new", "b", "y"}});
    StreamSettings settings = rotated.settings("part");
    rotated.run_and_kill(settings, 45);
    settings.resume = true;
    settings.dialect.strict_columns = true;
    EXPECT_EQ(complaint(rotated, settings),
              "the columns are not those that the model knows.\n  missing: a\n  new:     new");
    settings.dialect.strict_columns = false;
    settings.roles.inputs = {"b"};
    EXPECT_THROW((void)rotated.run(settings), sluice::job::UsageError);
    settings.roles.inputs = {"a", "b", "new"};
    EXPECT_THROW((void)rotated.run(settings), sluice::job::UsageError);
    settings.roles.inputs = {};
    EXPECT_EQ(rotated.run(settings).rows, 60U);
}

TEST(ContinuedColumns, FromHereContinuesInAFileWithOtherColumnsOnlyWhereItIsFollowed) {
    for (const bool follow : {true, false}) {
        Rotated rotated({{"t", "a", "b", "y"}, {"t", "b", "y"}});
        StreamSettings settings = rotated.settings("part");
        settings.checkpoint_rows = 10;
        rotated.run_and_kill(settings, 30);
        rotated.rotate();
        fs::remove(settings.input + ".1");
        settings.resume = true;
        settings.from_here = true;
        settings.follow = follow;
        EXPECT_EQ(complaint(rotated, settings),
                  follow ? "it ran: vanished 31 a" : "the columns are not those that the model knows.\n  missing: a");
    }
}

}  // namespace
}  // namespace continued_columns_test
