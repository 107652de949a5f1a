// The outputs of a stream job over months: renamed logs, SIGHUP, full disks, locks, links and devices.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <limits>
#include <string>

#include "lock_file.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace outputs_test {
namespace {

using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using namespace sluice::test;
namespace fs = std::filesystem;

struct Killed {};

StreamSettings with_files(const Scratch& scratch, const std::string& name) {
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.out = scratch.path(name + ".log");
    settings.rejects = scratch.path(name + ".rejects");
    settings.checkpoint = scratch.path(name + ".sluice");
    settings.checkpoint_rows = 7;
    settings.skip_bad_rows = true;
    return settings;
}

void finish(const StreamSettings& settings, sluice::io::Disk& disk = sluice::io::real_disk()) {
    StreamJob job(settings, disk, nullptr, ignore_message);
    (void)job.run();
}

// All that was ever written to a log, the oldest file first.
std::string all_of(const std::string& path) {
    std::string out;
    for (int number = 9; number > 0; --number) {
        out += content(path + "." + std::to_string(number));
    }
    return out + content(path);
}

void rename_logs(const std::string& path) {
    for (int number = 8; number >= 0; --number) {
        const std::string from = number == 0 ? path : path + "." + std::to_string(number);
        if (fs::exists(from)) {
            fs::rename(from, path + "." + std::to_string(number + 1));
        }
    }
}

void remove_files(const StreamSettings& settings) {
    for (const std::string& path : {settings.out, settings.rejects, settings.checkpoint}) {
        for (int number = 0; number <= 9; ++number) {
            fs::remove(number == 0 ? path : path + "." + std::to_string(number));
        }
    }
}

// The logs are renamed after one row, SIGHUP comes after another, and the run is killed after a third; whatever the order,
// the resumed run leaves every record once.
TEST(Outputs, RenamedLogsHaveEveryRecordOnceWheneverTheRunIsKilled) {
    const Scratch scratch;
    std::string text = small_stream(36);
    text.insert(text.find("day 12"), "day bad,1,oops\n");
    text.insert(text.find("day 20"), "day bad,2,oops\n");
    write_file(scratch.path("in.csv"), text);
    const StreamSettings whole = with_files(scratch, "whole");
    finish(whole);
    ASSERT_EQ(std::ranges::count(content(whole.out), '\n'), 36);
    for (std::size_t renamed = 9; renamed < 20; ++renamed) {
        for (std::size_t told = renamed; told < renamed + 9; told += 2) {
            for (std::size_t killed = renamed; killed < renamed + 14; ++killed) {
                StreamSettings part = with_files(scratch, "part");
                remove_files(part);
                const sluice::io::Interrupt interrupt(sluice::io::Interrupt::Hangup::reopen);
                std::size_t row = 0;
                try {
                    StreamJob job(part, sluice::io::real_disk(), &interrupt, ignore_message);
                    (void)job.run([&] {
                        ++row;
                        if (row == renamed) {
                            rename_logs(part.out);
                            rename_logs(part.rejects);
                        }
                        if (row == told) {
                            (void)raise(SIGHUP);
                        }
                        if (row == killed) {
                            throw Killed();
                        }
                    });
                } catch (const Killed&) {
                }
                part.resume = true;
                finish(part);
                const std::string place =
                    std::to_string(renamed) + " " + std::to_string(told) + " " + std::to_string(killed);
                ASSERT_EQ(all_of(part.out), content(whole.out)) << place;
                std::string rejects = all_of(part.rejects);
                const std::string header = "line,byte,column,value,reason,text\n";
                for (std::size_t at = rejects.find(header, 1); at != std::string::npos; at = rejects.find(header, 1)) {
                    rejects.erase(at, header.size());
                }
                ASSERT_EQ(rejects, content(whole.rejects)) << place;
            }
        }
    }
}

TEST(Outputs, AfterSighupTheOldLogIsCompleteAndTheCheckpointIsOfTheNewOne) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    StreamSettings settings = with_files(scratch, "a");
    settings.checkpoint_rows = 1000;
    settings.out_format = sluice::job::RecordFormat::csv;
    const sluice::io::Interrupt interrupt(sluice::io::Interrupt::Hangup::reopen);
    StreamJob job(settings, sluice::io::real_disk(), &interrupt, ignore_message);
    std::size_t row = 0;
    (void)job.run([&] {
        if (++row == 10) {
            fs::rename(settings.out, scratch.path("moved elsewhere"));
            (void)raise(SIGHUP);
        }
        if (row == 12) {  // SIGHUP was seen before row 12
            EXPECT_EQ(std::ranges::count(content(scratch.path("moved elsewhere")), '\n'), 12);  // with its header
            EXPECT_EQ(sluice::job::read_model_file(settings.checkpoint).tally->rows(), 11U);
        }
    });
    EXPECT_TRUE(content(settings.out).starts_with("row,time,"));
    EXPECT_EQ(std::ranges::count(content(settings.out), '\n'), 10);
}

