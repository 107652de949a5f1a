#include "stream_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <random>
#include <span>
#include <string>

#include "durable.hpp"
#include "sluice/error.hpp"
#include "small_stream.hpp"
#include "support/hard_disks.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace stream_job_test {
namespace {

using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using namespace sluice::test;

void finish(const StreamSettings& settings, sluice::io::Disk& disk = sluice::io::real_disk()) {
    StreamJob job(settings, disk, nullptr, ignore_message);
    EXPECT_EQ(job.run(), StreamJob::End::finished);
}

// Runs until `rows` rows were learnt, then drops everything, as SIGKILL does.
void run_and_kill(const StreamSettings& settings, std::size_t rows) {
    struct Killed {};
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    std::size_t seen = 0;
    try {
        (void)job.run([&] {
            if (++seen == rows) {
                throw Killed();
            }
        });
    } catch (const Killed&) {
        return;
    }
}

StreamSettings with_files(StreamSettings settings, const Scratch& scratch, const std::string& name) {
    settings.out = scratch.path(name + ".ndjson");
    settings.rejects = scratch.path(name + ".rejects");
    settings.checkpoint = scratch.path(name + ".sluice");
    settings.checkpoint_rows = 7;
    settings.skip_bad_rows = true;
    return settings;
}

// A bad row now and then, so that rejects are written as well.
std::string with_bad_rows(std::string text) {
    std::size_t line = 0;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        if (++line % 11 == 5) {
            text.insert(at + 1, "day bad,1,2,oops\n");
            at += 18;
        }
    }
    return text;
}

TEST(StreamJob, ResumedAfterAnyRowLeavesTheSameFilesAsARunNeverStopped) {
    const Scratch scratch;
    const std::string input = scratch.path("in.csv");
    write_file(input, with_bad_rows(small_stream(40)));
    for (const std::size_t horizon : {0U, 3U}) {
        for (const auto engine : {sluice::Engine::dense, sluice::Engine::columns}) {
            StreamSettings base = small_settings(input);
            base.lags = {0, 1, 4};
            base.horizon = horizon;
            base.options.model.engine = engine;
            const StreamSettings whole = with_files(base, scratch, "whole");
            std::filesystem::remove(whole.checkpoint);
            finish(whole);
            for (std::size_t rows = 1; rows <= 44; ++rows) {
                StreamSettings part = with_files(base, scratch, "part");
                std::filesystem::remove(part.checkpoint);
                run_and_kill(part, rows);
                part.resume = true;
                finish(part);
                ASSERT_EQ(content(part.out), content(whole.out)) << rows;
                ASSERT_EQ(content(part.rejects), content(whole.rejects)) << rows;
                ASSERT_EQ(content(part.checkpoint), content(whole.checkpoint)) << rows;
            }
        }
    }
}

TEST(StreamJob, CsvRecordsSurviveAResumeToo) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(30));
    StreamSettings settings = with_files(small_settings(scratch.path("in.csv")), scratch, "a");
    settings.out_format = sluice::job::RecordFormat::csv;
    finish(settings);
    const std::string whole = content(settings.out);
    std::filesystem::remove(settings.checkpoint);
    run_and_kill(settings, 20);
    settings.resume = true;
    finish(settings);
    EXPECT_EQ(content(settings.out), whole);
    EXPECT_TRUE(
        whole.starts_with("row,time,predicted_y1,predicted_y2,observed_y1,observed_y2,selected_1,selected_2,"
                          "entered,left,forgetting,explained_covariance,outcome,events\n"));
    EXPECT_EQ(std::ranges::count(whole, '\n'), 31);
}

