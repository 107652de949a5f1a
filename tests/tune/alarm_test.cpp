#include "alarm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::alarm_test {
namespace {

using tune::DriftAlarm;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Errors and inputs of some kind, row by row; as at the start of a stream, the first errors are larger.
class Rows {
  public:
    explicit Rows(std::string kind, std::uint64_t seed = 1) : kind_(std::move(kind)), bits_(seed), normal_(seed) {}

    void next() {
        const double first = row_ < 30 ? 20.0 / (1.0 + row_) : 0.0;
        for (std::size_t k = 0; k < 2; ++k) {
            relation[k] = (1.0 + first) * draw(state_[k]);
            forecast[k] = kind_ == "held" && row_ % 5 != 0 ? 0.0 : relation[k];
        }
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j] = draw(state_[2 + j]);
        }
        ++row_;
    }
    std::vector<double> x = std::vector<double>(5);
    std::vector<double> forecast = {0.0, 0.0};
    std::vector<double> relation = {0.0, 0.0};

  private:
    double draw(double& state) {
        if (kind_ == "heavy") {
            return student_(bits_);
        }
        if (kind_ == "slow") {
            state = (0.9 * state) + normal_.next(0.0, std::sqrt(0.19));
        } else if (kind_ != "held" || row_ % 5 == 0) {
            state = normal_.next();
        }
        return state;
    }
    std::string kind_;
    std::mt19937_64 bits_;
    std::student_t_distribution<double> student_{3.0};
    NormalSource normal_;
    std::vector<double> state_ = std::vector<double>(7, 0.0);
    int row_ = 0;
};

// Rows from the change until an alarm; the change begins after 600 rows without one.
struct Alarmed {
    std::optional<int> after;
    DriftAlarm::Break found;
};
Alarmed alarmed(Rows rows, const std::function<void(Rows&)>& change) {
    DriftAlarm alarm(5, 2);
    for (int row = 0; row < 600; ++row) {
        rows.next();
        EXPECT_FALSE(alarm.add(rows.x, rows.forecast, rows.relation).has_value()) << "row " << row;
    }
    for (int row = 1; row <= 100; ++row) {
        rows.next();
        change(rows);
        if (const auto found = alarm.add(rows.x, rows.forecast, rows.relation)) {
            return {.after = row, .found = *found};
        }
    }
    return {};
}

TEST(DriftAlarm, IsNotRaisedInTwentyThousandStationaryRowsOfAnyKind) {
    for (const char* kind : {"normal", "heavy", "slow", "held"}) {
        Rows rows(kind);
        DriftAlarm alarm(5, 2);
        for (int row = 0; row < 20000; ++row) {
            rows.next();
            ASSERT_FALSE(alarm.add(rows.x, rows.forecast, rows.relation).has_value()) << kind << ", row " << row;
        }
    }
}

TEST(DriftAlarm, IsRaisedWhereTheForecastsErrorGrows) {
    for (const char* kind : {"normal", "heavy"}) {
        const Alarmed it = alarmed(Rows(kind), [](Rows& rows) { rows.forecast[1] *= 10.0; });
        ASSERT_TRUE(it.after.has_value()) << kind;
        EXPECT_EQ(it.found.kind, DriftAlarm::Kind::forecast);
        EXPECT_EQ(it.found.output, 1U);
        EXPECT_LE(*it.after, 30) << kind;
        EXPECT_NEAR(static_cast<double>(it.found.rows), *it.after, 10.0) << kind;
    }
}

