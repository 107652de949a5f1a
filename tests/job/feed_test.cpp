// The input across files: renamed, emptied, replaced, not there yet. What happens to the files is scripted: each time the
// feed has nothing to read, the next step is taken. The step after the last one stops it.
#include "feed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <deque>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "support/scratch.hpp"
#include "time_columns.hpp"
#include "usage.hpp"

namespace feed_test {
namespace {

using sluice::io::Position;
using sluice::job::Feed;
using sluice::job::FeedPlace;
using namespace sluice::test;
namespace fs = std::filesystem;

void append(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

// As `cp path copy; : > path`.
void copy_and_empty(const std::string& path, const std::string& copy) {
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    fs::resize_file(path, 0);
}

class Script {
  public:
    using Step = std::function<void()>;

    explicit Script(std::string path) : path_(std::move(path)) { (void)!pipe(stop_.data()); }
    ~Script() {
        close(stop_[0]);
        close(stop_[1]);
    }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;
    Script(Script&&) = delete;
    Script& operator=(Script&&) = delete;

    Script& then(Step step) {
        steps_.push_back(std::move(step));
        return *this;
    }
    [[nodiscard]] Feed::Settings settings(bool follow = true) {
        return {.path = path_,
                .dialect = {},
                .options = {.follow = follow, .stop_descriptor = stop_[0], .before_waiting = [this] {
                                if (steps_.empty()) {
                                    (void)!write(stop_[1], "x", 1);
                                    return;
                                }
                                const Step step = steps_.front();
                                steps_.pop_front();
                                step();
                            }}};
    }

  private:
    std::string path_;
    std::deque<Step> steps_;
    std::array<int, 2> stop_{};
};

// The rows as "1 2|3 4", with bad ones as "bad".
std::string rows_of(Feed& feed, std::vector<Position>* positions = nullptr, FeedPlace* place = nullptr) {
    std::string out;
    sluice::io::Row row;
    for (bool more = true; more;) {
        std::string one;
        try {
            more = feed.next(row);
            for (const double number : row.numbers) {
                one += (one.empty() ? "" : " ") + std::to_string(static_cast<int>(number));
            }
        } catch (const sluice::io::RowError& error) {
            one = "bad";
            row.at = error.at();
        }
        if (more) {
            out += (out.empty() ? "" : "|") + one;
            if (positions != nullptr) {
                positions->push_back(row.at);
            }
            if (place != nullptr) {
                feed.note_place(*place);
            }
        }
    }
    return out;
}

void want_a_and_b(sluice::io::RowReader& reader) {
    std::vector<std::size_t> places;
    for (const char* name : {"a", "b"}) {
        const auto at = std::ranges::find(reader.columns(), name);
        if (at == reader.columns().end()) {
            throw sluice::DataError(std::string("missing: ") + name);
        }
        places.push_back(static_cast<std::size_t>(at - reader.columns().begin()));
    }
    reader.want(places, {});
}

void ignore(const sluice::job::Message& /*message*/) {}

std::string followed(Script& script, std::vector<Position>* positions = nullptr) {
    Feed feed(script.settings(), ignore);
    feed.open();
    feed.prepare(want_a_and_b);
    return rows_of(feed, positions);
}

// Reads all that is there now and returns the place after it.
FeedPlace read_all(const std::string& path) {
    Script script(path);
    Feed feed(script.settings(), ignore);
    feed.open();
    feed.prepare(want_a_and_b);
    FeedPlace place;
    feed.note_place(place);
    (void)rows_of(feed, nullptr, &place);
    return place;
}

std::string continued(const std::string& path, const FeedPlace& place, bool follow = true) {
    Script script(path);
    Feed feed(script.settings(follow), ignore);
    feed.open_at(place, want_a_and_b);
    feed.prepare(want_a_and_b);
    return rows_of(feed);
}

std::string refusal(const std::string& path, const FeedPlace& place, bool follow = true) {
    try {
        return "continued: " + continued(path, place, follow);
    } catch (const sluice::job::UsageError& error) {
        EXPECT_EQ(error.remedies(),
                  (sluice::io::Remedies{sluice::io::Remedy::learn_every_row, sluice::io::Remedy::read_from_start}));
        return error.reason();
    }
}

class FeedTest : public ::testing::Test {
  protected:
    Scratch scratch_;
    std::string path_ = scratch_.path("in.csv");
};

TEST_F(FeedTest, ARenamedFileIsReadToItsEndAndThenTheNewOneFromItsBeginning) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] { fs::rename(path_, path_ + ".1"); })
        .then([&] { append(path_ + ".1", "3,4\n"); })  // by whoever has it open still
        .then([&] { write_file(path_, ""); })          // not begun: the old one may still grow
        .then([&] { append(path_ + ".1", "5,6\n"); })
        .then([&] { append(path_, "a,b\n7,8\n"); })
        .then([&] { append(path_, "9,10\n"); });
    std::vector<Position> positions;
    EXPECT_EQ(followed(script, &positions), "1 2|3 4|5 6|7 8|9 10");
    EXPECT_EQ(positions.back(), (Position{.line = 3, .byte = 8}));  // of the present file
}