TEST(StreamJob, TheOrderOfColumnsDoesNotMatterWhenResuming) {
    const Scratch scratch;
    const std::string rows = small_stream(30, 3, 1, 0.0);
    write_file(scratch.path("in.csv"), rows);
    std::string turned;  // when,x1,x2,x3,y1 -> y1,x3,x2,x1,when
    std::string cell;
    std::vector<std::string> cells;
    for (const char c : rows) {
        if (c == ',' || c == '\n') {
            cells.insert(cells.begin(), cell);
            cell.clear();
            if (c == '\n') {
                for (std::size_t i = 0; i < cells.size(); ++i) {
                    turned += (i == 0 ? "" : ",") + cells[i];
                }
                turned += "\n";
                cells.clear();
            }
        } else {
            cell += c;
        }
    }
    StreamSettings settings = with_files(small_settings(scratch.path("in.csv")), scratch, "a");
    settings.roles.targets = {"y1"};
    settings.options.model.components = 1;
    finish(settings);
    const std::string whole = content(settings.out);
    std::filesystem::remove(settings.checkpoint);
    run_and_kill(settings, 18);
    write_file(scratch.path("in.csv"), turned);
    settings.resume = true;
    finish(settings);
    EXPECT_EQ(content(settings.out), whole);
}

TEST(StreamJob, AResumeWithOtherColumnsShowsTheDifference) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    StreamSettings settings = with_files(small_settings(scratch.path("in.csv")), scratch, "a");
    finish(settings);
    std::string changed = small_stream(20);
    changed.replace(changed.find("x3"), 2, "x9");
    write_file(scratch.path("in.csv"), changed);
    settings.resume = true;
    try {
        finish(settings);
        FAIL();
    } catch (const sluice::DataError& error) {
        EXPECT_NE(std::string(error.what()).find("missing: x3"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("new:     x9"), std::string::npos) << error.what();
    }
}

TEST(StreamJob, AResumeThatContradictsItsCheckpointIsRefused) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    StreamSettings settings = with_files(small_settings(scratch.path("in.csv")), scratch, "a");
    finish(settings);
    settings.resume = true;
    finish(settings);  // the same again is fine
    StreamSettings other = settings;
    other.options.model.forgetting = 0.5;
    finish(other);  // not given by the user: the checkpoint's counts
    other.options_given = {"forgetting"};
    EXPECT_THROW(finish(other), sluice::job::UsageError);
    other = settings;
    other.horizon = 2;
    EXPECT_THROW(finish(other), sluice::job::UsageError);
    other = settings;
    other.roles.targets = {"y1"};
    EXPECT_THROW(finish(other), sluice::job::UsageError);
}

TEST(StreamJob, ACheckpointThatWouldBeReplacedIsKept) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(20));
    const StreamSettings settings = with_files(small_settings(scratch.path("in.csv")), scratch, "a");
    finish(settings);
    const std::string first = content(settings.checkpoint);
    finish(settings);
    EXPECT_EQ(content(settings.checkpoint + ".replaced"), first);
}

TEST(StreamJob, StopsAtABadRowWithTheCheckpointBeforeIt) {
    const Scratch scratch;
    const std::string good = small_stream(20);
    write_file(scratch.path("in.csv"), with_bad_rows(good));
    StreamSettings settings = with_files(small_settings(scratch.path("in.csv")), scratch, "a");
    settings.skip_bad_rows = false;
    EXPECT_THROW(finish(settings), sluice::io::RowError);
    write_file(scratch.path("in.csv"), good);  // corrected: the bad row is gone
    settings.resume = true;
    finish(settings);
    StreamSettings whole = with_files(small_settings(scratch.path("in.csv")), scratch, "whole");
    finish(whole);
    EXPECT_EQ(content(settings.out), content(whole.out));
}

