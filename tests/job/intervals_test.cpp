#include "intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "durable.hpp"
#include "json_text.hpp"
#include "model_file.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "small_stream.hpp"
#include "state.hpp"
#include "stream_job.hpp"
#include "summary.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace intervals_test {
namespace {

using sluice::job::Intervals;
using sluice::job::StreamJob;
using sluice::job::StreamSettings;
using namespace sluice::test;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void finish(const StreamSettings& settings) {
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    EXPECT_EQ(job.run(), StreamJob::End::finished);
}

StreamSettings with_interval(const Scratch& scratch, std::size_t rows, double coverage = 0.8) {
    write_file(scratch.path("in.csv"), small_stream(rows));
    StreamSettings settings = small_settings(scratch.path("in.csv"));
    settings.interval = coverage;
    settings.out = scratch.path("out.csv");
    settings.out_format = sluice::job::RecordFormat::csv;
    return settings;
}

// The columns of a CSV file of records whose cells have no quotes up to the wanted ones; NaN for an empty cell.
std::map<std::string, std::vector<double>> columns_of(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    std::vector<std::string> names;
    std::istringstream header(line);
    for (std::string name; std::getline(header, name, ',');) {
        names.push_back(name);
    }
    std::map<std::string, std::vector<double>> columns;
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        std::string cell;
        for (std::size_t i = 0; i < names.size() && std::getline(cells, cell, ','); ++i) {
            columns[names[i]].push_back(cell.empty() ? kNaN : std::strtod(cell.c_str(), nullptr));
        }
    }
    return columns;
}

TEST(Intervals, EachRecordHasBothEndsAndTheSummaryCountsWhatTheRecordsShow) {
    const Scratch scratch;
    StreamSettings settings = with_interval(scratch, 400);
    settings.warmup = 50;
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    const auto columns = columns_of(content(settings.out));
    for (std::size_t j = 0; j < 2; ++j) {
        const std::string y = j == 0 ? "y1" : "y2";
        double inside = 0.0;
        double rows = 0.0;
        double width = 0.0;
        for (std::size_t t = 0; t < 400; ++t) {
            const double low = columns.at("low_" + y)[t];
            const double high = columns.at("high_" + y)[t];
            const double predicted = columns.at("predicted_" + y)[t];
            const double observed = columns.at("observed_" + y)[t];
            ASSERT_EQ(std::isnan(low), std::isnan(high));
            if (t < 11) {
                EXPECT_TRUE(std::isnan(low));  // the first row has no prediction, then ten errors are needed
            }
            if (t > 30) {
                ASSERT_LE(low, predicted);
                ASSERT_GE(high, predicted);
            }
            if (t >= 50 && !std::isnan(observed)) {
                rows += 1.0;
                inside += low <= observed && observed <= high ? 1.0 : 0.0;
                width += high - low;
            }
        }
        const Intervals::Counts& counts = job.intervals()->counts()[j];
        EXPECT_EQ(static_cast<double>(counts.rows), rows);
        EXPECT_EQ(counts.coverage(), inside / rows);
        EXPECT_NEAR(counts.mean_width, width / rows, 1e-9 * width / rows);
        EXPECT_NEAR(counts.coverage(), 0.8, 0.02);
        const std::string summary = summary_json(job.tally(), job.events(), job.learner(), job.roles(),
                                                 job.input_names(), 0.0, nullptr, job.intervals());
        EXPECT_NE(summary.find(R"("intervals": {"asked": 0.8, "targets": {"y1": {"coverage": )"), std::string::npos);
        EXPECT_NE(summary.find(R"("mean_width": )" + sluice::io::json(counts.mean_width)), std::string::npos);
    }
}

TEST(Intervals, WithoutTheSettingNothingIsWrittenAboutThem) {
    const Scratch scratch;
    StreamSettings settings = with_interval(scratch, 30);
    settings.interval.reset();
    StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
    (void)job.run();
    EXPECT_EQ(job.intervals(), nullptr);
    EXPECT_EQ(content(settings.out).find("low"), std::string::npos);
    EXPECT_EQ(
        summary_json(job.tally(), job.events(), job.learner(), job.roles(), job.input_names(), 0.0).find("interval"),
        std::string::npos);
}

TEST(Intervals, WithAHorizonTheIntervalOfARowIsTheOneThatItsForecastWasGivenWith) {
    const Scratch scratch;
    StreamSettings settings = with_interval(scratch, 300);
    settings.horizon = 4;
    finish(settings);
    const auto columns = columns_of(content(settings.out));
    std::size_t compared = 0;
    for (std::size_t t = 4; t < 300; ++t) {
        for (const std::string end : {"low", "high"}) {
            const double now = columns.at(end + "_y2")[t];
            const double then = columns.at("forecast_" + end + "_y2")[t - 4];
            ASSERT_EQ(std::isnan(now), std::isnan(then)) << t;
            ASSERT_TRUE(std::isnan(now) || now == then) << t;
            compared += std::isnan(now) ? 0U : 1U;
        }
    }
    EXPECT_GT(compared, 500U);
}

