#include "followers.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace sluice::serve {
namespace {

using report::Span;

// Rows of one target, and what followers see of them.
struct Stream {
    report::Histories histories{{.targets = {"y"}, .bins = 64}, true};
    std::uint64_t row = 0;

    void add(std::size_t rows) {
        for (std::size_t i = 0; i < rows; ++i) {
            const double y = static_cast<double>(++row);
            const report::Use use{.variable = histories.variable("a"), .weight = 1.0, .gain = 0.1};
            histories.add(
                {.row = row, .predicted = std::span(&y, 1), .observed = std::span(&y, 1), .uses = std::span(&use, 1)});
        }
    }
    [[nodiscard]] const report::History& history(Span span) const { return histories.of(span); }
    [[nodiscard]] report::Mark mark(Span span) { return histories.mark(span); }
};

class FollowersTest : public ::testing::Test {
  protected:
    std::string taken(Subscription& client) {
        std::string out;
        EXPECT_TRUE(client.take(out));
        return out;
    }
    void publish() { followers_.publish_update(stream_.row, R"("row":1)", stream_, {}); }

    Followers followers_{std::make_shared<EventCounts>()};
    Stream stream_;
};

TEST_F(FollowersTest, AnUpdateHasWhatCameSinceTheLastOne) {
    stream_.add(10);
    publish();
    const auto client = followers_.subscribe(Span::whole, 10, R"({"rows":10})");
    EXPECT_NE(taken(*client).find("event: state\nid: 10\ndata: {\"rows\":10}"), std::string::npos);
    stream_.add(3);
    publish();
    const std::string update = taken(*client);
    EXPECT_NE(update.find("event: update\nid: 13\ndata: {\"row\":1,\"history\":{"), std::string::npos) << update;
    EXPECT_NE(update.find("\"since\":10,"), std::string::npos);
    EXPECT_NE(update.find("\"from_bin\":9,"), std::string::npos);
    EXPECT_LT(update.size(), 2000U);
}

TEST_F(FollowersTest, WhereBinsWereJoinedTheHistoryMustBeReadAgain) {
    stream_.add(64);
    publish();
    const auto whole = followers_.subscribe(Span::whole, 64, "{}");
    (void)taken(*whole);
    stream_.add(1);
    publish();
    EXPECT_NE(taken(*whole).find("\"history\":null}"), std::string::npos);
    stream_.add(1);
    publish();
    EXPECT_NE(taken(*whole).find("\"since\":65,"), std::string::npos);
}

TEST_F(FollowersTest, ThoseOfTheLatestRowsGetRowsOneByOne) {
    stream_.add(1000);
    publish();
    const auto latest = followers_.subscribe(Span::latest, 1000, "{}");
    (void)taken(*latest);
    stream_.add(2);
    publish();
    const std::string update = taken(*latest);
    EXPECT_NE(update.find("\"rows_per_bin\":1,"), std::string::npos) << update;
}

TEST_F(FollowersTest, EveryFollowerGetsEventsAndTheEnd) {
    const auto whole = followers_.subscribe(Span::whole, 0, "{}");
    const auto latest = followers_.subscribe(Span::latest, 0, "{}");
    followers_.publish_event(7, R"({"kind":"drift"})");
    followers_.end();
    for (const auto& client : {whole, latest}) {
        std::string out;
        EXPECT_FALSE(client->take(out));
        EXPECT_NE(out.find("event: event\nid: 7\ndata: {\"kind\":\"drift\"}"), std::string::npos);
        EXPECT_NE(out.find("event: end\n"), std::string::npos);
    }
}

}  // namespace
}  // namespace sluice::serve