TEST(StreamJob, WhicheverSystemCallFailsTheOldCheckpointLoadsAndNoFileIsLeftOver) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(25));
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.out = scratch.path("out.ndjson");
    settings.checkpoint = scratch.path("a.sluice");
    settings.checkpoint_rows = 10;
    finish(settings);
    const std::string whole_out = content(settings.out);
    const std::string whole_model = content(settings.checkpoint);

    for (const int reason : {ENOSPC, EIO, EINTR, 0}) {
        for (std::size_t failing = 1;; ++failing) {
            for (const char* name : {"a.sluice", "a.sluice.previous", "a.sluice.replaced", "out.ndjson"}) {
                std::filesystem::remove(scratch.path(name));
            }
            FailingDisk disk(failing, reason);
            bool stopped = false;
            settings.resume = false;
            try {
                StreamJob job(settings, disk, nullptr, ignore_message);
                (void)job.run();
            } catch (const std::runtime_error&) {
                stopped = true;
            }
            EXPECT_FALSE(std::filesystem::exists(scratch.path("a.sluice.new"))) << disk.failed_call();
            EXPECT_FALSE(std::filesystem::exists(scratch.path("a.sluice.previous.new"))) << disk.failed_call();
            if (reason == 0) {
                EXPECT_FALSE(stopped) << "a short write is no failure";
            }
            if (!stopped) {
                EXPECT_EQ(content(settings.out), whole_out) << disk.failed_call();
                EXPECT_EQ(content(settings.checkpoint), whole_model) << disk.failed_call();
            }
            settings.resume = true;  // whatever happened, the run can continue
            finish(settings);
            ASSERT_EQ(content(settings.out), whole_out) << failing << " " << disk.failed_call();
            ASSERT_EQ(content(settings.checkpoint), whole_model) << failing << " " << disk.failed_call();
            if (failing > disk.calls()) {
                break;
            }
        }
    }
}

TEST(StreamJob, AfterAPowerLossAtAnyMomentTheRunContinuesToTheSameEnd) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(30));
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.out = scratch.path("out.ndjson");
    settings.checkpoint = scratch.path("a.sluice");
    settings.checkpoint_rows = 6;
    finish(settings);
    const std::string whole_out = content(settings.out);
    const std::string whole_model = content(settings.checkpoint);
    std::filesystem::remove(settings.checkpoint);
    FragileDisk sound(std::numeric_limits<std::size_t>::max());
    finish(settings, sound);

    std::mt19937_64 random(1);
    std::size_t resumed_runs = 0;
    constexpr std::size_t kTrials = 400;
    for (std::size_t trial = 0; trial < kTrials; ++trial) {
        for (const char* name :
             {"a.sluice", "a.sluice.previous", "a.sluice.new", "a.sluice.previous.new", "out.ndjson"}) {
            std::filesystem::remove(scratch.path(name));
        }
        FragileDisk disk(random() % sound.calls());
        settings.resume = false;
        EXPECT_THROW(finish(settings, disk), PowerLoss);
        for (const auto& [path, bytes] : disk.after_power_loss(random)) {
            write_file(path, bytes);
        }
        settings.resume = true;
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        resumed_runs += job.resumed_at() > 0 ? 1U : 0U;
        (void)job.run();
        ASSERT_EQ(content(settings.out), whole_out) << trial;
        ASSERT_EQ(content(settings.checkpoint), whole_model) << trial;
    }
    EXPECT_GT(resumed_runs, kTrials / 2);  // most of them found a checkpoint
}

// Every write to the file of a checkpoint fails for lack of room, as on a full disk; other files can be written.
class FullForCheckpoints final : public sluice::io::Disk {
  public:
    int open(const std::string& path, int flags) override {
        const int file = Disk::open(path, flags);
        if (path.ends_with(".sluice.new")) {
            checkpoint_ = file;
        }
        return file;
    }
    ssize_t write(int file, std::span<const std::byte> bytes) override {
        if (file == checkpoint_) {
            errno = ENOSPC;
            return -1;
        }
        return Disk::write(file, bytes);
    }
    int close(int file) override {
        checkpoint_ = file == checkpoint_ ? -1 : checkpoint_;
        return Disk::close(file);
    }

  private:
    int checkpoint_ = -1;
};

