#include "model_events.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::job::model_events_test {
namespace {

std::string text_of(const StepReport& report) {
    EventLog log;
    raise_model_events(log, report, {.row = 7, .time = "noon"}, {"a", "b"}, {"y"});
    EXPECT_EQ(log.of_row().size(), 1U);
    return log.of_row().empty() ? "" : log.of_row()[0].text;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(ModelEvents, ASuspectRowNamesItsColumns) {
    const std::vector<std::size_t> inputs = {1};
    const std::vector<std::size_t> outputs = {0};
    StepReport report{.outcome = Outcome::suspect};
    report.suspect_inputs = inputs;
    report.suspect_outputs = outputs;
    const std::string text = text_of(report);
    EXPECT_TRUE(says(text, "values that cannot be believed")) << text;
    EXPECT_TRUE(says(text, "inputs that count as missing")) << text;
    EXPECT_TRUE(says(text, "targets that are held back")) << text;
}

// Seen: a row without an input in use was predicted badly, and the event said that the target cannot be believed.
TEST(ModelEvents, WhereInputsAreMissingTheTargetIsNotBlamed) {
    const std::vector<std::size_t> outputs = {0};
    StepReport report{.outcome = Outcome::suspect, .missing_inputs = 1};
    report.suspect_outputs = outputs;
    const std::string one = text_of(report);
    EXPECT_FALSE(says(one, "cannot be believed")) << one;
    EXPECT_TRUE(says(one, "the prediction is too far off to learn from, with one input missing in this row")) << one;
    EXPECT_TRUE(says(one, "targets that are held back")) << one;
    report.missing_inputs = 12;
    EXPECT_TRUE(says(text_of(report), "with 12 inputs missing in this row"));
}

}  // namespace
}  // namespace sluice::job::model_events_test
