#include "watched_stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "support/scratch.hpp"

namespace sluice::serve {
namespace {

std::string record(int row) {
    const std::string number = std::to_string(row);
    return R"({"row":)" + number + R"(,"predicted":{"y":1},"observed":{"y":)" + number +
           R"(},"selected":[["a","b"]],"weights":[[0.5,0.25]],"forgetting":0.99})" + "\n";
}

Response asked(WatchedStream& stream, Host::View view) {
    Response out;
    stream.get(view, [&](Response response) { out = std::move(response); });
    return out;
}

template <typename Condition>
bool comes_true(const Condition& condition) {
    for (int i = 0; i < 500; ++i) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

TEST(WatchedStream, ShowsTheRecordsOfAFileThatGrows) {
    const test::Scratch scratch;
    const std::string path = scratch.path("log.ndjson");
    std::ofstream file(path);
    WatchedStream stream({.input = path, .title = "data.csv", .inputs = 9}, std::make_shared<EventCounts>());
    EXPECT_EQ(asked(stream, Host::View::whole_history).status, 409);
    file << record(1) << record(2) << std::flush;
    ASSERT_TRUE(comes_true([&] { return stream.snapshot()->rows == 2; }));
    const auto client = stream.subscribe(report::Span::latest);
    std::string first;
    EXPECT_TRUE(client->take(first));
    EXPECT_NE(first.find("\"rows\":2"), std::string::npos);
    file << record(3) << std::flush;
    std::string update;
    ASSERT_TRUE(comes_true([&] { return client->take(update) && update.find("\"since\":2") != std::string::npos; }));
    const Response history = asked(stream, Host::View::whole_history);
    EXPECT_EQ(history.status, 200);
    EXPECT_NE(history.body.find("\"source\":\"data.csv\""), std::string::npos);
    EXPECT_NE(history.body.find("\"inputs\":9"), std::string::npos);
    EXPECT_EQ(stream.snapshot()->names, 2U);
    EXPECT_EQ(stream.problem(), "");
}

TEST(WatchedStream, TakesNoRowsAndHasNoModel) {
    const test::Scratch scratch;
    WatchedStream stream({.input = scratch.path("none.ndjson")}, std::make_shared<EventCounts>());
    Response out;
    stream.post_rows({}, [&](Response response) { out = std::move(response); });
    EXPECT_EQ(out.status, 409);
    EXPECT_EQ(asked(stream, Host::View::model_file).status, 409);
}

TEST(WatchedStream, ARecordThatIsNoneEndsItWithAProblem) {
    const test::Scratch scratch;
    const std::string path = scratch.path("log.ndjson");
    std::ofstream(path) << record(1) << "nonsense\n";
    WatchedStream stream({.input = path}, std::make_shared<EventCounts>());
    EXPECT_TRUE(comes_true([&] { return stream.problem().find("not a record") != std::string::npos; }));
    EXPECT_EQ(asked(stream, Host::View::latest_history).status, 200);  // what came before is still shown
}

}  // namespace
}  // namespace sluice::serve
