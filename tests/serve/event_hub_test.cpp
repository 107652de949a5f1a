#include "event_hub.hpp"

#include <gtest/gtest.h>

namespace sluice::serve::event_hub_test {
namespace {

TEST(EventHub, ASlowClientGetsTheLatestUpdateAndIsToldHowManyItMissed) {
    const auto counts = std::make_shared<EventCounts>();
    EventHub hub(counts);
    const auto client = hub.subscribe();
    int woken = 0;
    client->listen([&] { ++woken; });
    for (int i = 1; i <= 5; ++i) {
        hub.publish_update(event_text("update", static_cast<std::uint64_t>(i), "{}"));
    }
    EXPECT_EQ(woken, 1);  // once until it takes
    std::string text;
    EXPECT_TRUE(client->take(text));
    EXPECT_EQ(text, "event: lag\ndata: {\"merged\":4,\"dropped\":0}\n\nevent: update\nid: 5\ndata: {}\n\n");
    text.clear();
    EXPECT_TRUE(client->take(text));
    EXPECT_EQ(text, "");
    EXPECT_EQ(counts->merged, 4U);
}

TEST(EventHub, EventsAreKeptUpToABoundAndThenDroppedAndCounted) {
    const auto counts = std::make_shared<EventCounts>();
    EventHub hub(counts);
    const auto client = hub.subscribe();
    for (std::size_t i = 0; i < Subscription::kMostEvents + 3; ++i) {
        hub.publish_event("data: x\n\n");
    }
    std::string text;
    EXPECT_TRUE(client->take(text));
    EXPECT_NE(text.find("\"dropped\":3"), std::string::npos);
    EXPECT_EQ(counts->dropped, 3U);
}

TEST(EventHub, TheEndOfTheModelIsTheEndOfTheEvents) {
    const auto counts = std::make_shared<EventCounts>();
    std::shared_ptr<Subscription> client;
    {
        EventHub hub(counts);
        client = hub.subscribe();
        EXPECT_TRUE(hub.has_clients());
        EXPECT_EQ(counts->clients, 1);
    }
    std::string text;
    EXPECT_FALSE(client->take(text));
    EXPECT_EQ(text, "event: end\ndata: {}\n\n");
    client.reset();
    EXPECT_EQ(counts->clients, 0);
}

TEST(EventHub, NobodyIsWokenAfterStop) {
    EventHub hub(std::make_shared<EventCounts>());
    const auto client = hub.subscribe();
    int woken = 0;
    client->listen([&] { ++woken; });
    client->stop();
    hub.publish_update("data: x\n\n");
    EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace sluice::serve::event_hub_test