TEST(StreamJob, ACheckpointThatAFullDiskRefusesIsReportedAndTheStreamContinues) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(25));
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.checkpoint = scratch.path("a.sluice");
    settings.checkpoint_rows = 10;
    settings.out = scratch.path("out.ndjson");
    std::vector<std::string> warnings;
    FullForCheckpoints disk;
    StreamJob job(settings, disk, nullptr, [&](const sluice::job::Message& message) {
        EXPECT_EQ(message.severity, sluice::job::Message::Severity::warning);
        warnings.push_back(message.text);
    });
    EXPECT_THROW((void)job.run(), std::runtime_error);  // at its end, because the last one was not written either
    EXPECT_EQ(job.tally().rows(), 25U);
    EXPECT_EQ(std::ranges::count(content(settings.out), '\n'), 25);
    EXPECT_FALSE(std::filesystem::exists(settings.checkpoint));
    ASSERT_EQ(warnings.size(), 3U);
    EXPECT_NE(warnings[0].find("no checkpoint was written at row 10"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("No space left on device"), std::string::npos) << warnings[0];
}

TEST(StreamJob, ResumedWithEverythingTunedLeavesTheSameFilesAsARunNeverStopped) {
    const Scratch scratch;
    const std::string input = scratch.path("in.csv");
    // The relation turns after row 80: decisions, a fresh start and an alarm fall between the checkpoints.
    std::string rows = small_stream(80, 8, 2, 0.02, 1);
    const std::string turned = small_stream(80, 8, 2, 0.02, 2);
    rows += turned.substr(turned.find('\n') + 1);
    write_file(input, rows);
    for (const std::size_t horizon : {0U, 2U}) {
        StreamSettings base = small_settings(input);
        base.options = {};
        base.lags = {0, 1};
        base.horizon = horizon;
        base.options.tuning.intercept = true;
        base.options_given = {"intercept"};
        ASSERT_TRUE(base.options.tuning.forgetting && base.options.tuning.variables && base.options.tuning.shrinkage &&
                    base.options.tuning.alarms);
        const StreamSettings whole = with_files(base, scratch, "whole");
        std::filesystem::remove(whole.checkpoint);
        finish(whole);
        if (horizon == 0) {  // two rows ahead no input need predict this stream
            EXPECT_NE(content(whole.out).find("\"decisions\""), std::string::npos) << "nothing was decided";
        }
        for (std::size_t stop = 3; stop < 160; stop += 13) {
            StreamSettings part = with_files(base, scratch, "part");
            std::filesystem::remove(part.checkpoint);
            run_and_kill(part, stop);
            part.resume = true;
            finish(part);
            ASSERT_EQ(content(part.out), content(whole.out)) << stop;
            ASSERT_EQ(content(part.checkpoint), content(whole.checkpoint)) << stop;
        }
    }
}

// With a horizon the drift of the intercept is off unless it is asked for: it would follow outdated errors.
TEST(StreamJob, WithAHorizonTheInterceptDriftsOnlyWhereItIsAskedFor) {
    const Scratch scratch;
    std::string rows = "x1,x2,y\n";  // the level of y rises: a drifting intercept follows it
    for (int t = 0; t < 200; ++t) {
        const double x1 = std::sin(1.7 * t);
        rows += std::to_string(x1) + "," + std::to_string(std::cos(2.9 * t)) + "," +
                std::to_string((2.0 * x1) + (0.3 * t)) + "\n";
    }
    write_file(scratch.path("in.csv"), rows);
    StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles.targets = {"y"};
    const auto after_run = [&](std::size_t horizon, const std::vector<std::string>& given) {
        settings.horizon = horizon;
        settings.options_given = given;
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run();
        return job.learner().model();
    };
    EXPECT_TRUE(after_run(0, {}).options().tuning.intercept);
    const sluice::AdaptiveModel without = after_run(3, {});
    EXPECT_FALSE(without.options().tuning.intercept);
    EXPECT_EQ(without.drift(), std::vector<double>{0.0});
    const sluice::AdaptiveModel with = after_run(3, {"intercept"});
    EXPECT_TRUE(with.options().tuning.intercept);
    EXPECT_NE(with.drift(), std::vector<double>{0.0});
}

