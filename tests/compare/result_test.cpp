#include "result.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <sstream>
#include <string>
#include <vector>

#include "job/small_stream.hpp"
#include "support/scratch.hpp"

namespace {

using sluice::compare::CompareJob;
using sluice::compare::CompareResult;
using sluice::compare::CompareSettings;
using namespace sluice::test;

CompareSettings two_methods(const std::string& input) {
    CompareSettings settings;
    settings.input = input;
    settings.roles.targets = {"y1", "y2"};
    settings.roles.time = "when";
    settings.entries = sluice::compare::entries_named({"sluice", "rls"});
    settings.names = 4;
    settings.warmup = 10;
    return settings;
}

TEST(CompareResult, AsJsonHasAllThatTheTableHas) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(120));
    CompareJob job(two_methods(scratch.path("in.csv")), nullptr, ignore_message);
    ASSERT_EQ(job.run(), CompareJob::End::finished);
    const CompareResult result = sluice::compare::result_of(job);
    simdjson::dom::parser parser;
    const simdjson::dom::element json = parser.parse(result_json(result));
    EXPECT_EQ(std::uint64_t(json["rows"]), 120U);
    EXPECT_EQ(std::uint64_t(json["inputs"]), 8U);
    EXPECT_EQ(std::uint64_t(json["names"]), 4U);
    EXPECT_EQ(std::uint64_t(json["warmup"]), 10U);
    EXPECT_EQ(std::string_view(json["targets"].at(1)), "y2");
    const simdjson::dom::array methods = json["methods"];
    ASSERT_EQ(methods.size(), 2U);
    std::size_t i = 0;
    for (const simdjson::dom::element method : methods) {
        const auto& wanted = result.methods[i++];
        EXPECT_EQ(std::string_view(method["name"]), wanted.name);
        EXPECT_EQ(bool(method["selects"]), wanted.selects);
        EXPECT_EQ(bool(method["best"]), wanted.best);
        EXPECT_TRUE(method["failure"].is_null());
        EXPECT_EQ(double(method["mean_error_over_variance"]), wanted.mean_error);
        EXPECT_EQ(double(method["targets"]["y2"]["error_over_variance"]), wanted.targets[1].error_over_variance);
        EXPECT_EQ(std::uint64_t(method["targets"]["y1"]["scored"]), wanted.targets[0].scored);
        EXPECT_EQ(double(method["names_used"]), wanted.names);
        EXPECT_GT(double(method["microseconds_per_row"]), 0.0);
        EXPECT_EQ(std::uint64_t(method["bytes"]), wanted.bytes);
    }
}

TEST(CompareResult, CurvesEndWithTheErrorOfAllRows) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), small_stream(700));
    CompareJob job(two_methods(scratch.path("in.csv")), nullptr, ignore_message);
    ASSERT_EQ(job.run(), CompareJob::End::finished);
    const CompareResult result = sluice::compare::result_of(job);
    for (const auto& method : result.methods) {
        ASSERT_EQ(method.cumulated.size(), job.windows().windows().size());
        EXPECT_NEAR(method.cumulated.back(), method.mean_error, 1e-12 * method.mean_error);
    }
    std::istringstream lines(curves_csv(job));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "row,time,method,target,scored,error_over_variance,cumulated");
    std::getline(lines, line);
    EXPECT_EQ(line, "4,day 3,sluice,y1,0,,");  // the warm-up is not scored
    std::size_t count = 1;
    std::string last;
    while (std::getline(lines, line)) {
        ++count;
        last = line;
    }
    EXPECT_EQ(count, 2 * 2 * job.windows().windows().size());
    EXPECT_EQ(last.substr(0, 19), "700,day 699,rls,y2,");
}

}  // namespace