// What was written until a row does not change when the outputs after it do.
TEST(Intervals, UseNoErrorThatIsNotKnownYet) {
    for (const std::size_t horizon : {0U, 1U, 3U}) {
        const Scratch scratch;
        StreamSettings settings = with_interval(scratch, 120);
        settings.horizon = horizon;
        finish(settings);
        const std::string all = content(settings.out);
        const std::string input = content(settings.input);
        std::size_t cut = 0;
        for (int line = 0; line <= 100; ++line) {
            cut = input.find('\n', cut) + 1;
        }
        write_file(settings.input, input.substr(0, cut) + "day x,1,2,3,4,5,6,7,8,1000,-1000\n");
        finish(settings);
        const std::string part = content(settings.out);
        std::size_t rows = 0;
        std::size_t at = 0;
        for (; rows < 101 && at != std::string::npos; ++rows) {  // the header and 100 rows
            ASSERT_EQ(part.substr(at, part.find('\n', at) - at), all.substr(at, all.find('\n', at) - at)) << rows;
            at = all.find('\n', at) + 1;
        }
        EXPECT_EQ(rows, 101U);
    }
}

TEST(Intervals, AKilledRunThatIsResumedLeavesTheSameBytes) {
    const Scratch scratch;
    for (const std::size_t horizon : {0U, 3U}) {
        StreamSettings settings = with_interval(scratch, 60);
        settings.horizon = horizon;
        settings.checkpoint = scratch.path("a.sluice");
        settings.checkpoint_rows = 7;
        std::filesystem::remove(settings.checkpoint);
        finish(settings);
        const std::string whole = content(settings.out);
        const std::string checkpoint = content(settings.checkpoint);
        for (std::size_t rows = 5; rows < 60; rows += 3) {
            std::filesystem::remove(settings.checkpoint);
            settings.resume = false;
            settings.interval = 0.8;
            struct Killed {};
            {
                StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
                std::size_t seen = 0;
                EXPECT_THROW((void)job.run([&] {
                    if (++seen == rows) {
                        throw Killed();
                    }
                }),
                             Killed);
            }
            settings.resume = true;
            if (rows % 2 == 0 && rows > 7) {
                settings.interval.reset();  // the checkpoint knows
            }
            finish(settings);
            ASSERT_EQ(content(settings.out), whole) << rows;
            ASSERT_EQ(content(settings.checkpoint), checkpoint) << rows;
        }
    }
}

TEST(Intervals, ARunThatIsResumedWithAnotherCoverageIsRefused) {
    const Scratch scratch;
    StreamSettings settings = with_interval(scratch, 40);
    settings.checkpoint = scratch.path("a.sluice");
    finish(settings);
    settings.resume = true;
    settings.interval = 0.9;
    try {
        finish(settings);
        FAIL() << "0.9 continues what has 0.8";
    } catch (const sluice::job::UsageError& error) {
        EXPECT_STREQ(error.what(), "interval: 0.9 contradicts the checkpoint, which has 0.8");
    }
    settings.resume = false;
    settings.interval.reset();
    finish(settings);
    settings.resume = true;
    settings.interval = 0.9;
    try {
        finish(settings);
        FAIL() << "0.9 continues what has none";
    } catch (const sluice::job::UsageError& error) {
        EXPECT_STREQ(error.what(), "interval: 0.9 contradicts the checkpoint, which has none");
    }
}

TEST(Intervals, AModelFileGivesThemBackAndDamagedOnesAreRefused) {
    const Scratch scratch;
    StreamSettings settings = with_interval(scratch, 40);
    settings.horizon = 2;
    settings.checkpoint = scratch.path("a.sluice");
    finish(settings);
    const auto bytes = sluice::io::read_whole(settings.checkpoint);
    const auto file = sluice::job::unpack(bytes);
    ASSERT_TRUE(file.intervals.has_value());
    EXPECT_EQ(pack_checkpoint(file.roles, *file.learner, *file.tally, file.events, file.columns, *file.resume_point,
                              nullptr, &*file.intervals),
              bytes);

    sluice::core::StateWriter out;
    file.intervals->save(out);
    const std::vector<std::byte> good = std::move(out).unframed();
    const auto load = [](std::vector<std::byte> state) {
        auto in = sluice::core::StateReader::unframed(state);
        (void)Intervals::load(in, 2, 2);
    };
    EXPECT_NO_THROW(load(good));
    for (std::size_t length = 0; length < good.size(); length += 5) {
        EXPECT_THROW(load({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)}), sluice::StateError);
    }
    for (const double coverage : {0.0, 1.0, kNaN}) {
        auto bad = good;
        std::memcpy(bad.data(), &coverage, sizeof(coverage));
        EXPECT_THROW(load(bad), sluice::StateError) << coverage;
    }
    auto swapped = good;  // the first of the pending lower ends lies above its upper end
    const double above = 1e9;
    std::memcpy(swapped.data() + swapped.size() - (8 * sizeof(double)), &above, sizeof(above));
    EXPECT_THROW(load(swapped), sluice::StateError);
}

TEST(Intervals, LateLabelsAreScoredByTheIntervalThatTheCallerKept) {
    Intervals intervals(1, 0, {.coverage = 0.9});
    intervals.score(0, 1.0, 2.0, 0.5, 2.5, 3, true);
    intervals.score(0, 1.0, 3.0, 0.5, 2.5, 3, true);
    intervals.score(0, 1.0, 3.0, 0.5, 2.5, 3, false);   // in the warm-up
    intervals.score(0, 1.0, kNaN, 0.5, 2.5, 3, true);   // not known
    intervals.score(0, 1.0, 3.0, kNaN, kNaN, 3, true);  // no interval was given
    EXPECT_EQ(intervals.counts()[0].rows, 2U);
    EXPECT_EQ(intervals.counts()[0].inside, 1U);
    EXPECT_EQ(intervals.counts()[0].mean_width, 2.0);
}

}  // namespace
}  // namespace intervals_test