TEST_F(FeedTest, AFileThatIsCopiedAndEmptiedIsReadFromItsBeginning) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] { append(path_, "3,4\n"); }).then([&] { copy_and_empty(path_, path_ + ".1"); }).then([&] {
        append(path_, "a,b\n5,6\n");
    });
    EXPECT_EQ(followed(script), "1 2|3 4|5 6");
}

TEST_F(FeedTest, WhatWasNotReadBeforeAFileWasEmptiedIsReadFromItsCopy) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script
        .then([&] {
            append(path_, "3,4\n5,6\n");
            copy_and_empty(path_, path_ + ".1");
        })
        .then([&] { append(path_, "a,b\n7,8\n"); });
    EXPECT_EQ(followed(script), "1 2|3 4|5 6|7 8");
}

// The columns of the reader were compared with those of the file: what was not read yet was lost.
TEST_F(FeedTest, WhatWasNotReadIsReadFromTheCopyAlsoWhereTheReaderHasOtherColumnsThanTheFile) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script
        .then([&] {
            append(path_, "3,4\n5,6\n");
            copy_and_empty(path_, path_ + ".1");
        })
        .then([&] { append(path_, "a,b\n7,8\n"); });
    Feed::Settings settings = script.settings();
    sluice::job::RoleRequest request;
    request.time = "a,b";
    settings.wrap = [&](std::unique_ptr<sluice::io::RowReader> reader, bool /*continues*/) {
        return sluice::job::join_time_columns(std::move(reader), request, "a b");
    };
    Feed feed(std::move(settings), ignore);
    feed.open();
    EXPECT_EQ(feed.columns(), (std::vector<std::string>{"a", "b", "a b"}));
    feed.prepare(want_a_and_b);
    EXPECT_EQ(rows_of(feed), "1 2|3 4|5 6|7 8");
}

TEST_F(FeedTest, AFileThatIsEmptiedAndGrowsBeyondWhatWasReadIsReadFromItsBeginning) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] { write_file(path_, "a,b\n3,4\n5,6\n7,8\n"); });
    EXPECT_EQ(followed(script), "1 2|3 4|5 6|7 8");
}

TEST_F(FeedTest, AnOlderFileIsNotTakenForTheCopyOfAnEmptiedOne) {
    write_file(path_ + ".1", "a,b\n7,7\n8,8\n9,9\n");
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] { fs::resize_file(path_, 0); }).then([&] { append(path_, "a,b\n3,4\n"); });
    EXPECT_EQ(followed(script), "1 2|3 4");
}

