#include "block.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "rows.hpp"

namespace sluice::fleet::block_test {
namespace {

using namespace test;

Config config() {
    return parse_config(kConfig, "test");
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

TEST(FleetBlock, HowRowsAreCutIntoBlocksMakesNoDifferenceToTheBit) {
    TextBlock all(kColumns, some_rows(1, 200));
    const Result whole = step(config(), {}, all);
    for (const std::size_t size : {1U, 7U, 60U}) {
        std::vector<std::byte> state;
        std::size_t at = 0;
        for (std::size_t first = 1; first <= 200; first += size) {
            TextBlock block(kColumns, some_rows(first, std::min<std::size_t>(size, 201 - first)));
            Result part = step(config(), state, block);
            state = std::move(part.state);
            for (const Kept& answer : part.answers) {
                EXPECT_EQ(answer.row, whole.answers[at].row);
                EXPECT_EQ(answer.outcome, whole.answers[at].outcome);
                EXPECT_EQ(answer.selected, whole.answers[at].selected);
                EXPECT_TRUE(same_bits(answer.numbers, whole.answers[at].numbers)) << at;
                ++at;
            }
        }
        EXPECT_EQ(at, 200U);
        EXPECT_EQ(state, whole.state);
    }
}

TEST(FleetBlock, LearnsWhatPredictsAndSaysItWhenItChanges) {
    TextBlock all(kColumns, some_rows(1, 300));
    const Result result = step(config(), {}, all);
    std::string selected;
    double squares = 0.0;
    for (const Kept& answer : result.answers) {
        selected = answer.selected.empty() ? selected : answer.selected;
        if (answer.row > 100) {
            const double y = std::stod(some_rows(answer.row, 1)[0][4]);
            squares += (answer.numbers[0] - y) * (answer.numbers[0] - y) / 200;
        }
    }
    EXPECT_EQ(selected, R"(["a","b"])");
    EXPECT_LT(squares, 0.02);  // the noise is 0.01, the variance of y 5
}

TEST(FleetBlock, ARowThatComesAgainGetsTheAnswerThatItGotAndIsNotLearnt) {
    TextBlock rows(kColumns, some_rows(1, 50));
    const Result first = step(config(), {}, rows);
    TextBlock again(kColumns, some_rows(41, 15));
    const Result second = step(config(), first.state, again);
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(second.answers[i].outcome, "repeated");
        EXPECT_EQ(second.answers[i].row, 41 + i);
        EXPECT_TRUE(same_bits(second.answers[i].numbers, first.answers[40 + i].numbers));
        EXPECT_EQ(second.answers[i].events.find("sequence_back") != std::string::npos, i == 0) << i;
    }
    EXPECT_EQ(second.answers[10].row, 51U);
    TextBlock through(kColumns, some_rows(1, 55));
    EXPECT_TRUE(same_bits(second.answers[14].numbers, step(config(), {}, through).answers[54].numbers));
    TextBlock long_ago(kColumns, some_rows(3, 1));
    const Kept old = step(config(), second.state, long_ago).answers[0];
    EXPECT_EQ(old.outcome, "repeated");
    EXPECT_TRUE(std::isnan(old.numbers[0]));
}

TEST(FleetBlock, APoisonedRowIsRefusedAndTheOthersGoOn) {
    auto rows = some_rows(1, 60);
    rows[2][1] = "broken";
    rows[3][4] = "inf";
    rows[4][0] = "1.5";
    rows[5][1] = "";
    rows[50][1] = "broken";  // the column is known by now: it counts as missing
    TextBlock block(kColumns, rows);
    const Result result = step(config(), {}, block);
    for (const std::size_t refused : {2U, 3U, 4U}) {
        EXPECT_EQ(result.answers[refused].outcome, "refused");
        EXPECT_EQ(result.answers[refused].row, 0U);
        EXPECT_NE(result.answers[refused].events.find(R"("event":"row_refused","key":"A")"), std::string::npos)
            << result.answers[refused].events;
    }
    EXPECT_EQ(result.answers[5].row, 3U);
    EXPECT_EQ(result.answers[50].outcome, "learned");
    EXPECT_NE(result.answers[50].events.find("column_vanished"), std::string::npos);
    EXPECT_EQ(result.answers[59].row, 57U);
    for (const Kept& answer : result.answers) {
        // Row 48 has the text; eight rows with numbers later the column has returned.
        EXPECT_EQ(answer.events.empty(), answer.outcome != "refused" && answer.row != 48 && answer.row != 56)
            << answer.row << answer.events;
        if (answer.row > 40) {
            EXPECT_FALSE(std::isnan(answer.numbers[0]));
        }
    }
}

TEST(FleetBlock, AStateThatCannotBeReadIsKeptAndItsRowsAreRefusedWithOneEvent) {
    TextBlock begin(kColumns, some_rows(1, 30));
    const std::vector<std::byte> good = step(config(), {}, begin).state;
    std::vector<std::byte> damaged = good;
    damaged[damaged.size() / 2] ^= std::byte{4};
    const std::vector<std::byte> rubbish(100, std::byte{7});
    const std::vector<std::byte> cut(good.begin(), good.begin() + 200);
    for (const auto& state : {damaged, rubbish, cut}) {
        TextBlock block(kColumns, some_rows(31, 3));
        const Result result = step(config(), state, block);
        EXPECT_EQ(result.state, state);
        ASSERT_EQ(result.answers.size(), 3U);
        EXPECT_NE(result.answers[0].events.find("state_refused"), std::string::npos);
        EXPECT_TRUE(result.answers[1].events.empty());
        EXPECT_EQ(result.answers[2].outcome, "refused");
    }
}

TEST(FleetBlock, AStateOfAnotherConfigIsRefusedWithWhatDiffers) {
    TextBlock begin(kColumns, some_rows(1, 30));
    const std::vector<std::byte> state = step(config(), {}, begin).state;
    for (const auto& [text, word] :
         {std::pair{"{key: k, sequence: n, targets: [y]}", "interval"},
          {"{key: k, sequence: n, targets: [y], interval: 0.9, lags: 0:1}", "lags"},
          {"{key: k, sequence: n, targets: [y], interval: 0.9, options: {forgetting: 0.5}}", "forgetting"}}) {
        TextBlock block(kColumns, some_rows(31, 1));
        const Result result = step(parse_config(text, "other"), state, block);
        EXPECT_EQ(result.answers[0].outcome, "refused");
        EXPECT_NE(result.answers[0].events.find(word), std::string::npos) << result.answers[0].events;
        EXPECT_EQ(result.state, state);
    }
}

TEST(FleetBlock, OtherColumnsFollowTheRulesOfStream) {
    TextBlock begin(kColumns, some_rows(1, 60));
    const std::vector<std::byte> state = step(config(), {}, begin).state;
    auto rows = some_rows(61, 4);
    for (auto& row : rows) {
        row[3] = "9";  // c is gone, and d is new
    }
    TextBlock other({"n", "a", "b", "d", "y"}, rows);
    const Result result = step(config(), state, other);
    EXPECT_EQ(result.answers[0].outcome, "learned");
    EXPECT_NE(result.answers[0].events.find("column_new"), std::string::npos);
    EXPECT_NE(result.answers[0].events.find("column_vanished"), std::string::npos);
    EXPECT_TRUE(result.answers[1].events.empty()) << result.answers[1].events;

    TextBlock none({"n", "q"}, {{"99", "1"}});
    const Result refused = step(config(), state, none);
    EXPECT_NE(refused.answers[0].events.find("columns_refused"), std::string::npos);
    EXPECT_EQ(refused.state, state);
    TextBlock unknown_target({"n", "a"}, {{"1", "1"}});
    const Result first = step(config(), {}, unknown_target);
    EXPECT_NE(first.answers[0].events.find("there is no column y"), std::string::npos) << first.answers[0].events;
    EXPECT_TRUE(first.state.empty());
}

}  // namespace
}  // namespace sluice::fleet::block_test
