// An adaptive model's state: it goes on bit for bit, and what is damaged is refused.
#define XXH_INLINE_ALL
#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

using test::Breaking;
using test::breaking_table;
using test::Table;

void expect_same(const StepReport& a, const StepReport& b) {
    ASSERT_EQ(a.row, b.row);
    ASSERT_EQ(a.outcome, b.outcome);
    ASSERT_EQ(a.error_before, b.error_before);
    ASSERT_EQ(a.forgetting, b.forgetting);
    ASSERT_EQ(a.components, b.components);
    ASSERT_EQ(a.keep, b.keep);
    ASSERT_EQ(a.shrinkage, b.shrinkage);
    ASSERT_EQ(a.explained_covariance, b.explained_covariance);
    ASSERT_EQ(a.alarm.since, b.alarm.since);
    ASSERT_TRUE(std::ranges::equal(a.predicted, b.predicted));
    ASSERT_TRUE(std::ranges::equal(a.selected, b.selected));
    ASSERT_TRUE(std::ranges::equal(a.entered, b.entered));
    ASSERT_TRUE(std::ranges::equal(a.left, b.left));
    ASSERT_TRUE(std::ranges::equal(a.decisions, b.decisions));
    ASSERT_TRUE(std::ranges::equal(a.alarm.entered, b.alarm.entered));
    ASSERT_TRUE(std::ranges::equal(a.alarm.left, b.alarm.left));
}

// Reloaded after every row, beside one that never stops. Returns how many decisions were met on each setting.
std::array<int, 5> reloaded_at_every_row(const Table& table, const AdaptiveOptions& options) {
    AdaptiveModel whole(table.p, table.q, options);
    auto state = whole.save();
    std::array<int, 5> met{};
    for (std::size_t t = 0; t < table.rows(); ++t) {
        SCOPED_TRACE(testing::Message() << "row " << t);
        AdaptiveModel again = AdaptiveModel::load(state);
        EXPECT_EQ(again.save(), state);
        const auto expected = whole.learn(table.x_row(t), table.y_row(t));
        const auto report = again.learn(table.x_row(t), table.y_row(t));
        expect_same(report, expected);
        state = again.save();
        EXPECT_EQ(state, whole.save());
        if (testing::Test::HasFailure()) {
            return met;
        }
        for (const Decision& decision : expected.decisions) {
            ++met[static_cast<std::size_t>(decision.setting)];
        }
    }
    return met;
}

TEST(AdaptiveState, GoesOnBitForBitFromEveryRowOfAStreamThatBreaks) {
    std::array<int, 5> met{};
    for (const double missing : {0.0, 0.1}) {
        for (const double bonus : {0.0, 0.5}) {
            StreamOptions options;
            options.hold_bonus = bonus;
            const auto table = breaking_table(3, {.rows = 260, .every = 65, .missing_share = missing});
            const auto some = reloaded_at_every_row(table, {.model = options, .tuning = {.dwell = 4}});
            std::ranges::transform(met, some, met.begin(), std::plus{});
        }
    }
    for (const Tuning& tuning : {Tuning{.keep_rule = KeepRule::akaike, .dwell = 4},
                                 Tuning{.components_rule = ComponentsRule::covariance, .dwell = 4}}) {
        const auto table = breaking_table(3, {.rows = 120, .every = 65});
        const auto some = reloaded_at_every_row(table, {.model = {}, .tuning = tuning});
        std::ranges::transform(met, some, met.begin(), std::plus{});
    }
    for (const int count : met) {  // every kind of decision was among the rows
        EXPECT_GT(count, 0);
    }
}