TEST(Outputs, SighupWithoutARenamedLogChangesNothing) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    const StreamSettings whole = with_files(scratch, "whole");
    finish(whole);
    const StreamSettings part = with_files(scratch, "part");
    const sluice::io::Interrupt interrupt(sluice::io::Interrupt::Hangup::reopen);
    StreamJob job(part, sluice::io::real_disk(), &interrupt, ignore_message);
    (void)job.run([] { (void)raise(SIGHUP); });
    EXPECT_EQ(content(part.out), content(whole.out));
    EXPECT_EQ(content(part.checkpoint), content(whole.checkpoint));
}

TEST(Outputs, ALogTakenAwayAfterTheRunEndedIsBegunAgain) {
    const Scratch scratch;
    const std::string text = small_stream(20);
    write_file(scratch.path("in.csv"), text.substr(0, text.find("day 12")));
    StreamSettings settings = with_files(scratch, "a");
    finish(settings);
    fs::rename(settings.out, scratch.path("elsewhere"));
    write_file(scratch.path("in.csv"), text);
    settings.resume = true;
    finish(settings);
    EXPECT_EQ(std::ranges::count(content(scratch.path("elsewhere")), '\n'), 12);
    EXPECT_EQ(std::ranges::count(content(settings.out), '\n'), 8);
}

TEST(Outputs, ALogThatIsNotFoundAfterAKillIsAskedForAndNothingIsWritten) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    StreamSettings settings = with_files(scratch, "a");
    std::size_t row = 0;
    try {
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run([&] {
            if (++row == 16) {
                throw Killed();
            }
        });
    } catch (const Killed&) {
    }
    settings.resume = true;
    fs::rename(settings.out, scratch.path("elsewhere"));
    for (const char* present : {"", "something else\n"}) {
        write_file(settings.out, present);
        try {
            finish(settings);
            FAIL();
        } catch (const sluice::job::UsageError& error) {
            EXPECT_NE(error.reason().find("Give it its name back"), std::string::npos) << error.reason();
            EXPECT_EQ(error.remedies(), sluice::io::Remedies{sluice::io::Remedy::new_outputs});
        }
        EXPECT_EQ(content(settings.out), present);
    }
    settings.new_out = true;
    EXPECT_THROW(finish(settings), sluice::job::UsageError);  // it has content
    settings.out = scratch.path("new.log");
    settings.rejects = scratch.path("new.rejects");
    finish(settings);
    EXPECT_EQ(std::ranges::count(content(settings.out), '\n'), 6);  // rows 15 to 20
}

// A write to the records fails when the disk has `room` bytes left for them, and takes what still fits before.
class FullForRecords final : public sluice::io::Disk {
  public:
    explicit FullForRecords(std::size_t room) : room_(room) {}
    int open(const std::string& path, int flags) override {
        const int file = Disk::open(path, flags);
        if (path.ends_with(".log")) {
            records_ = file;
        }
        return file;
    }
    ssize_t write(int file, std::span<const std::byte> bytes) override {
        if (file != records_) {
            return Disk::write(file, bytes);
        }
        if (room_ == 0) {
            errno = ENOSPC;
            return -1;
        }
        const ssize_t done = Disk::write(file, bytes.first(std::min(room_, bytes.size())));
        room_ -= static_cast<std::size_t>(done);
        return done;
    }

  private:
    std::size_t room_;
    int records_ = -1;
};

TEST(Outputs, AFullDiskUnderTheRecordsLosesNeitherRowsNorRecords) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(30));
    for (const auto format : {sluice::job::RecordFormat::ndjson, sluice::job::RecordFormat::csv}) {
        StreamSettings whole = with_files(scratch, "whole");
        remove_files(whole);
        whole.out_format = format;
        finish(whole);
        for (std::size_t room = 0; room < content(whole.out).size(); room += 217) {
            StreamSettings part = with_files(scratch, "part");
            remove_files(part);
            part.out_format = format;
            FullForRecords disk(room);
            EXPECT_THROW(finish(part, disk), sluice::io::DiskError);
            const auto rows = sluice::job::read_model_file(part.checkpoint).tally->rows();
            EXPECT_EQ(rows % 7, 0U) << "the checkpoint is not of the row at which the disk was full";
            EXPECT_GT(rows, 0U);
            part.resume = true;
            finish(part);
            ASSERT_EQ(content(part.out), content(whole.out)) << room;
            ASSERT_EQ(content(part.checkpoint), content(whole.checkpoint)) << room;
        }
    }
}

TEST(Outputs, ASecondProcessOnACheckpointIsRefusedWithTheNumberOfTheFirst) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    StreamSettings settings = with_files(scratch, "a");
    const auto job = std::make_unique<StreamJob>(settings, sluice::io::real_disk(), nullptr, ignore_message);
    StreamSettings other = with_files(scratch, "b");
    other.checkpoint = settings.checkpoint;
    try {
        finish(other);
        FAIL();
    } catch (const sluice::job::UsageError& error) {
        EXPECT_EQ(error.reason(), settings.checkpoint + " is in use by process " + std::to_string(getpid()) +
                                      ": stop it, or give another file");
    }
    EXPECT_FALSE(fs::exists(other.out));
    (void)job->run();
    EXPECT_FALSE(fs::exists(settings.checkpoint + ".lock"));
    other.resume = true;
    other.new_out = true;
    finish(other);
}