TEST_F(FeedTest, AFileThatIsNotThereYetIsWaitedFor) {
    Script script(path_);
    script.then([&] {}).then([&] { write_file(path_, "a,"); }).then([&] { append(path_, "b\n1,2\n"); });
    EXPECT_EQ(followed(script), "1 2");
}

TEST_F(FeedTest, AStopBeforeTheColumnsAreKnownIsNoError) {
    Script script(path_);
    Feed feed(script.settings(), ignore);
    EXPECT_THROW(feed.open(), sluice::job::Stopped);
}

TEST_F(FeedTest, AFileReplacedByALongerVersionOfItselfIsContinued) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] {
        write_file(path_ + ".new", "a,b\n1,2\n3,4\n");
        fs::rename(path_ + ".new", path_);
    });
    EXPECT_EQ(followed(script), "1 2|3 4");
}

TEST_F(FeedTest, AFileReplacedByAnotherOneIsReadToItsEndAndThenTheOtherFromItsBeginning) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] {
        append(path_, "3,4\n");
        write_file(path_ + ".new", "a,b\n5,6\n");
        fs::rename(path_ + ".new", path_);
    });
    EXPECT_EQ(followed(script), "1 2|3 4|5 6");
}

TEST_F(FeedTest, ARenamedFileAndANewOneWithTheSameRowsAreTwoFiles) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] {
        fs::rename(path_, path_ + ".1");
        write_file(path_, "a,b\n1,2\n3,4\n");
    });
    EXPECT_EQ(followed(script), "1 2|1 2|3 4");
}

TEST_F(FeedTest, TwoRotationsAtOnceLeaveNoFileOut) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] {
        fs::rename(path_, path_ + ".2");
        write_file(path_ + ".1", "a,b\n3,4\n");
        write_file(path_, "a,b\n5,6\n");
    });
    EXPECT_EQ(followed(script), "1 2|3 4|5 6");
}

TEST_F(FeedTest, TheLastLineOfARotatedFileIsARowIfItIsWholeAndABadRowOtherwise) {
    for (const bool whole : {true, false}) {
        write_file(path_, "a,b\n1,2\n");
        Script script(path_);
        script.then([&] {
            append(path_, whole ? "3,4" : "3");
            fs::rename(path_, path_ + ".1");
            write_file(path_, "a,b\n5,6\n");
        });
        std::vector<Position> positions;
        EXPECT_EQ(followed(script, &positions), whole ? "1 2|3 4|5 6" : "1 2|bad|5 6");
        EXPECT_EQ(positions.at(1), (Position{.line = 3, .byte = 8}));
    }
}

TEST_F(FeedTest, ANewFileMayHaveItsColumnsInAnotherOrderOrNoHeader) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script
        .then([&] {
            fs::rename(path_, path_ + ".1");
            write_file(path_, "b,a\n4,3\n");
        })
        .then([&] {
            fs::rename(path_, path_ + ".1");
            write_file(path_, "6,5\n8,7\n");
        });
    EXPECT_EQ(followed(script), "1 2|3 4|5 6|7 8");
}

TEST_F(FeedTest, ANewFileWithoutAColumnIsRefusedByItsName) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] {
        fs::rename(path_, path_ + ".1");
        write_file(path_, "a,c\n3,4\n");
    });
    try {
        FAIL() << followed(script);
    } catch (const sluice::DataError& error) {
        EXPECT_STREQ(error.what(), "missing: b");
    }
}

// --- continuing a later day

TEST_F(FeedTest, AFileThatHasGrownIsContinued) {
    write_file(path_, "a,b\n1,2\n");
    const FeedPlace place = read_all(path_);
    append(path_, "3,4\n");
    EXPECT_EQ(continued(path_, place), "3 4");
    EXPECT_EQ(continued(path_, place, false), "3 4");
}

