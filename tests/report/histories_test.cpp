#include "histories.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "history_json.hpp"
#include "made_stream.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::report {
namespace {

void add_row(Histories& histories, const MadeStream& stream, std::size_t t) {
    std::vector<Use> uses;
    for (std::size_t v = 0; v < stream.selected.size(); ++v) {
        if (stream.selected[v][t]) {
            uses.push_back({.variable = histories.variable("v" + std::to_string(v)), .weight = 0.5, .gain = 0.01});
        }
    }
    const std::string time = "2024-01-" + std::to_string(10 + (t / 100)) + " 10:00";
    std::vector<StreamEvent> events;
    if (t % 97 == 5) {
        events.push_back({.kind = "drift", .row = t + 1, .time = time, .text = "changed", .entered = {"v1"}});
    }
    histories.add({.row = t + 1,
                   .time = time,
                   .predicted = std::span(&stream.predicted[t], 1),
                   .observed = std::span(&stream.observed[t], 1),
                   .uses = uses,
                   .forgetting = 0.99,
                   .events = events});
}

Histories filled(const MadeStream& stream, std::size_t rows, std::size_t bins) {
    Histories histories({.targets = {"y"}, .bins = bins}, true);
    for (std::size_t t = 0; t < rows; ++t) {
        add_row(histories, stream, t);
    }
    return histories;
}

TEST(Histories, TheLatestRowsAreKeptOneByOne) {
    const MadeStream stream = made_stream(3, 1000, 8, 40.0);
    Histories histories({.targets = {"y"}, .bins = 128}, true);
    for (std::size_t t = 0; t < stream.rows; ++t) {
        add_row(histories, stream, t);
        const History& latest = histories.of(Span::latest);
        ASSERT_EQ(latest.rows_per_bin(), 1U);
        ASSERT_EQ(latest.last_row(), t + 1);
        ASSERT_EQ(latest.rows(), latest.last_row() - latest.first_row() + 1);
        ASSERT_GE(latest.rows(), std::min<std::size_t>(t + 1, 64));
    }
    EXPECT_EQ(histories.of(Span::whole).rows(), 1000U);
    EXPECT_EQ(histories.of(Span::whole).rows_per_bin(), 8U);
}

// The latest rows alone would score the mean and the last value by what they know of themselves.
TEST(Histories, TheLatestRowsAreScoredAsInTheWholeHistory) {
    const MadeStream stream = made_stream(4, 300, 4, 40.0);
    const Histories histories = filled(stream, 300, 128);
    const Histories fine = filled(stream, 300, 4096);
    const History& latest = histories.of(Span::latest);
    const History& whole = fine.of(Span::whole);
    ASSERT_GT(latest.first_row(), 1U);
    for (std::uint64_t row = latest.first_row(); row <= latest.last_row(); ++row) {
        const TargetBin& one = latest.lines(0)[latest.bin_of(row)];
        const TargetBin& other = whole.lines(0)[whole.bin_of(row)];
        EXPECT_EQ(one.scored, other.scored) << row;
        EXPECT_EQ(one.squares_mean, other.squares_mean) << row;
        EXPECT_EQ(one.squares_last_value, other.squares_last_value) << row;
    }
}

TEST(Histories, AnInputHasTheSameNumberInAll) {
    const MadeStream stream = made_stream(5, 400, 30, 25.0);
    const Histories histories = filled(stream, 400, 64);
    const auto& whole = histories.of(Span::whole).presence().variables();
    const auto& latest = histories.of(Span::latest).presence().variables();
    ASSERT_EQ(whole.size(), latest.size());
    for (std::size_t v = 0; v < whole.size(); ++v) {
        EXPECT_EQ(whole[v].name, latest[v].name);
    }
}

// Saved at any row and loaded, they go on as if they had never been stopped.
TEST(Histories, ResumedTheyContinueAsIfNeverStopped) {
    const MadeStream stream = made_stream(6, 260, 5, 20.0);
    const Histories end = filled(stream, 260, 64);
    for (const std::size_t cut : {0U, 1U, 31U, 32U, 33U, 64U, 65U, 100U, 259U}) {
        const Histories before = filled(stream, cut, 64);
        core::StateWriter out;
        before.save(out);
        const auto bytes = std::move(out).unframed();
        Histories resumed({.targets = {"y"}, .bins = 64}, true);
        core::StateReader in = core::StateReader::unframed(bytes);
        resumed.load(in);
        EXPECT_EQ(in.left(), 0U);
        for (std::size_t t = cut; t < 260; ++t) {
            add_row(resumed, stream, t);
        }
        for (const Span span : {Span::whole, Span::latest}) {
            EXPECT_EQ(snapshot_json(resumed.of(span), {}), snapshot_json(end.of(span), {})) << "cut after " << cut;
        }
    }
}

TEST(Histories, StateThatIsCutShortIsRefused) {
    core::StateWriter out;
    filled(made_stream(6, 100, 5, 20.0), 100, 64).save(out);
    const auto bytes = std::move(out).unframed();
    for (std::size_t length = 0; length < bytes.size(); length += 13) {
        Histories loaded({.targets = {"y"}, .bins = 64}, true);
        core::StateReader in = core::StateReader::unframed(std::span(bytes).first(length));
        EXPECT_THROW(loaded.load(in), StateError) << length;
    }
    Histories other({.targets = {"y", "z"}, .bins = 64}, true);
    core::StateReader in = core::StateReader::unframed(bytes);
    EXPECT_THROW(other.load(in), StateError);
}

// No damaged byte may do more than be refused or change what is shown.
TEST(Histories, StateWithAnyDamagedByteIsRefusedOrShown) {
    core::StateWriter out;
    filled(made_stream(6, 40, 3, 20.0), 40, 64).save(out);
    const auto bytes = std::move(out).unframed();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        auto bad = bytes;
        bad[at] ^= std::byte{0x81};
        Histories loaded({.targets = {"y"}, .bins = 64}, true);
        core::StateReader in = core::StateReader::unframed(bad);
        try {
            loaded.load(in);
            EXPECT_FALSE(snapshot_json(loaded.of(Span::latest), {}).empty());
        } catch (const StateError&) {
        }
    }
}

}  // namespace
}  // namespace sluice::report