TEST(Outputs, ALockFileThatIsLeftOverLocksNothing) {
    const Scratch scratch;
    write_file(scratch.path("a.lock"), "1\n");
    const sluice::io::LockFile lock(scratch.path("a"));
    EXPECT_FALSE(lock.holder().has_value());
    const sluice::io::LockFile second(scratch.path("a"));
    EXPECT_EQ(second.holder(), getpid());
}

TEST(Outputs, ACheckpointThatIsALinkStaysOneAndItsFileIsReplaced) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    fs::create_directory(scratch.path("models"));
    StreamSettings settings = with_files(scratch, "a");
    fs::create_symlink("models/real.sluice", settings.checkpoint);  // what it leads to does not exist yet
    finish(settings);
    EXPECT_TRUE(fs::is_symlink(settings.checkpoint));
    EXPECT_EQ(sluice::job::read_model_file(scratch.path("models/real.sluice")).tally->rows(), 20U);
    settings.resume = true;
    finish(settings);
    EXPECT_TRUE(fs::is_symlink(settings.checkpoint));
    EXPECT_TRUE(fs::exists(scratch.path("models/real.sluice.previous")));
}

TEST(Outputs, ACheckpointThatIsADeviceAPipeOrAFolderIsRefusedAndStaysWhatItIs) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    ASSERT_EQ(mkfifo(scratch.path("pipe").c_str(), 0600), 0);
    fs::create_directory(scratch.path("folder"));
    StreamSettings settings = with_files(scratch, "a");
    // Root could replace the device, if the job were wrong.
    const std::string device = geteuid() == 0 ? scratch.path("pipe") : "/dev/null";
    for (const std::string& path : {device, scratch.path("pipe"), scratch.path("folder")}) {
        settings.checkpoint = path;
        try {
            finish(settings);
            FAIL() << path;
        } catch (const sluice::job::UsageError& error) {
            EXPECT_NE(error.reason().find("which is never replaced by a file"), std::string::npos) << error.reason();
        }
        EXPECT_FALSE(fs::is_regular_file(path));
    }
}

TEST(Outputs, RecordsToADeviceAreWrittenThroughAndResumed) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    StreamSettings settings = with_files(scratch, "a");
    settings.out = "/dev/null";
    settings.rejects = "/dev/null";
    finish(settings);
    settings.resume = true;
    finish(settings);
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Outputs, TwoOutputsThatAreOneFileAreRefusedUnderAnyName) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    fs::create_symlink("a.log", scratch.path("link"));  // to a file that does not exist yet
    StreamSettings settings = with_files(scratch, "a");
    for (const std::string& summary :
         {settings.out, scratch.path("link"), scratch.path("./a.sluice"), settings.input}) {
        settings.other_files = {{.setting = "summary", .path = summary}};
        EXPECT_THROW(finish(settings), sluice::job::UsageError) << summary;
    }
    EXPECT_FALSE(fs::exists(settings.out));
}

// --- the ends of a run that are no kill: all leave a checkpoint of the last row

TEST(Outputs, AnErrorOfTheInputLeavesACheckpointOfTheLastRow) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    StreamSettings settings = with_files(scratch, "a");
    settings.checkpoint_rows = 1000;
    settings.follow = true;
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    EXPECT_THROW((void)job.run([&] {
        if (job.tally().rows() == 20) {
            fs::rename(settings.input, settings.input + ".1");
            write_file(settings.input, "x1,y1,y2\n1,2,3\n");  // the time is not there
        }
    }),
                 sluice::DataError);
    EXPECT_EQ(sluice::job::read_model_file(settings.checkpoint).tally->rows(), 20U);
}

TEST(Outputs, ReadFromTheStartAsAnotherSeriesTheModelIsKeptAndTheRowsBeforeAreNot) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(30, 8, 2, 0.0));
    StreamSettings settings = with_files(scratch, "a");
    settings.horizon = 2;
    finish(settings);
    const auto first = sluice::job::read_model_file(settings.checkpoint);
    write_file(scratch.path("in.csv"), small_stream(10, 8, 2, 0.0, 5));
    settings.resume = true;
    EXPECT_THROW(finish(settings), sluice::job::UsageError);
    settings.from_here = true;
    settings.from_start = true;
    EXPECT_THROW(finish(settings), sluice::job::UsageError);
    settings.from_here = false;
    finish(settings);
    const auto second = sluice::job::read_model_file(settings.checkpoint);
    EXPECT_EQ(second.tally->rows(), 40U);
    // The outputs of the first two rows have no inputs two rows before them: nothing is learnt from them.
    EXPECT_EQ(first.learner->model().rows_met(), 28U);
    EXPECT_EQ(second.learner->model().rows_met(), 36U);
    EXPECT_EQ(std::ranges::count(content(settings.out), '\n'), 40);
    settings.from_start = false;  // from now on it is a checkpoint of that file
    finish(settings);
}

}  // namespace
}  // namespace outputs_test
