#include "time_columns.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "predict_job.hpp"
#include "small_stream.hpp"
#include "stream_job.hpp"
#include "support/scratch.hpp"
#include "usage.hpp"

namespace time_columns_test {
namespace {

using namespace sluice::test;
using sluice::job::join_time_columns;
using sluice::job::RoleRequest;
using Names = std::vector<std::string>;

constexpr const char* kTable = "Date,Time,a,y\n2024-01-01,10:00,1,2\n2024-01-01,,3,4\n2024-01-02,11:30,5,6\n";

std::unique_ptr<sluice::io::RowReader> reader_of_table() {
    return sluice::io::open_rows(sluice::io::memory_source(kTable, 1000), {});
}

sluice::job::StreamSettings settings_of(const Scratch& scratch) {
    sluice::job::StreamSettings settings;
    settings.input = scratch.path("in.csv");
    settings.roles = {.targets = {"y"}, .inputs = {}, .ignore = {}, .time = "Date,Time"};
    settings.out = scratch.path("out.ndjson");
    settings.checkpoint = scratch.path("a.sluice");
    settings.checkpoint_rows = 1;
    return settings;
}

TEST(TimeColumns, SeveralColumnsAreReadAsOneWhoseTextIsTheirs) {
    for (const char* time : {"Date,Time", "1,2", "Date,2"}) {
        RoleRequest request{.targets = {"y"}, .inputs = {}, .ignore = {}, .time = time};
        const auto reader = join_time_columns(reader_of_table(), request);
        EXPECT_EQ(reader->columns(), (Names{"Date", "Time", "a", "y", "Date Time"})) << time;
        EXPECT_EQ(request.time, "Date Time");
        EXPECT_EQ(request.ignore, (Names{"Date", "Time"})) << "they are no inputs";
        reader->want({2, 3}, {0, 4, 1});
        sluice::io::Row row;
        ASSERT_TRUE(reader->next(row));
        EXPECT_EQ(row.texts, (Names{"2024-01-01", "2024-01-01 10:00", "10:00"}));
        EXPECT_EQ(row.numbers, (std::vector<double>{1, 2}));
        ASSERT_TRUE(reader->next(row));
        EXPECT_EQ(row.texts[1], "2024-01-01") << "an empty cell adds nothing";
        ASSERT_TRUE(reader->next(row));
        EXPECT_EQ(row.texts[1], "2024-01-02 11:30");
        EXPECT_EQ(row.at.line, 4U);
        EXPECT_FALSE(reader->next(row));
    }
}

TEST(TimeColumns, OneColumnIsLeftAsItIs) {
    for (const char* time : {"", "Date"}) {
        RoleRequest request{.targets = {"y"}, .inputs = {}, .ignore = {}, .time = time};
        EXPECT_EQ(join_time_columns(reader_of_table(), request)->columns().size(), 4U);
        EXPECT_EQ(request.time, time);
        EXPECT_TRUE(request.ignore.empty());
    }
}

TEST(TimeColumns, AnUnknownColumnIsNamed) {
    RoleRequest request{.targets = {"y"}, .inputs = {}, .ignore = {}, .time = "Date,Tine"};
    try {
        (void)join_time_columns(reader_of_table(), request);
        FAIL();
    } catch (const sluice::job::UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("there is no column Tine. Did you mean Time?"), std::string::npos);
    }
}

TEST(TimeColumns, AStreamWritesAndResumesAndPredictsWithThem) {
    const Scratch scratch;
    write_file(scratch.path("in.csv"), std::string(kTable).substr(0, 51));  // two rows
    auto settings = settings_of(scratch);
    const auto run = [&] {
        sluice::job::StreamJob job(settings, sluice::io::real_disk(), nullptr, ignore_message);
        (void)job.run();
        EXPECT_EQ(job.roles().inputs, Names{"a"});
        return job.resumed_at();
    };
    EXPECT_EQ(run(), 0U);
    write_file(scratch.path("in.csv"), kTable);
    settings.resume = true;
    EXPECT_EQ(run(), 2U);
    const std::string records = content(settings.out);
    for (const char* part : {"\"time\":\"2024-01-01 10:00\"", "\"time\":\"2024-01-02 11:30\""}) {
        EXPECT_NE(records.find(part), std::string::npos) << records;
    }
    settings.roles = {};  // as in the checkpoint
    EXPECT_EQ(run(), 3U);
    sluice::job::PredictSettings predict;
    predict.model = settings.checkpoint;
    predict.input = settings.input;
    predict.out = scratch.path("predicted.ndjson");
    EXPECT_EQ(run_predict(predict, sluice::io::real_disk()).rows, 3U);
    EXPECT_NE(content(predict.out).find("\"time\":\"2024-01-02 11:30\""), std::string::npos) << content(predict.out);
}

}  // namespace
}  // namespace time_columns_test
