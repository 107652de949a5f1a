#include "history.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "made_stream.hpp"
#include "sluice/error.hpp"

namespace sluice::report::history_test {
namespace {

struct Truth {
    std::uint64_t rows = 0;
    std::uint64_t entries = 0;
};

Truth truth_of(const std::vector<bool>& in) {
    Truth out;
    for (std::size_t t = 0; t < in.size(); ++t) {
        out.rows += in[t] ? 1U : 0U;
        out.entries += in[t] && (t == 0 || !in[t - 1]) ? 1U : 0U;
    }
    return out;
}

// However few bins, stays and cells there may be: no entry, row, extreme or peak of the stream is missing.
RC_GTEST_PROP(History, LosesNoChangeByDownSampling, ()) {
    const auto rows = *rc::gen::inRange<std::size_t>(1, 1500);
    const auto variables = *rc::gen::inRange<std::size_t>(0, 12);
    const auto stay = *rc::gen::element(1.5, 7.0, 60.0, 1000.0);
    const MadeStream stream = made_stream(*rc::gen::arbitrary<unsigned>(), rows, variables, stay);
    const History history = history_of(stream, {.bins = *rc::gen::element<std::size_t>(2, 16, 64, 4096),
                                                .presence = {.stays = *rc::gen::element<std::size_t>(1, 40, 100000),
                                                             .cells = *rc::gen::element<std::size_t>(1, 100, 100000)}});
    RC_ASSERT(history.rows() == rows);
    for (const Variable& variable : history.presence().variables()) {
        const auto& in = stream.selected[std::stoul(variable.name.substr(1))];
        const Truth truth = truth_of(in);
        RC_ASSERT(variable.rows == truth.rows);
        RC_ASSERT(variable.tracks.size() == 1U);
        Truth seen;
        std::vector<bool> covered(rows);
        for (const Stay& one : variable.tracks[0].stays) {
            seen.rows += one.rows;
            seen.entries += one.entries;
            RC_ASSERT(in[one.from - 1] && (one.from == 1 || !in[one.from - 2]));  // it begins where the input entered
            RC_ASSERT(in[one.to - 1] && (one.to == rows || !in[one.to]));         // and ends where it left
            for (std::uint64_t row = one.from; row <= one.to; ++row) {
                covered[row - 1] = true;
            }
        }
        RC_ASSERT(seen.rows == truth.rows);
        RC_ASSERT(seen.entries == truth.entries);
        for (std::size_t t = 0; t < rows; ++t) {
            RC_ASSERT(!in[t] || covered[t]);
        }
        std::uint64_t in_cells = 0;
        for (const Cell& cell : variable.tracks[0].cells) {
            in_cells += cell.rows;
        }
        RC_ASSERT(in_cells == truth.rows);
    }
    const auto& bins = history.lines(0);
    std::vector<double> peaks(bins.size(), -1.0);
    double last = kUnknown;
    for (std::size_t t = 0; t < rows; ++t) {
        const TargetBin& bin = bins[history.bin_of(t + 1)];
        const double y = stream.observed[t];
        const double predicted = stream.predicted[t];
        RC_ASSERT(std::isnan(y) || (bin.observed.min <= y && y <= bin.observed.max));
        RC_ASSERT(std::isnan(predicted) || (bin.predicted.min <= predicted && predicted <= bin.predicted.max));
        if (!std::isnan(y) && !std::isnan(predicted) && !std::isnan(last)) {
            RC_ASSERT(bin.peak >= std::abs(y - predicted));
            double& peak = peaks[history.bin_of(t + 1)];
            peak = std::max(peak, std::abs(y - predicted));
        }
        last = std::isnan(y) ? last : y;
    }
    for (std::size_t b = 0; b < bins.size(); ++b) {
        RC_ASSERT(bins[b].peak == peaks[b]);
    }
}

TEST(History, WithRoomForThemKeepsEveryStayAsItWas) {
    const MadeStream stream = made_stream(3, 500, 4, 9.0);
    const History history = history_of(stream, {});
    EXPECT_EQ(history.rows_per_bin(), 1U);
    for (const Variable& variable : history.presence().variables()) {
        const auto& in = stream.selected[std::stoul(variable.name.substr(1))];
        EXPECT_EQ(variable.tracks[0].stays.size(), truth_of(in).entries);
    }
}

// The sums of the bins are the squares of the three forecasts, as Comparison defines them.
TEST(History, ScoresTheModelBesideTheLastValueAndTheMean) {
    const MadeStream stream = made_stream(5, 3000, 0, 9.0);
    const History history = history_of(stream, {.warmup = 100, .bins = 64});
    double squares = 0.0;
    double squares_last = 0.0;
    double squares_mean = 0.0;
    double sum = 0.0;
    std::vector<double> scored;
    std::size_t values = 0;
    double last = kUnknown;
    for (std::size_t t = 0; t < stream.rows; ++t) {
        const double y = stream.observed[t];
        if (t >= 100 && !std::isnan(y) && !std::isnan(stream.predicted[t])) {
            const double mean = sum / static_cast<double>(values);
            squares += std::pow(y - stream.predicted[t], 2);
            squares_last += std::pow(y - last, 2);
            squares_mean += std::pow(y - mean, 2);
            scored.push_back(y);
        }
        if (!std::isnan(y)) {
            sum += y;
            ++values;
            last = y;
        }
    }
    TargetBin all;
    for (const TargetBin& bin : history.lines(0)) {
        all.join(bin);
    }
    double centre = 0.0;
    double spread = 0.0;
    for (const double y : scored) {
        centre += y / static_cast<double>(scored.size());
    }
    for (const double y : scored) {
        spread += (y - centre) * (y - centre);
    }
    EXPECT_EQ(all.scored, scored.size());
    const double rounding = 1e-9 * static_cast<double>(scored.size());  // sums of thousands of numbers near 1
    EXPECT_NEAR(all.squares, squares, rounding);
    EXPECT_NEAR(all.squares_last_value, squares_last, rounding);
    EXPECT_NEAR(all.squares_mean, squares_mean, rounding);
    EXPECT_NEAR(all.spread, spread, rounding);
}

// With a horizon, the last value is the one that was known when the forecast was made.
TEST(History, FindsTheHorizonFromTheFirstForecastThatArrives) {
    History history({.targets = {"y"}});
    for (std::uint64_t t = 1; t <= 10; ++t) {
        const auto observed = static_cast<double>(t);
        const double forecast = t > 2 ? observed + 3.0 : kUnknown;  // nothing was learnt before row 3
        const double predicted = t > 5 ? observed : kUnknown;
        history.add({.row = t,
                     .predicted = std::span(&predicted, 1),
                     .observed = std::span(&observed, 1),
                     .forecast = std::span(&forecast, 1)});
    }
    EXPECT_EQ(history.horizon(), 3U);
    TargetBin all;
    for (const TargetBin& bin : history.lines(0)) {
        all.join(bin);
    }
    EXPECT_EQ(all.scored, 5U);
    EXPECT_EQ(all.squares_last_value, 5.0 * 9.0);
}

TEST(History, ALateLabelBelongsToItsRowAndIsComparedWithWhatWasKnownThen) {
    History history({.targets = {"y"}});
    const double unknown = kUnknown;
    const double two = 2.0;
    const double five = 5.0;
    history.add({.row = 1, .predicted = std::span(&unknown, 1), .observed = std::span(&two, 1)});
    history.add({.row = 2, .predicted = std::span(&two, 1), .observed = std::span(&unknown, 1)});
    history.add({.row = 3, .predicted = std::span(&two, 1), .observed = std::span(&five, 1)});
    history.add({.row = 3, .label_of = 2, .predicted = std::span(&two, 1), .observed = std::span(&five, 1)});
    const TargetBin& second = history.lines(0)[1];
    EXPECT_EQ(history.rows(), 3U);
    EXPECT_EQ(second.scored, 1U);
    EXPECT_EQ(second.squares, 9.0);
    EXPECT_EQ(second.squares_last_value, 9.0);  // row 1 was the last that was known at row 2
    EXPECT_EQ(second.peak_row, 2U);
}

TEST(History, RefusesRowsThatAreNotInOrder) {
    const MadeStream stream = made_stream(1, 3, 1, 5.0);
    History history({.targets = {"y"}});
    add_row(history, stream, 1);
    EXPECT_THROW(add_row(history, stream, 1), DataError);
    EXPECT_THROW(add_row(history, stream, 0), DataError);
}

TEST(History, ALogMayBeginAtAnyRow) {
    History history({.targets = {"y"}, .bins = 8});
    const double y = 1.0;
    for (const std::uint64_t row : {1'000'000'000'000ULL, 1'000'000'000'001ULL, 1'000'000'000'500ULL}) {
        history.add({.row = row, .predicted = std::span(&y, 1), .observed = std::span(&y, 1)});
    }
    EXPECT_EQ(history.rows(), 3U);
    EXPECT_LE(history.row_bins().size(), 8U);
    EXPECT_EQ(history.first_row(), 1'000'000'000'000ULL);
}

// Of each kind all events are counted, and none lies outside of those that are kept.
RC_GTEST_PROP(EventHistory, MergesNeighboursAndLosesNone, ()) {
    const auto most = *rc::gen::inRange<std::size_t>(3, 30);
    EventHistory history(most);
    std::map<std::string, std::vector<std::uint64_t>> truth;
    std::uint64_t row = 0;
    const auto count = *rc::gen::inRange<std::size_t>(0, 400);
    for (std::size_t i = 0; i < count; ++i) {
        row += *rc::gen::inRange<std::uint64_t>(0, 20);
        const std::string kind = *rc::gen::element<std::string>("drift", "suspect", "column_vanished");
        truth[kind].push_back(row);
        history.add({.kind = kind, .row = row, .time = {}, .text = "text", .columns = {}, .entered = {}, .left = {}});
    }
    RC_ASSERT(history.count() == count);
    RC_ASSERT(history.events().size() <= most);
    for (const auto& [kind, rows] : truth) {
        std::uint64_t counted = 0;
        for (const StreamEvent& event : history.events()) {
            counted += event.kind == kind ? event.count : 0;
        }
        RC_ASSERT(counted == rows.size());
        for (const std::uint64_t at : rows) {
            RC_ASSERT(std::ranges::any_of(history.events(), [&](const StreamEvent& event) {
                return event.kind == kind && event.row <= at && at <= event.last_row;
            }));
        }
    }
}

TEST(EventHistory, IsBoundedAlsoWhereRowsRunBackwards) {
    EventHistory history(10);
    for (std::uint64_t row = 1000; row > 0; --row) {
        history.add({.kind = row % 2 == 0 ? "drift" : "suspect", .row = row * row * row});
    }
    EXPECT_LE(history.events().size(), 10U);
    EXPECT_EQ(history.count(), 1000U);
}

TEST(EventHistory, ShortensLongTextsAtACharacter) {
    EventHistory history(10);
    std::string text(EventHistory::kLongestText - 1, 'a');
    text += "äöü";
    history.add({.kind = "drift", .row = 1, .time = {}, .text = text, .columns = {}, .entered = {}, .left = {}});
    EXPECT_EQ(history.events()[0].text, std::string(EventHistory::kLongestText - 1, 'a') + "…");
}

}  // namespace
}  // namespace sluice::report::history_test
