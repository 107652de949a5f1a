// Runs that could learn nothing, or could not score: before, they printed a table of dashes and ended well.
#include "run_remarks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sentinel_watch.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"

namespace run_remarks_test {
namespace {

using namespace sluice::test;
using sluice::job::RunRemarks;
using sluice::job::SentinelWatch;
using Names = std::vector<std::string>;

struct Ended {
    RunRemarks remarks;
    Names warnings;
};

Ended run(const std::string& text, std::size_t horizon = 0, std::uint64_t warmup = 0, const Names& targets = {"y"}) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), text);
    sluice::job::StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles.targets = targets;
    settings.horizon = horizon;
    settings.warmup = warmup;
    settings.skip_bad_rows = true;
    Ended out;
    sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, [&](const sluice::job::Message& message) {
        if (message.severity == sluice::job::Message::Severity::warning) {
            out.warnings.push_back(message.text + " / " + message.value);
        }
    });
    (void)job.run();
    out.remarks = remarks_on("in.csv", job.roles(), job.learner(), job.tally());
    return out;
}

std::string rows(std::size_t count, const std::string& label) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += std::to_string(i * 7 % 13) + "," + label + "\n";
    }
    return text;
}

TEST(RunRemarks, AFileWithoutRowsIsNamed) {
    EXPECT_EQ(run("a,y\n").remarks.nothing_learnt, "in.csv: has a header and no rows");
    EXPECT_EQ(run("a,y\nx,1\n").remarks.nothing_learnt, "in.csv: its only row cannot be read");
    EXPECT_EQ(run("a,y\nx,1\n2\n").remarks.nothing_learnt, "in.csv: none of its 2 rows can be read");
}

TEST(RunRemarks, ATargetWithoutAnyValueIsNamed) {
    EXPECT_EQ(run("a,y\n" + rows(5, "")).remarks.nothing_learnt,
              "in.csv: there is no value of y in 5 rows: nothing was learnt");
    const RunRemarks one_of_two = run("a,y,z\n" + rows(5, ",3") + rows(1, ",4"), 0, 0, {"y", "z"}).remarks;
    EXPECT_EQ(one_of_two.nothing_learnt, "");
    EXPECT_EQ(one_of_two.remarks, Names{"y has no value in 6 rows: it was not learnt"});
}

TEST(RunRemarks, ATargetThatDoesNotVaryIsNamedWithItsValue) {
    EXPECT_EQ(run("a,y\n" + rows(9, "-2.5")).remarks.remarks,
              Names{"y is -2.5 in all 8 rows that were scored: R2 is not defined"});
}

TEST(RunRemarks, AHorizonBeyondTheRowsIsNamed) {
    const std::string text = "a,y\n" + rows(5, "1") + rows(5, "2");
    EXPECT_EQ(run(text, 10).remarks.nothing_learnt,
              "in.csv: has 10 rows, and the horizon is 10 rows: no prediction could be compared with what came, and "
              "nothing was learnt");
    EXPECT_EQ(run(text, 9).remarks.nothing_learnt, "");
}

TEST(RunRemarks, AWarmUpBeyondTheRowsIsNamed) {
    const std::string text = "a,y\n" + rows(5, "1") + rows(5, "2");
    EXPECT_EQ(run(text, 0, 10).remarks.remarks,
              Names{"no row was scored: the warm-up has 10 rows, and the input has 10 rows"});
    EXPECT_TRUE(run(text, 0, 5).remarks.nothing_learnt.empty());
}

TEST(RunRemarks, NothingIsSaidOfAnOrdinaryRun) {
    const Ended ended = run("a,y\n" + rows(5, "1") + rows(5, "2"));
    EXPECT_EQ(ended.remarks.nothing_learnt, "");
    EXPECT_EQ(ended.remarks.remarks, Names{});
    EXPECT_EQ(ended.warnings, Names{});
}

TEST(SentinelWatch, ANumberThatProgramsWriteForMissingIsReportedOnce) {
    const Ended ended = run("a,y\n" + rows(10, "1") + rows(10, "2") + "-999,1\n-999,2\n-999,1\n");
    EXPECT_EQ(ended.warnings, Names{"-999 occurs 3 times in column a, far from its other values / -999"});
    std::string lasting = "a,y\n" + rows(700, "1");
    for (int i = 0; i < 700; ++i) {
        lasting += "-999,2\n";
    }
    EXPECT_EQ(run(lasting).warnings, Names{"-999 occurs 300 times in column a, far from its other values / -999"})
        << "after 1000 rows";
}

TEST(SentinelWatch, NumbersThatMayBeMeasuredAreNotReported) {
    const auto found = [](const std::vector<double>& column) {
        SentinelWatch watch({"a"});
        for (const double value : column) {
            (void)watch.add({&value, 1});
        }
        return watch.found().value;
    };
    EXPECT_EQ(found({1, 2, 3, -999, -999}), "") << "too rare";
    EXPECT_EQ(found({1, 2, 3, -998, -998, -998}), "") << "no such sign";
    EXPECT_EQ(found({-1500, 2000, 3, 999, 999, 999}), "") << "among the others";
    EXPECT_EQ(found({1000, 2, 3, 999, 999, 999}), "") << "near to others";
    EXPECT_EQ(found({5, 5, 5, 999, 999, 999}), "") << "a column of two values";
    EXPECT_EQ(found({1, 2, 3, 9999, 9999, 9999}), "9999");
}

}  // namespace
}  // namespace run_remarks_test