TEST(AdaptiveState, GoesOnBitForBitWithEveryRuleAndDeflation) {
    auto paper = StreamOptions::paper();
    paper.keep = {3};
    const auto table = breaking_table(4, {.rows = 160, .missing_share = 0.05});
    Tuning akaike{.components = false, .keep_rule = KeepRule::akaike, .dwell = 3};
    Tuning energy{.components_rule = ComponentsRule::energy, .share_low = 0.3, .share_high = 0.6, .dwell = 3};
    Tuning covariance{.components_rule = ComponentsRule::covariance, .dwell = 3};
    for (const Tuning& tuning : {akaike, energy, covariance}) {
        (void)reloaded_at_every_row(table, {.model = {}, .tuning = tuning});
        (void)reloaded_at_every_row(table, {.model = paper, .tuning = tuning});
    }
    StreamOptions gamma{.components = 2, .gamma = 0.3};
    (void)reloaded_at_every_row(table, {.model = gamma, .tuning = {}});
    StreamOptions columns{.components = 2, .keep = {2}};
    columns.engine = Engine::columns;
    columns.forgetting = 0.6;
    Tuning shape{.forgetting = false, .dwell = 3};
    (void)reloaded_at_every_row(table, {.model = columns, .tuning = shape});
}

// While a challenger is tried, the state holds one memory more.
TEST(AdaptiveState, HoldsATrialThatIsRunning) {
    Tuning tuning = Tuning::off();
    tuning.forgetting = true;
    const AdaptiveOptions options{.model = {.components = 1, .keep = {2}}, .tuning = tuning};
    int running = 0;
    int won = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const auto table = breaking_table(seed, {.rows = 140, .q = 1, .every = 70, .noise = 1.0});
        AdaptiveModel model(table.p, table.q, options);
        std::size_t before = 0;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            model.learn(table.x_row(t), table.y_row(t));
            const std::size_t size = model.save().size();
            running += t > 64 && size > before + 1000 ? 1 : 0;
            before = size;
        }
        won += reloaded_at_every_row(table, options)[static_cast<std::size_t>(Setting::fresh_start)];
    }
    EXPECT_GT(running, 0);
    EXPECT_GT(won, 0);
}

TEST(AdaptiveState, OffItIsTheStreamModelToTheBit) {
    const auto table = breaking_table(6, {.missing_share = 0.05});
    AdaptiveModel off(table.p, table.q, {.model = {}, .tuning = Tuning::off()});
    StreamModel plain(table.p, table.q);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        ASSERT_EQ(off.predict(table.x_row(t)), plain.predict(table.x_row(t)));
        const auto a = off.learn(table.x_row(t), table.y_row(t));
        const auto b = plain.learn(table.x_row(t), table.y_row(t));
        expect_same(a, b);
    }
    EXPECT_EQ(off.save(), plain.save());
    EXPECT_EQ(off.drift(), std::vector<double>(table.q, 0.0));
    EXPECT_TRUE(off.decisions().empty() && off.errors_by_components().empty());
    auto taken = AdaptiveModel::load(plain.save());
    EXPECT_EQ(taken.options(), (AdaptiveOptions{.model = {}, .tuning = Tuning::off()}));
    EXPECT_EQ(taken.save(), plain.save());
    EXPECT_EQ(AdaptiveModel(plain).save(), plain.save());
    AdaptiveModel tuned(2, 1);
    EXPECT_THROW((void)StreamModel::load(tuned.save()), StateError);  // not the other way round
}

TEST(AdaptiveState, CopiesAndMovesGoOnAlike) {
    const auto table = breaking_table(7, {.rows = 150});
    StreamOptions options;
    options.hold_bonus = 0.5;
    AdaptiveModel model(table.p, table.q, {.model = options});
    for (std::size_t t = 0; t < 100; ++t) {
        model.learn(table.x_row(t), table.y_row(t));
    }
    AdaptiveModel copy = model;
    AdaptiveModel assigned(1, 1);
    assigned = copy;
    AdaptiveModel moved = std::move(copy);
    AdaptiveModel last(1, 1);
    last = AdaptiveModel(model);
    for (std::size_t t = 100; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        for (AdaptiveModel* other : {&assigned, &moved, &last}) {
            other->learn(table.x_row(t), table.y_row(t));
        }
    }
    for (const AdaptiveModel* other : {&assigned, &moved, &last}) {
        EXPECT_EQ(other->save(), model.save());
    }
}

