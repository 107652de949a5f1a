#include "log_reader.hpp"

#include <gtest/gtest.h>

#include <string>

#include "history_json.hpp"
#include "sluice/error.hpp"

namespace sluice::report::log_reader_test {
namespace {

History read(const std::string& text) {
    return read_log(io::memory_source(text, 7), {});
}

std::string message_of(const std::string& text) {
    try {
        (void)read(text);
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

const std::string kFirst =
    R"({"row":1,"time":"2024-01-01","predicted":{"y":null},"observed":{"y":1},"selected":[[]],"entered":[],"left":[],)"
    R"("forgetting":0.9,"outcome":"learned"})"
    "\n";
const std::string kSecond =
    R"({"row":2,"time":"2024-01-02","predicted":{"y":1.5},"low":{"y":1},"high":{"y":3},"observed":{"y":2},)"
    R"("selected":[["a","b|c"]],"weights":[[0.5,0.25]],"gains":[0.1,0.2],"entered":["a"],"left":[],"forgetting":0.9,)"
    R"("names":2,"shrinkage":0,"last_value_share":0.5,"decisions":[{"row":2,"setting":"entered","input":"a","from":0,)"
    R"("to":1,"measured_from":0.75,"measured_to":0.5}],"outcome":"drift","events":[{"event":"drift","row":2,"since":2,)"
    R"("entered":["a"],"left":[],"text":"it changed"}]})"
    "\n";

TEST(LogReader, ReadsWhatARecordHas) {
    const History history = read(kFirst + kSecond);
    EXPECT_EQ(history.rows(), 2U);
    EXPECT_EQ(history.targets(), std::vector<std::string>{"y"});
    EXPECT_EQ(history.time().kind(), TimeAxis::Kind::date);
    EXPECT_TRUE(history.has_interval());
    EXPECT_TRUE(history.has_weights());
    const auto& variables = history.presence().variables();
    ASSERT_EQ(variables.size(), 2U);
    EXPECT_EQ(variables[0].tracks[0].stays[0].error_without, 0.75);
    EXPECT_EQ(variables[0].tracks[0].stays[0].error_with, 0.5);
    EXPECT_EQ(variables[1].name, "b|c");
    EXPECT_EQ(history.last_uses()[1].weight, 0.25);
    EXPECT_EQ(history.last_uses()[1].gain, 0.2);
    ASSERT_EQ(history.events().events().size(), 1U);
    EXPECT_EQ(history.events().events()[0].entered, std::vector<std::string>{"a"});
    const TargetBin& second = history.lines(0)[1];
    EXPECT_EQ(second.squares, 0.25);
    EXPECT_EQ(second.inside, 1U);
}

TEST(LogReader, ReadsTheSameFromCsv) {
    const History history = read(
        "row,time,predicted_y,low_y,high_y,observed_y,selected,weights,gains,entered,left,forgetting,explained_"
        "covariance,"
        "names,shrinkage,last_value_share,decisions,outcome,events\n"
        "1,2024-01-01,,,,1,,,,,,0.9,,0,0,0,,learned,\n"
        "2,2024-01-02,1.5,1,3,2,a|b,0.5|0.25,0.1|0.2,a,,0.9,,2,0,0.5,entered a: error 0.75 to 0.5,drift,"
        "\"[{\"\"event\"\":\"\"drift\"\",\"\"row\"\":2,\"\"entered\"\":[\"\"a\"\"],\"\"text\"\":\"\"it "
        "changed\"\"}]\"\n");
    EXPECT_EQ(history.rows(), 2U);
    const auto& variables = history.presence().variables();
    ASSERT_EQ(variables.size(), 2U);
    EXPECT_EQ(variables[0].tracks[0].stays[0].error_without, 0.75);
    EXPECT_EQ(history.last_uses()[1].gain, 0.2);
    EXPECT_EQ(history.events().events().size(), 1U);
    EXPECT_EQ(history.lines(0)[1].squares, 0.25);
    EXPECT_EQ(history.lines(0)[1].inside, 1U);
}

TEST(LogReader, SaysWhichLineIsNoRecord) {
    EXPECT_EQ(message_of(kFirst + "{\"row\":2}\n"),
              "memory, line 2: this is not a record of `sluice stream --out`, or one of another stream");
    EXPECT_EQ(message_of(kFirst + kFirst),
              "memory, line 2: row 1 comes after row 1: give the records of one run, in their order");
    EXPECT_EQ(message_of(""), "memory: there is no record in it. `sluice stream --out FILE` writes one per row");
    EXPECT_EQ(message_of("a,b\n1,2\n"),
              "memory: these are not records of `sluice stream --out`: the columns row, predicted_*, observed_* and "
              "selected are not all there");
}

TEST(LogReader, ARecordOfOtherTargetsIsRefused) {
    EXPECT_NE(message_of(kFirst + R"({"row":2,"predicted":{"z":1},"observed":{"z":1},"selected":[[]]})" + "\n"),
              "no error");
}

TEST(LogReader, OddRecordsAreRefusedOrReadButNeverCrash) {
    for (const char* line :
         {"{}", "[]", "{\"row\":-1}", R"({"row":1,"predicted":{},"observed":{},"selected":[]})",
          R"({"row":1,"predicted":{"y":"x"},"observed":{"y":[]},"selected":[["a"]],"weights":[[1,2,3]],"gains":[1,2]})",
          R"({"row":1,"predicted":{"y":1},"observed":{"y":1},"selected":[["a","a"]],"events":[{"event":"other"}]})",
          R"({"row":18446744073709551615,"predicted":{"y":1},"observed":{"y":1},"selected":[[1]]})"}) {
        (void)message_of(line);
    }
    SUCCEED();
}

}  // namespace
}  // namespace sluice::report::log_reader_test
