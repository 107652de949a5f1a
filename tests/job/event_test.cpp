#include "event.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "event_lines.hpp"
#include "event_log.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace event_test {
namespace {

using sluice::job::Event;
using sluice::job::event_json;
using sluice::job::EventKind;
using sluice::job::EventLines;
using sluice::job::EventLog;

TEST(Event, IsOneJsonObjectWithItsDetailsBeforeItsText) {
    const Event event{.kind = EventKind::column_vanished,
                      .row = 7,
                      .time = "d\"7",
                      .columns = {"a", "b,"},
                      .text = "a is gone",
                      .details = {{.name = "rows", .json = "20"}}};
    EXPECT_EQ(event_json(event),
              R"({"event":"column_vanished","row":7,"time":"d\"7","columns":["a","b,"],"rows":20,"text":"a is gone"})");
    EXPECT_EQ(event_json({.kind = EventKind::checkpoint_failed, .text = "full"}),
              R"({"event":"checkpoint_failed","row":0,"text":"full"})");
}

TEST(EventLog, CountsEveryKindAndKeepsForTheRecordOnlyWhatFollowsFromTheRows) {
    EventLog log;
    std::vector<std::string> handled;
    log.add_handler([&](const Event& event) { handled.emplace_back(name_of(event.kind)); });
    log.raise({.kind = EventKind::drift, .row = 3});
    log.raise({.kind = EventKind::checkpoint_failed, .row = 3});
    EXPECT_EQ(handled, (std::vector<std::string>{"drift", "checkpoint_failed"}));
    EXPECT_EQ(log.count(EventKind::checkpoint_failed), 1U);
    ASSERT_EQ(log.of_row().size(), 1U);
    EXPECT_EQ(log.of_row()[0].kind, EventKind::drift);
    log.end_row();
    EXPECT_TRUE(log.of_row().empty());
    EXPECT_EQ(log.count(EventKind::drift), 1U);
}

TEST(EventLog, KeepsABoundedNumberOfEventsOfOneRowAndCountsAll) {
    EventLog log;
    for (int i = 0; i < 1000; ++i) {
        log.raise({.kind = EventKind::column_new});
    }
    EXPECT_EQ(log.of_row().size(), EventLog::kMostOfOneRow);
    EXPECT_EQ(log.count(EventKind::column_new), 1000U);
}

std::vector<std::byte> saved(const EventLog& log) {
    sluice::core::StateWriter out;
    log.save(out);
    return std::move(out).unframed();
}

void load(EventLog& log, std::span<const std::byte> bytes) {
    auto in = sluice::core::StateReader::unframed(bytes);
    log.load(in);
}

TEST(EventLog, SavesCountsAndWaitingEventsButNoFailuresOfTheDisk) {
    EventLog log;
    log.raise({.kind = EventKind::suspect, .row = 1});
    log.end_row();
    log.raise({.kind = EventKind::drift,
               .row = 2,
               .time = "t",
               .columns = {"a"},
               .text = "text",
               .details = {{.name = "since", .json = "1"}}});
    const auto before = saved(log);
    log.raise({.kind = EventKind::checkpoint_failed});
    EXPECT_EQ(saved(log), before);
    EventLog other;
    load(other, before);
    EXPECT_EQ(saved(other), before);
    EXPECT_EQ(other.count(EventKind::suspect), 1U);
    EXPECT_EQ(other.count(EventKind::drift), 1U);
    ASSERT_EQ(other.of_row().size(), 1U);
    EXPECT_EQ(other.of_row()[0], log.of_row()[0]);
}

TEST(EventLog, RefusesDamagedState) {
    EventLog log;
    log.raise({.kind = EventKind::drift, .row = 2, .time = "t", .columns = {"a"}, .text = "text"});
    const auto bytes = saved(log);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EventLog other;
        EXPECT_THROW(load(other, std::span(bytes).first(length)), sluice::StateError) << length;
    }
    auto more_kinds = bytes;
    more_kinds[0] = std::byte{200};
    auto more_events = bytes;
    more_events[8 * (1 + sluice::job::kEventKinds)] = std::byte{33};
    auto wrong_kind = bytes;
    wrong_kind[8 * (2 + sluice::job::kEventKinds)] = static_cast<std::byte>(EventKind::checkpoint_failed);
    for (const auto& damaged : {more_kinds, more_events, wrong_kind}) {
        EventLog other;
        EXPECT_THROW(load(other, damaged), sluice::StateError);
    }
}

TEST(EventLines, AreAtMostFiveAtOnceAndOneAMinuteWithTheNumberOfThoseLeftOut) {
    std::vector<std::string> lines;
    EventLines shown([&](const sluice::job::Message& message) { lines.push_back(message.text); });
    const auto start = EventLines::Clock::now();
    const auto suspect_at = [&](int second) {
        shown.show({.kind = EventKind::suspect, .row = 1, .text = "odd"}, start + std::chrono::seconds(second));
    };
    for (int i = 0; i < 100; ++i) {
        suspect_at(0);
    }
    EXPECT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0], "row 1: odd");
    suspect_at(59);
    EXPECT_EQ(lines.size(), 5U);
    suspect_at(60);
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_EQ(lines[5], "row 1: odd (96 more of kind suspect were not shown)");
    shown.show({.kind = EventKind::drift, .row = 2, .time = "noon", .text = "new"}, start);  // each kind has its own
    EXPECT_EQ(lines.back(), "row 2, noon: new");
}

}  // namespace
}  // namespace event_test
