// A report of a million rows and 400 inputs, with far more changes than it can keep, is at most 15 MB.
#include <gtest/gtest.h>

#include <random>

#include "history.hpp"
#include "history_json.hpp"

namespace sluice::report::report_size_slow_test {
namespace {

TEST(ReportSize, AMillionRowsOf400InputsTakeAtMost15Megabytes) {
    constexpr std::size_t kInputs = 400;
    constexpr std::size_t kInUse = 30;
    constexpr std::uint64_t kRows = 1'000'000;
    std::mt19937 random(1);
    History history({.targets = {"y1", "y2"}});
    std::vector<Use> uses;
    for (std::size_t k = 0; k < kInUse; ++k) {
        uses.push_back({.variable = history.variable("input " + std::to_string(k)), .weight = 0.5, .gain = 0.01});
    }
    for (std::size_t v = 0; v < kInputs; ++v) {
        (void)history.variable("input " + std::to_string(v));
    }
    std::vector<StreamEvent> events(1);
    std::uint64_t raised = 0;
    for (std::uint64_t row = 1; row <= kRows; ++row) {
        const std::array<double, 2> y = {static_cast<double>(random() % 1000) / 7.0, 1.0 / static_cast<double>(row)};
        if (random() % 3 == 0) {
            uses[random() % kInUse].variable = random() % kInputs;
        }
        const bool event = random() % 50 == 0;
        events[0] = {.kind = "suspect", .row = row, .text = std::string(300, 'x'), .columns = {"input 7"}};
        raised += event ? 1 : 0;
        history.add({.row = row,
                     .predicted = y,
                     .observed = y,
                     .uses = uses,
                     .forgetting = 0.99,
                     .shrinkage = 1e-7,
                     .last_value_share = 0.123456,
                     .events = std::span(events).first(event ? 1 : 0)});
    }
    const std::string json = snapshot_json(history, {});
    EXPECT_LT(json.size(), 15'000'000U);
    EXPECT_GT(json.size(), 1'000'000U);  // something is left
    EXPECT_EQ(history.events().count(), raised);
    EXPECT_LE(history.presence().stays(), 60'000U);
    EXPECT_LE(history.presence().cells(), 300'000U);
    RecordProperty("bytes", static_cast<int>(json.size()));
    std::printf("bytes %zu\n", json.size());
}

}  // namespace
}  // namespace sluice::report::report_size_slow_test