TEST(DriftAlarm, IsRaisedWhereTheRelationsErrorGrowsOrMovesToOneSide) {
    const Alarmed size = alarmed(Rows("normal"), [](Rows& rows) { rows.relation[0] *= 5.0; });
    ASSERT_TRUE(size.after.has_value());
    EXPECT_EQ(size.found.kind, DriftAlarm::Kind::relation);
    EXPECT_LE(*size.after, 20);
    for (const double shift : {-2.0, 2.0}) {
        const Alarmed bias = alarmed(Rows("normal"), [&](Rows& rows) { rows.relation[0] += shift; });
        ASSERT_TRUE(bias.after.has_value()) << shift;
        EXPECT_EQ(bias.found.kind, DriftAlarm::Kind::bias);
        EXPECT_EQ(bias.found.output, 0U);
        EXPECT_LE(*bias.after, 25);
        EXPECT_NEAR(static_cast<double>(bias.found.rows), *bias.after, 5.0);
    }
}

TEST(DriftAlarm, IsRaisedWhereAnInputLeavesItsRange) {
    for (const char* kind : {"normal", "slow"}) {
        const Alarmed it = alarmed(Rows(kind), [](Rows& rows) { rows.x[3] += 8.0; });
        ASSERT_TRUE(it.after.has_value()) << kind;
        EXPECT_EQ(it.found.kind, DriftAlarm::Kind::inputs);
        EXPECT_LE(*it.after, 10) << kind;
        EXPECT_NEAR(static_cast<double>(it.found.rows), *it.after, 3.0) << kind;
    }
}

TEST(DriftAlarm, IsNotRaisedWhereErrorsFallOrAFewValuesAreWrong) {
    EXPECT_FALSE(alarmed(Rows("normal"), [](Rows& rows) {
                     rows.forecast[0] *= 1e-3;
                     rows.relation[0] *= 1e-3;
                 }).after);
    int row = 0;
    EXPECT_FALSE(alarmed(Rows("normal"), [&](Rows& rows) {
                     if (++row % 20 < 2) {
                         rows.forecast[0] = rows.relation[0] = 1e6;
                         rows.x[1] = -1e6;
                     }
                 }).after);
}

TEST(DriftAlarm, DoesNotDependOnTheOutputsUnit) {
    std::optional<int> first;
    for (const double unit : {1.0, 1e-200, 1e200}) {
        Rows rows("heavy");
        DriftAlarm alarm(5, 2);
        int at = -1;
        for (int row = 0; row < 700 && at < 0; ++row) {
            rows.next();
            for (std::size_t k = 0; k < 2; ++k) {  // powers of two: the same digits
                rows.forecast[k] = std::ldexp(rows.forecast[k], std::ilogb(unit)) * (row < 600 ? 1.0 : 8.0);
                rows.relation[k] = std::ldexp(rows.relation[k], std::ilogb(unit)) * (row < 600 ? 1.0 : 8.0);
            }
            at = alarm.add(rows.x, rows.forecast, rows.relation) ? row : -1;
        }
        ASSERT_GE(at, 600);
        EXPECT_EQ(at, first.value_or(at)) << unit;
        first = at;
    }
}

TEST(DriftAlarm, IsNotRaisedByErrorsThatAreUnknown) {
    DriftAlarm alarm(2, 1);
    NormalSource normal(6);
    for (int row = 0; row < 500; ++row) {
        const std::vector<double> x{normal.next(), kNaN};
        ASSERT_FALSE(alarm.add(x, std::vector<double>{kNaN}, std::vector<double>{kNaN}).has_value());
    }
}

TEST(DriftAlarm, NeedsLessEvidenceAtAFreshStart) {
    Rows rows("normal");
    DriftAlarm alarm(5, 2);
    for (int row = 0; row < 600; ++row) {
        rows.next();
        ASSERT_FALSE(alarm.add(rows.x, rows.forecast, rows.relation).has_value());
    }
    DriftAlarm without = alarm;
    EXPECT_FALSE(without.fresh_start(5).has_value()) << "a fresh start alone is none";
    for (int row = 0; row < 3; ++row) {
        rows.next();
        rows.relation = {6.0, 1.0};
        ASSERT_FALSE(alarm.add(rows.x, rows.forecast, rows.relation).has_value());
    }
    const auto found = alarm.fresh_start(3);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->rows, 3U);
    EXPECT_FALSE(alarm.fresh_start(3).has_value()) << "everything begins again";
}