// A copy of the leading memory is a model of its own, also when the one that it came from is gone.
TEST(AdaptiveState, TheCurrentModelMayBeCopiedAndTaughtOn) {
    const auto table = breaking_table(8, {.rows = 150});
    StreamOptions options;
    options.hold_bonus = 0.5;
    auto model = std::make_unique<AdaptiveModel>(table.p, table.q, AdaptiveOptions{.model = options, .tuning = {}});
    for (std::size_t t = 0; t < 100; ++t) {
        model->learn(table.x_row(t), table.y_row(t));
    }
    StreamModel copy = model->current();
    model.reset();
    for (std::size_t t = 100; t < table.rows(); ++t) {
        const auto predicted = copy.predict(table.x_row(t));
        ASSERT_TRUE(std::ranges::equal(copy.learn(table.x_row(t), table.y_row(t)).predicted, predicted));
    }
}

// The checksums made right, of the whole and of each memory within, so that the readers themselves must refuse.
void make_checksum_right(std::span<std::byte> framed) {
    const std::uint64_t sum = XXH3_64bits(framed.data(), framed.size() - 8);
    std::memcpy(framed.data() + framed.size() - 8, &sum, sizeof(sum));
}

void make_checksums_right(std::vector<std::byte>& bytes) {
    const std::vector<std::byte> magic(bytes.begin(), bytes.begin() + 8);
    for (auto at = bytes.begin() + 20;;) {
        at = std::search(at, bytes.end(), magic.begin(), magic.end());
        if (at == bytes.end()) {
            break;
        }
        std::uint64_t length = 0;
        std::memcpy(&length, &*at - 8, sizeof(length));
        const auto left = static_cast<std::size_t>(bytes.end() - at);
        if (length >= 28 && length <= left) {
            make_checksum_right(std::span(&*at, length));
        }
        ++at;
    }
    make_checksum_right(bytes);
}

TEST(AdaptiveState, DamageIsRefusedOrHarmless) {
    const auto table = breaking_table(9, {.rows = 90, .p = 4, .q = 1, .every = 30});
    StreamOptions options;
    options.hold_bonus = 0.2;
    AdaptiveModel model(table.p, table.q, {.model = options, .tuning = {.dwell = 3}});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
    }
    const auto good = model.save();
    std::mt19937_64 bits(1);
    std::size_t refused = 0;
    std::size_t taken = 0;
    for (std::size_t byte = 20; byte + 8 < good.size(); byte += 1 + (bits() % 4)) {
        auto bad = good;
        // One bit; or the exponent of a number gone wild.
        bad[byte] = byte % 3 == 0 ? std::byte{0x7f} : bad[byte] ^ (std::byte{1} << (bits() % 8));
        if (byte % 5 == 0 && byte + 1 < good.size() - 8) {
            bad[byte + 1] = std::byte{0xfe};
        }
        make_checksums_right(bad);
        try {
            AdaptiveModel loaded = AdaptiveModel::load(bad);
            ++taken;
            for (std::size_t t = 0; t < 3; ++t) {
                loaded.learn(std::vector<double>(loaded.inputs(), static_cast<double>(t)),
                             std::vector<double>(loaded.outputs(), 1.0 - static_cast<double>(t)));
            }
            (void)loaded.save();
        } catch (const StateError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, good.size() / 150);  // most of the state is plain numbers, of which any will do
    EXPECT_GT(taken, good.size() / 150);
}

TEST(AdaptiveState, CutShortItIsRefusedAlsoWithARightChecksum) {
    const auto table = breaking_table(10, {.rows = 40, .p = 3, .q = 1});
    AdaptiveModel model(table.p, table.q);
    model.learn_many(table.all_x(), table.all_y());
    const auto good = model.save();
    for (std::size_t length = 28; length < good.size(); length += 5) {
        std::vector<std::byte> bad(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        ASSERT_THROW((void)AdaptiveModel::load(bad), StateError);
        const std::uint64_t payload = length - 28;
        std::memcpy(bad.data() + 12, &payload, sizeof(payload));
        make_checksum_right(bad);
        ASSERT_THROW((void)AdaptiveModel::load(bad), StateError) << "cut to " << length;
    }
}

}  // namespace
}  // namespace sluice