TEST_F(FeedTest, AnotherFileAtThePathIsRefusedAndTheReasonGiven) {
    write_file(path_, "a,b\n1,2\n");
    const FeedPlace place = read_all(path_);
    fs::remove(path_);
    EXPECT_EQ(refusal(path_, place), path_ + " is not the file that the checkpoint was written for: it does not exist");
    for (const bool follow : {true, false}) {
        write_file(path_, "a,b\n5,6\n7,8\n9,10\n");
        EXPECT_EQ(refusal(path_, place, follow),
                  path_ + " is not the file that the checkpoint was written for: its first 8 bytes are different");
        write_file(path_, "a,b\n1");
        EXPECT_EQ(refusal(path_, place, follow),
                  path_ + " is not the file that the checkpoint was written for: it ends before byte 8");
    }
}

TEST_F(FeedTest, ALongFileWithTheSameBeginningAndOtherRowsIsRefused) {
    std::string text = "a,b\n";
    for (int i = 0; i < 2000; ++i) {
        text += "1,2\n";
    }
    write_file(path_, text + "3,4\n");
    const FeedPlace place = read_all(path_);
    write_file(path_, text + "5,6\n7,8\n");
    EXPECT_NE(refusal(path_, place).find("it has another row before line 2003 (byte 8008)"), std::string::npos)
        << refusal(path_, place);
}

TEST_F(FeedTest, ACopyOfTheFileIsContinued) {
    write_file(path_, "a,b\n1,2\n");
    const FeedPlace place = read_all(path_);
    fs::copy_file(path_, path_ + ".copy");
    fs::rename(path_ + ".copy", path_);
    append(path_, "3,4\n");
    EXPECT_EQ(continued(path_, place), "3 4");
}

TEST_F(FeedTest, FilesRotatedMeanwhileAreReadFromTheOldestOn) {
    write_file(path_, "a,b\n1,2\n");
    const FeedPlace place = read_all(path_);
    append(path_, "3,4\n");
    fs::rename(path_, path_ + ".1");
    EXPECT_EQ(continued(path_, place), "3 4");  // and waits for a new one
    fs::rename(path_ + ".1", path_ + ".2");
    write_file(path_ + ".1", "a,b\n5,6\n");
    write_file(path_, "a,b\n7,8\n");
    EXPECT_EQ(continued(path_, place), "3 4|5 6|7 8");
    fs::copy_file(path_ + ".2", path_ + ".3");  // another file with the same content: as after copying and emptying
    fs::remove(path_ + ".2");
    EXPECT_EQ(continued(path_, place), "3 4|5 6|7 8");
    fs::remove(path_ + ".3");
    EXPECT_NE(refusal(path_, place).find("its first 8 bytes are different"), std::string::npos);
}

// A checkpoint after the header alone fits every file with that header: the number of the file decides.
TEST_F(FeedTest, AFileWithoutARowReadIsFoundByItsNumber) {
    write_file(path_ + ".1", "a,b\n9,9\n");  // of the day before
    write_file(path_, "a,b\n");
    const FeedPlace place = read_all(path_);
    append(path_, "1,2\n");
    fs::rename(path_ + ".1", path_ + ".2");
    fs::rename(path_, path_ + ".1");
    write_file(path_, "a,b\n3,4\n");
    EXPECT_EQ(continued(path_, place), "1 2|3 4");
}

TEST_F(FeedTest, AFileWithoutAHeaderThatFollowedAnotherIsContinued) {
    write_file(path_, "a,b\n1,2\n");
    Script script(path_);
    script.then([&] {
        fs::rename(path_, path_ + ".1");
        write_file(path_, "3,4\n");
    });
    Feed feed(script.settings(), ignore);
    feed.open();
    feed.prepare(want_a_and_b);
    FeedPlace place;
    EXPECT_EQ(rows_of(feed, nullptr, &place), "1 2|3 4");
    EXPECT_EQ(place.rows, 1U);
    append(path_, "5,6\n");
    EXPECT_EQ(continued(path_, place), "5 6");
}

}  // namespace
}  // namespace feed_test