// Also where it begins again: after an alarm.
TEST(DriftAlarm, GoesOnAfterBeingSaved) {
    Rows rows("heavy", 5);
    DriftAlarm alarm(5, 2);
    int alarms = 0;
    for (int row = 0; row < 900; ++row) {
        rows.next();
        if (row > 400) {
            rows.x[0] += 100.0;
        }
        core::StateWriter out;
        alarm.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        DriftAlarm again(5, 2);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        const auto a = alarm.add(rows.x, rows.forecast, rows.relation);
        const auto b = again.add(rows.x, rows.forecast, rows.relation);
        ASSERT_EQ(a.has_value(), b.has_value());
        if (a) {
            ++alarms;
            ASSERT_EQ(a->rows, b->rows);
        }
        if (row % 150 == 140) {
            ASSERT_EQ(alarm.fresh_start(7).has_value(), again.fresh_start(7).has_value());
        }
        alarm = again;
    }
    EXPECT_EQ(alarms, 1);
}

TEST(DriftAlarm, RefusesOrSurvivesAnyDamagedState) {
    Rows rows("normal");
    DriftAlarm alarm(5, 2);
    for (int row = 0; row < 300; ++row) {
        rows.next();
        (void)alarm.add(rows.x, rows.forecast, rows.relation);
    }
    core::StateWriter out;
    alarm.save(out);
    const auto whole = std::move(out).unframed();
    std::mt19937_64 bits(12);
    int refused = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        auto bytes = whole;
        bytes[bits() % bytes.size()] ^= static_cast<std::byte>(1U + (bits() % 255));
        auto in = core::StateReader::unframed(bytes);
        DriftAlarm again(5, 2);
        try {
            again.load(in);
        } catch (const StateError&) {
            ++refused;
            continue;
        }
        Rows later("normal", 3);
        for (int row = 0; row < 10; ++row) {
            later.next();
            const auto found = again.add(later.x, later.forecast, later.relation);
            ASSERT_TRUE(!found || (found->rows >= 1 && found->rows <= 64));
        }
    }
    EXPECT_GT(refused, 100);
}

// The outputs follow inputs 0 and 1, then 3 and 4.
TEST(DriftAlarm, OfABreakComesSoonWithItsRowAndOnlyVariablesThatChanged) {
    int told = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        constexpr std::size_t kBreak = 300;
        const auto table = test::breaking_table(seed, {.rows = 400, .p = 10, .q = 1, .every = kBreak, .noise = 1.0});
        StreamOptions options;
        options.names = 2;
        AdaptiveModel model(table.p, table.q, {.model = options, .tuning = {}});
        std::optional<std::size_t> at;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            if (report.outcome != Outcome::drift) {
                ASSERT_TRUE(report.alarm.entered.empty() && report.alarm.left.empty());
                continue;
            }
            ASSERT_GE(t, kBreak) << "seed " << seed;
            if (at) {
                continue;
            }
            at = t;
            ++told;
            EXPECT_LE(t, kBreak + 40) << "seed " << seed;
            EXPECT_NEAR(static_cast<double>(report.alarm.since), static_cast<double>(kBreak), 20.0) << "seed " << seed;
            EXPECT_LE(report.alarm.since, t);
            EXPECT_TRUE(std::ranges::includes(std::vector<std::size_t>{0, 1}, report.alarm.left)) << "seed " << seed;
            for (const std::size_t j : report.alarm.entered) {
                EXPECT_TRUE(std::ranges::binary_search(report.selected, j));
            }
            for (const std::size_t j : report.alarm.left) {
                EXPECT_FALSE(std::ranges::binary_search(report.selected, j));
            }
        }
    }
    EXPECT_GE(told, 9);
}

}  // namespace
}  // namespace sluice::alarm_test