TEST(StreamJob, WarmupRowsAreLearntAndNotScored) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(30, 8, 2, 0.0));
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.warmup = 12;
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    EXPECT_EQ(job.tally().rows(), 30U);
    EXPECT_EQ(job.tally().scores()[0].count(), 18U);
}

// CSV lost since, by and the names of an alarm.
TEST(StreamJob, ADriftIsAnEventWithItsRowItsCauseAndItsNamesInBothFormats) {
    const Scratch scratch;
    std::string rows = "x1,x2,y\n";  // y follows x1, then x2
    for (int t = 0; t < 400; ++t) {
        const double x1 = std::sin(1.7 * t);
        const double x2 = std::cos(2.9 * t);
        rows += std::to_string(x1) + "," + std::to_string(x2) + "," +
                std::to_string((t < 250 ? x1 : 3.0 * x2) + (0.05 * std::sin(37.0 * t))) + "\n";
    }
    write_file(scratch.path("in.csv"), rows);
    StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles.targets = {"y"};
    std::vector<std::string> lines;
    std::vector<std::string> found;
    for (const auto format : {sluice::job::RecordFormat::ndjson, sluice::job::RecordFormat::csv}) {
        settings.out = scratch.path("out");
        settings.out_format = format;
        lines.clear();
        StreamJob job(settings, sluice::io::real_disk(), nullptr,
                      [&](const sluice::job::Message& message) { lines.push_back(message.text); });
        (void)job.run();
        ASSERT_GE(job.events().count(sluice::job::EventKind::drift), 1U);
        EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
            return line.find("the relation changed suddenly at about row") != std::string::npos;
        }));
        std::string text = content(settings.out);
        if (format == sluice::job::RecordFormat::csv) {
            for (std::size_t at = text.find("\"\""); at != std::string::npos; at = text.find("\"\"", at + 1)) {
                text.erase(at, 1);
            }
        }
        const std::size_t at = text.find(R"([{"event":"drift","row":)");
        ASSERT_NE(at, std::string::npos) << text;
        found.push_back(text.substr(at, text.find('}', at) - at));
        for (const char* part : {R"("since":)", R"("by":)", R"("entered":[)", R"("left":[)"}) {
            EXPECT_NE(found.back().find(part), std::string::npos) << found.back();
        }
    }
    EXPECT_EQ(found[0], found[1]);
}

TEST(StreamJob, ARowWithAWrongValueIsAnEventThatNamesItsColumns) {
    const Scratch scratch;
    std::string rows = "when,x1,x2,y\n";
    for (int t = 1; t <= 300; ++t) {
        const double x1 = std::sin(1.7 * t);
        const double x2 = std::cos(2.9 * t);
        const double y = (x1 - x2 + (0.05 * std::sin(37.0 * t))) * (t == 201 ? 1e4 : 1.0);
        rows += "day " + std::to_string(t) + "," + std::to_string(t == 251 ? 1e4 : x1) + "," + std::to_string(x2) +
                "," + std::to_string(y) + "\n";
    }
    write_file(scratch.path("in.csv"), rows);
    StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles.targets = {"y"};
    settings.roles.time = "when";
    settings.out = scratch.path("out.ndjson");
    std::vector<sluice::job::Event> suspect;
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    job.events().add_handler([&](const sluice::job::Event& event) {
        if (event.kind == sluice::job::EventKind::suspect && (event.row == 201 || event.row == 251)) {
            suspect.push_back(event);
        }
    });
    (void)job.run();
    ASSERT_EQ(suspect.size(), 2U);
    EXPECT_EQ(suspect[0].columns, std::vector<std::string>{"y"});
    EXPECT_EQ(suspect[0].time, "day 201");
    EXPECT_EQ(suspect[1].columns, std::vector<std::string>{"x1"});
    EXPECT_NE(content(settings.out)
                  .find(R"("events":[{"event":"suspect","row":201,"time":"day 201","columns":["y"],)"
                        R"("inputs":0,"targets":1,"text":")"),
              std::string::npos);
}

}  // namespace
}  // namespace stream_job_test
