#include "metrics.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace metrics_test {
namespace {

using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using namespace sluice::test;

// The text form of Prometheus, version 0.0.4: samples by name and labels. Fails the test for a line that is not of it.
std::map<std::string, double> samples_of(const std::string& text) {
    std::map<std::string, double> samples;
    std::set<std::string> typed;
    std::string current;
    std::istringstream lines(text);
    EXPECT_TRUE(text.ends_with('\n'));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# HELP ")) {
            current = line.substr(7, line.find(' ', 7) - 7);
            EXPECT_TRUE(typed.insert(current).second) << "twice: " << current;
            continue;
        }
        if (line.starts_with("# TYPE ")) {
            const std::string rest = line.substr(7);
            EXPECT_TRUE(rest == current + " counter" || rest == current + " gauge") << line;
            EXPECT_EQ(rest.ends_with("counter"), current.ends_with("_total")) << line;
            continue;
        }
        const std::size_t brace = line.find('{');
        const std::size_t end = line.rfind("} ");
        if (brace == std::string::npos || end == std::string::npos) {
            ADD_FAILURE() << line;
            continue;
        }
        EXPECT_EQ(line.substr(0, brace), current) << line;
        char* stop = nullptr;
        const std::string number = line.substr(end + 2);
        const double value = std::strtod(number.c_str(), &stop);
        EXPECT_EQ(*stop, '\0') << line;
        EXPECT_TRUE(samples.emplace(line.substr(0, end + 1), value).second) << "twice: " << line;
    }
    return samples;
}

StreamSettings watched(const Scratch& scratch) {
    write_file(scratch.path("in.csv"), small_stream(40) + "bad\n");
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.monitor.metrics = scratch.path("boiler.prom");
    settings.checkpoint = scratch.path("a.sluice");
    settings.checkpoint_rows = 10;
    settings.skip_bad_rows = true;
    return settings;
}

TEST(Metrics, HaveTheCountsOfTheRunUnderTheNameOfTheFile) {
    const Scratch scratch;
    const double before = sluice::job::unix_seconds();
    const StreamSettings settings = watched(scratch);
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    auto samples = samples_of(content(settings.monitor.metrics));  // written before the first row
    EXPECT_EQ(samples.at("sluice_running{stream=\"boiler\"}"), 1.0);
    EXPECT_EQ(samples.at("sluice_rows_total{stream=\"boiler\"}"), 0.0);
    EXPECT_EQ(samples.at("sluice_last_row_timestamp_seconds{stream=\"boiler\"}"),
              samples.at("sluice_start_timestamp_seconds{stream=\"boiler\"}"));
    (void)job.run();
    samples = samples_of(content(settings.monitor.metrics));
    EXPECT_EQ(samples.at("sluice_running{stream=\"boiler\"}"), 0.0);
    EXPECT_EQ(samples.at("sluice_rows_total{stream=\"boiler\"}"), 40.0);
    EXPECT_EQ(samples.at("sluice_skipped_rows_total{stream=\"boiler\"}"), 1.0);
    EXPECT_EQ(samples.at("sluice_inputs{stream=\"boiler\"}"), 8.0);
    EXPECT_GT(samples.at("sluice_names{stream=\"boiler\"}"), 0.0);
    EXPECT_EQ(samples.at("sluice_events_total{stream=\"boiler\",kind=\"checkpoint_failed\"}"), 0.0);
    for (const char* what : {"last_row", "checkpoint", "start"}) {
        const double at = samples.at("sluice_" + std::string(what) + "_timestamp_seconds{stream=\"boiler\"}");
        EXPECT_GE(at, before) << what;
        EXPECT_LE(at, sluice::job::unix_seconds()) << what;
    }
    const auto& score = job.tally().scores()[1];
    EXPECT_EQ(samples.at("sluice_error_over_variance{stream=\"boiler\",target=\"y2\"}"), score.error_over_variance());
    const double mean = samples.at("sluice_squared_error_total{stream=\"boiler\",target=\"y2\"}") /
                        samples.at("sluice_scored_rows_total{stream=\"boiler\",target=\"y2\"}");
    EXPECT_NEAR(mean, score.rmse() * score.rmse(), 1e-12 * mean);  // the rounding of two divisions and a root
    EXPECT_FALSE(std::filesystem::exists(settings.monitor.metrics + ".new"));
}

TEST(Metrics, LabelsAreEscaped) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), "a,\"y\"\"\\\"\n1,2\n2,3\n");
    StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles.targets = {"y\"\\"};
    settings.monitor.metrics = scratch.path("a\"b.prom");
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    const auto samples = samples_of(content(settings.monitor.metrics));
    EXPECT_EQ(content(settings.monitor.metrics).find("sluice_checkpoint"), std::string::npos);  // none is kept
    EXPECT_TRUE(samples.contains(R"(sluice_scored_rows_total{stream="a\"b",target="y\"\\"})"));
}

TEST(Metrics, AreWrittenAtAnErrorToo) {
    const Scratch scratch;
    StreamSettings settings = watched(scratch);
    settings.skip_bad_rows = false;
    {
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        EXPECT_THROW((void)job.run(), sluice::io::RowError);
    }
    const auto samples = samples_of(content(settings.monitor.metrics));
    EXPECT_EQ(samples.at("sluice_running{stream=\"boiler\"}"), 0.0);
    EXPECT_EQ(samples.at("sluice_rows_total{stream=\"boiler\"}"), 40.0);
}

// No file of metrics can be created.
class NoMetrics final : public sluice::io::Disk {
  public:
    int open(const std::string& path, int flags) override {
        if (path.ends_with(".prom.new")) {
            errno = ENOSPC;
            return -1;
        }
        return Disk::open(path, flags);
    }
};

TEST(Metrics, ThatCannotBeWrittenAreSaidOnceAndTheStreamContinues) {
    const Scratch scratch;
    const StreamSettings settings = watched(scratch);
    NoMetrics disk;
    std::vector<std::string> warnings;
    StreamJob job(settings, disk, nullptr,
                  [&](const sluice::job::Message& message) { warnings.push_back(message.text); });
    EXPECT_EQ(job.run(), StreamJob::End::finished);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("no metrics were written"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("No space left"), std::string::npos) << warnings[0];
}

TEST(Metrics, ReplaceWhatALinkPointsToAndNeverADevice) {
    const Scratch scratch;
    StreamSettings settings = watched(scratch);
    write_file(scratch.path("target"), "old");
    std::filesystem::create_symlink(scratch.path("target"), scratch.path("link.prom"));
    settings.monitor.metrics = scratch.path("link.prom");
    {
        StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run();
    }
    EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link.prom")));
    EXPECT_EQ(samples_of(content(scratch.path("target"))).at("sluice_rows_total{stream=\"link\"}"), 40.0);
    settings.monitor.metrics = "/dev/null";
    EXPECT_THROW(StreamJob(settings, sluice::io::real_disk(), nullptr, ignore_message), sluice::job::UsageError);
    settings.monitor.metrics = settings.input;
    EXPECT_THROW(StreamJob(settings, sluice::io::real_disk(), nullptr, ignore_message), sluice::job::UsageError);
}

}  // namespace
}  // namespace metrics_test
