// An adaptive model's state: it goes on bit for bit, and what is damaged is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"
#include "support/damaged_state.hpp"
#include "support/sanitized.hpp"

namespace sluice::adaptive_state_test {
namespace {

using test::Breaking;
using test::breaking_table;
using test::make_checksum_right;
using test::Table;

void expect_same(const StepReport& a, const StepReport& b) {
    ASSERT_EQ(a.row, b.row);
    ASSERT_EQ(a.outcome, b.outcome);
    ASSERT_EQ(a.error_before, b.error_before);
    ASSERT_EQ(a.forgetting, b.forgetting);
    ASSERT_EQ(a.components, b.components);
    ASSERT_EQ(a.keep, b.keep);
    ASSERT_EQ(a.shrinkage, b.shrinkage);
    ASSERT_EQ(a.last_value_share, b.last_value_share);
    ASSERT_EQ(a.explained_covariance, b.explained_covariance);
    ASSERT_EQ(a.alarm.since, b.alarm.since);
    ASSERT_TRUE(std::ranges::equal(a.predicted, b.predicted));
    ASSERT_TRUE(std::ranges::equal(a.selected, b.selected));
    ASSERT_TRUE(std::ranges::equal(a.entered, b.entered));
    ASSERT_TRUE(std::ranges::equal(a.left, b.left));
    ASSERT_TRUE(std::ranges::equal(a.importances, b.importances));
    ASSERT_TRUE(std::ranges::equal(a.decisions, b.decisions));
    ASSERT_TRUE(std::ranges::equal(a.alarm.entered, b.alarm.entered));
    ASSERT_TRUE(std::ranges::equal(a.alarm.left, b.alarm.left));
}

constexpr std::size_t kSettings = 3;
using Met = std::array<int, kSettings>;

// Reloaded after every row, beside one that never stops. Returns how many decisions of each kind were met.
Met reloaded_at_every_row(const Table& table, const AdaptiveOptions& options) {
    AdaptiveModel whole(table.p, table.q, options);
    auto state = whole.save();
    Met met{};
    for (std::size_t t = 0; t < table.rows(); ++t) {
        SCOPED_TRACE(testing::Message() << "row " << t);
        AdaptiveModel again = AdaptiveModel::load(state);
        EXPECT_EQ(again.options(), options);
        EXPECT_EQ(again.save(), state);
        EXPECT_TRUE(std::ranges::equal(again.selected(), whole.selected()));
        EXPECT_TRUE(std::ranges::equal(again.importances(), whole.importances()));
        EXPECT_TRUE(std::ranges::equal(again.decisions(), whole.decisions()));
        EXPECT_EQ(again.intercept(), whole.intercept());
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

Tuning with_names(Names names) {
    Tuning tuning;
    tuning.names = names;
    return tuning;
}

TEST(AdaptiveState, GoesOnBitForBitFromEveryRowOfAStreamThatBreaks) {
    Met met{};
    for (const double missing : {0.0, 0.1}) {
        for (const Names names : {Names::found, Names::most, Names::all}) {
            SCOPED_TRACE(testing::Message() << "missing " << missing << ", names " << static_cast<int>(names));
            const auto table = breaking_table(3, {.rows = 200, .every = 65, .missing_share = missing});
            const auto some = reloaded_at_every_row(table, {.model = {}, .tuning = with_names(names)});
            std::ranges::transform(met, some, met.begin(), std::plus{});
        }
    }
    for (const int count : met) {  // every kind of decision was among the rows
        EXPECT_GT(count, 0);
    }
}

TEST(AdaptiveState, GoesOnBitForBitWithEveryGivenStructureAndEachTuningAlone) {
    auto paper = StreamOptions::paper();
    paper.keep = {3};
    const auto table = breaking_table(4, {.rows = 110, .every = 50, .missing_share = 0.05});
    StreamOptions limited;
    limited.names = 3;
    limited.clip = std::nullopt;
    StreamOptions raw;
    raw.center = false;
    raw.scale_outputs = false;
    StreamOptions columns{.components = 2, .keep = {2}};
    columns.engine = Engine::columns;
    columns.forgetting = 0.6;
    const StreamOptions gamma{.components = 2, .gamma = 0.3};
    const StreamOptions given{.components = 2, .keep = {2}, .hold_bonus = 0.5};
    for (const StreamOptions& model : {limited, raw, paper, gamma, given}) {
        (void)reloaded_at_every_row(table, {.model = model, .tuning = {}});
    }
    for (bool Tuning::*flag :
         {&Tuning::forgetting, &Tuning::variables, &Tuning::shrinkage, &Tuning::intercept, &Tuning::alarms}) {
        Tuning all_but;
        all_but.*flag = false;
        (void)reloaded_at_every_row(table, {.model = {}, .tuning = all_but});
        Tuning alone = Tuning::off();
        alone.*flag = true;
        (void)reloaded_at_every_row(table, {.model = {}, .tuning = alone});
    }
    Tuning fixed;
    fixed.forgetting = false;
    (void)reloaded_at_every_row(table, {.model = columns, .tuning = fixed});
}

// An output that appears late, one that ends, one that is never there.
TEST(AdaptiveState, GoesOnBitForBitWithOutputsThatAreAbsentForLong) {
    auto table = breaking_table(5, {.rows = 160, .p = 6, .q = 4, .every = 60});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto y = table.y_row(t);
        constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
        y[1] = t < 70 ? kNaN : y[1];
        y[2] = t < 70 ? y[2] : kNaN;
        y[3] = kNaN;
    }
    (void)reloaded_at_every_row(table, {});
    (void)reloaded_at_every_row(table, {.model = {}, .tuning = with_names(Names::all)});
    (void)reloaded_at_every_row(table, {.model = {.components = 2, .keep = {2}}, .tuning = {}});
}

// More inputs than kFewInputs: other memories, and C is not stored as a whole.
TEST(AdaptiveState, GoesOnBitForBitWithManyInputs) {
    const auto table = breaking_table(6, {.rows = 60, .p = 450, .q = 1, .every = 40, .missing_share = 0.01});
    (void)reloaded_at_every_row(table, {});
    (void)reloaded_at_every_row(table, {.model = {}, .tuning = with_names(Names::all)});
}

// Units of outputs and columns that move while a fresh start is tried.
TEST(AdaptiveState, GoesOnBitForBitWhereOutputsOutgrowTheirUnit) {
    auto table = breaking_table(7, {.rows = 120, .p = 5, .q = 1, .every = 50});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const double times = t < 60 ? 1e-100 : t < 90 ? 1.0 : 1e120;
        table.y_row(t)[0] *= times;
    }
    (void)reloaded_at_every_row(table, {});
}

// While a fresh start is on trial the model holds one memory more. bytes() shows when it begins and when it is given up.
struct Trials {
    int begun = 0;
    int given_up = 0;
};

Trials trials_of(const Table& table, const AdaptiveOptions& options) {
    constexpr std::size_t kSettled = 30;  // before: engines still take their memory
    AdaptiveModel model(table.p, table.q, options);
    Trials trials;
    std::size_t before = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        trials.begun += t > kSettled && model.bytes() > before ? 1 : 0;
        trials.given_up += t > kSettled && model.bytes() < before ? 1 : 0;
        before = model.bytes();
    }
    return trials;
}

TEST(AdaptiveState, GoesOnBitForBitWhileAFreshStartIsOnTrialAndAfterItWasGivenUpOrProven) {
    for (const AdaptiveOptions& options :  // without rows held back, which take memory too
         {AdaptiveOptions{.model = {}, .tuning = {.robust = false}},
          {.model = {.components = 1, .keep = {2}}, .tuning = {.robust = false}}}) {
        const auto broken = breaking_table(1, {.rows = 130, .q = 1, .every = 90, .noise = 1.0});
        EXPECT_EQ(trials_of(broken, options).begun, 1);
        EXPECT_EQ(reloaded_at_every_row(broken, options)[static_cast<std::size_t>(Setting::fresh_start)], 1);
        auto spiked = breaking_table(1, {.rows = 90, .q = 1, .every = 90, .noise = 1.0});
        for (std::size_t t = 40; t < 44; ++t) {  // errors jump, and the relation stays
            spiked.y_row(t)[0] += 60.0;
        }
        EXPECT_EQ(trials_of(spiked, options).begun, 1);
        EXPECT_EQ(trials_of(spiked, options).given_up, 1);
        EXPECT_EQ(reloaded_at_every_row(spiked, options)[static_cast<std::size_t>(Setting::fresh_start)], 0);
    }
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
    EXPECT_TRUE(off.decisions().empty() && off.importances().empty() && off.readings(0).empty());
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

// Of the models: one whose fresh start was proven, one with names of every memory, one whose structure is given, one with a trial.
std::vector<AdaptiveModel> models_to_damage() {
    Tuning all;
    all.names = Names::all;
    std::vector<AdaptiveModel> models;
    for (const auto& [options, rows] : std::vector<std::pair<AdaptiveOptions, std::size_t>>{
             {{}, 90},
             {{.model = {}, .tuning = all}, 90},
             {{.model = {.components = 2, .keep = {2}, .hold_bonus = 0.2}, .tuning = {}}, 90},
             {{}, 50}}) {
        const auto table = breaking_table(9, {.rows = rows, .p = 4, .q = 1, .every = 45});
        models.emplace_back(table.p, table.q, options);
        models.back().learn_many(table.all_x(), table.all_y());
    }
    return models;
}

// Whatever it was damaged to: it predicts, learns and shows finite numbers.
void expect_working(AdaptiveModel& model) {
    auto all_finite = [](std::span<const double> values) {
        return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    };
    for (std::size_t t = 0; t < 3; ++t) {
        const std::vector<double> x(model.inputs(), static_cast<double>(t));
        const auto predicted = model.predict(x);
        const auto report = model.learn(x, std::vector<double>(model.outputs(), 1.0 - static_cast<double>(t)));
        ASSERT_TRUE(std::ranges::equal(report.predicted, predicted));
        ASSERT_TRUE(all_finite(predicted));
        ASSERT_TRUE(std::ranges::is_sorted(report.selected));
    }
    ASSERT_TRUE(all_finite(model.intercept()));
    ASSERT_TRUE(all_finite(model.drift()));
    ASSERT_TRUE(all_finite(model.stability()));
    (void)model.coefficients();
    (void)model.shares();
    (void)model.readings(0);
    (void)model.save();
}

// Sanitized, damage is done at a third of the places.
constexpr std::size_t kThin = test::kSanitized ? 3 : 1;

TEST(AdaptiveState, DamageIsRefusedOrHarmless) {
    for (AdaptiveModel& model : models_to_damage()) {
        const auto good =
            test::uncompressed(model.save());  // the checksum is made right: the readers themselves must refuse
        std::mt19937_64 bits(1);
        std::size_t refused = 0;
        std::size_t taken = 0;
        for (std::size_t byte = 20; byte + 8 < good.size(); byte += 1 + (bits() % (30 * kThin))) {
            SCOPED_TRACE(testing::Message() << "byte " << byte << " of " << good.size());
            auto bad = good;
            // One bit; or the exponent of a number gone wild.
            bad[byte] = byte % 3 == 0 ? std::byte{0x7f} : bad[byte] ^ (std::byte{1} << (bits() % 8));
            if (byte % 5 == 0 && byte + 1 < good.size() - 8) {
                bad[byte + 1] = std::byte{0xfe};
            }
            make_checksum_right(bad);
            try {
                AdaptiveModel loaded = AdaptiveModel::load(bad);
                ++taken;
                expect_working(loaded);
            } catch (const StateError&) {
                ++refused;
            }
            if (HasFatalFailure()) {
                return;
            }
        }
        EXPECT_GT(refused, good.size() / (600 * kThin));  // most of the state is plain numbers, of which any will do
        EXPECT_GT(taken, good.size() / (600 * kThin));
    }
}

TEST(AdaptiveState, DamageToWhatIsCompressedIsRefusedOrHarmless) {
    const auto table = breaking_table(9, {.rows = 90, .p = 4, .q = 1, .every = 45});
    AdaptiveModel model(table.p, table.q);
    model.learn_many(table.all_x(), table.all_y());
    const auto good = model.save();
    std::mt19937_64 bits(3);
    std::size_t refused = 0;
    for (std::size_t byte = 20; byte + 8 < good.size(); byte += 1 + (bits() % (8 * kThin))) {
        auto bad = good;
        bad[byte] ^= std::byte{1} << (bits() % 8);
        make_checksum_right(bad);
        try {
            AdaptiveModel loaded = AdaptiveModel::load(bad);
            expect_working(loaded);
        } catch (const StateError&) {
            ++refused;
        }
        ASSERT_FALSE(HasFatalFailure()) << "byte " << byte;
    }
    EXPECT_GT(refused, 20U);
}

// A memory of the wrong options, a path of another number of inputs, a log that is too long: each number of the head set to others.
TEST(AdaptiveState, AnyNumberInPlaceOfAnotherIsRefusedOrHarmless) {
    for (AdaptiveModel& model : models_to_damage()) {
        const auto good = test::uncompressed(model.save());
        std::mt19937_64 bits(2);
        const std::vector<std::uint64_t> numbers = {0,
                                                    1,
                                                    2,
                                                    5,
                                                    100,
                                                    1ULL << 20,
                                                    1ULL << 40,
                                                    ~0ULL,
                                                    ~0ULL - 1,
                                                    0x7ff0000000000000ULL,
                                                    0x3ff0000000000000ULL,
                                                    0xbff0000000000000ULL,
                                                    0x7fe0000000000000ULL};
        for (std::size_t trial = 0; trial < 700 / kThin; ++trial) {
            const std::size_t byte = 20 + (bits() % (good.size() - 36));
            SCOPED_TRACE(testing::Message() << "byte " << byte << " of " << good.size());
            auto bad = good;
            std::memcpy(bad.data() + byte, &numbers[bits() % numbers.size()], sizeof(std::uint64_t));
            make_checksum_right(bad);
            try {
                AdaptiveModel loaded = AdaptiveModel::load(bad);
                expect_working(loaded);
            } catch (const StateError&) {
                continue;
            }
            if (HasFatalFailure()) {
                return;
            }
        }
    }
}

TEST(AdaptiveState, OfTheEarlierKindIsRefusedWithASentence) {
    AdaptiveModel model(2, 1);
    auto bytes = model.save();
    const std::uint64_t earlier = ~0ULL;  // what the payload began with before memories were mixed
    std::memcpy(bytes.data() + 20, &earlier, sizeof(earlier));
    make_checksum_right(bytes);
    try {
        (void)AdaptiveModel::load(bytes);
        FAIL() << "it was loaded";
    } catch (const StateError& error) {
        EXPECT_STREQ(error.what(),
                     "saved state refused: it is a self-tuning model of an earlier kind, which cannot continue: start "
                     "again from the data");
    }
}

TEST(AdaptiveState, CutShortItIsRefusedAlsoWithARightChecksum) {
    const auto table = breaking_table(10, {.rows = 40, .p = 3, .q = 1});
    AdaptiveModel model(table.p, table.q);
    model.learn_many(table.all_x(), table.all_y());
    const auto good = model.save();
    for (std::size_t length = 28; length < good.size(); length += 5 * kThin) {
        std::vector<std::byte> bad(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        ASSERT_THROW((void)AdaptiveModel::load(bad), StateError);
        const std::uint64_t payload = length - 28;
        std::memcpy(bad.data() + 12, &payload, sizeof(payload));
        make_checksum_right(bad);
        ASSERT_THROW((void)AdaptiveModel::load(bad), StateError) << "cut to " << length;
    }
}

}  // namespace
}  // namespace sluice::adaptive_state_test
