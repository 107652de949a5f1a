// What an adaptive model decides: within its bounds, not too often, and told.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

using test::breaking_table;
using test::Table;

// Outputs of normal noise that no input tells.
Table noise_table(std::uint64_t seed, std::size_t rows, std::size_t p, std::size_t q) {
    NormalSource normal(seed);
    Table table{.p = p, .q = q, .x = {}, .y = {}};
    for (std::size_t i = 0; i < rows * p; ++i) {
        table.x.push_back(normal.next());
    }
    for (std::size_t i = 0; i < rows * q; ++i) {
        table.y.push_back(normal.next(3.0, 2.0));
    }
    return table;
}

TEST(AdaptiveDecisions, AreReportedKeepTheirDwellAndStayWithinBounds) {
    for (const std::size_t dwell : {1U, 7U, 30U}) {
        Tuning tuning;
        tuning.dwell = dwell;
        tuning.keep_min = 2;
        tuning.keep_max = 5;
        StreamOptions options;
        options.names = 8;
        const auto table = breaking_table(1, {.rows = 600, .p = 20, .every = 100});
        AdaptiveModel model(table.p, table.q, {.model = options, .tuning = tuning});
        std::map<Setting, std::uint64_t> last;
        std::vector<Decision> all;
        std::size_t keep = 0;
        std::size_t components = 0;
        double shrinkage = 0.0;
        double forgetting = 0.0;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            bool fresh = false;
            bool reshaped = false;
            for (const Decision& decision : report.decisions) {
                EXPECT_EQ(decision.row, t);
                EXPECT_NE(decision.from, decision.to);
                EXPECT_LT(decision.measured_to, decision.measured_from);
                const std::uint64_t rest = decision.setting == Setting::keep ? 4 * dwell : dwell;
                const bool by_trial =
                    decision.setting == Setting::fresh_start || (decision.setting == Setting::forgetting && fresh);
                if (last.contains(decision.setting) && !by_trial) {
                    EXPECT_GE(t - last[decision.setting], rest) << name_of(decision.setting);
                }
                last[decision.setting] = t;
                fresh = fresh || decision.setting == Setting::fresh_start;
                reshaped = reshaped || decision.setting == Setting::keep;
                switch (decision.setting) {
                    case Setting::keep:
                        EXPECT_EQ(decision.to, static_cast<double>(report.keep));
                        break;
                    case Setting::forgetting:
                        EXPECT_EQ(decision.to, report.forgetting);
                        break;
                    default:
                        break;
                }
                all.push_back(decision);
            }
            auto told = [&](Setting setting) {
                return std::ranges::any_of(report.decisions, [&](const Decision& d) { return d.setting == setting; });
            };
            if (t > 0) {  // nothing changes silently; another memory brings its own shrinkage and components
                const bool led = told(Setting::forgetting) || told(Setting::fresh_start);
                EXPECT_TRUE(report.keep == keep || told(Setting::keep));
                EXPECT_TRUE(report.forgetting == forgetting || told(Setting::forgetting));
                EXPECT_TRUE(report.shrinkage == shrinkage || told(Setting::shrinkage) || led);
                EXPECT_TRUE(report.components == components || told(Setting::components) || led || reshaped);
            }
            keep = report.keep;
            components = report.components;
            shrinkage = report.shrinkage;
            forgetting = report.forgetting;
            EXPECT_GE(report.keep, 2U);
            EXPECT_LE(report.keep, 5U);
            EXPECT_LE(report.selected.size(), 8U);
            EXPECT_EQ(report.components, model.current().components());
            EXPECT_EQ(report.shrinkage, model.current().options().shrinkage);
            EXPECT_EQ(report.forgetting, model.current().options().forgetting);
            for (std::size_t r = 0; r < model.current().components(); ++r) {
                EXPECT_LE(model.current().selected(r).size(), report.keep);
            }
            if (HasFailure()) {
                FAIL() << "row " << t << ", dwell " << dwell;
            }
        }
        EXPECT_GT(all.size(), 3U);
        const auto kept = model.decisions();
        ASSERT_EQ(kept.size(), std::min<std::size_t>(all.size(), 100));
        EXPECT_TRUE(std::ranges::equal(kept, std::span(all).last(kept.size())));
    }
}

TEST(AdaptiveDecisions, AtMostAHundredAreKept) {
    const auto table = noise_table(2, 3000, 6, 1);
    Tuning restless = Tuning::off();  // a short memory, and bounds without room between them
    restless.components = true;
    restless.components_rule = ComponentsRule::energy;
    restless.share_low = restless.share_high = 0.5;
    restless.dwell = 1;
    AdaptiveModel model(
        table.p, table.q,
        {.model = {.components = 6, .keep = {1}, .forgetting = 0.5, .scale_inputs = false}, .tuning = restless});
    std::size_t made = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        made += model.learn(table.x_row(t), table.y_row(t)).decisions.size();
        ASSERT_EQ(model.decisions().size(), std::min<std::size_t>(made, 100)) << "row " << t;
    }
    EXPECT_GT(made, 100U);
}

TEST(AdaptiveDecisions, NoneIsMadeWithinADwellThatNeverEnds) {
    Tuning tuning;
    tuning.dwell = std::numeric_limits<std::size_t>::max();
    tuning.forgetting = false;  // fresh starts do not wait
    const auto table = breaking_table(3, {.rows = 200});
    AdaptiveModel model(table.p, table.q, {.model = {}, .tuning = tuning});
    model.learn_many(table.all_x(), table.all_y());
    EXPECT_TRUE(model.decisions().empty());
}

TEST(AdaptiveDecisions, AConstantOutputGivesNone) {
    auto table = noise_table(4, 1000, 8, 1);
    std::ranges::fill(table.y, 42.125);
    for (const ComponentsRule rule : {ComponentsRule::error, ComponentsRule::energy, ComponentsRule::covariance}) {
        for (const KeepRule keep : {KeepRule::error, KeepRule::akaike}) {
            Tuning tuning;
            tuning.components_rule = rule;
            tuning.keep_rule = keep;
            AdaptiveModel model(table.p, table.q, {.model = {}, .tuning = tuning});
            for (std::size_t t = 0; t < table.rows(); ++t) {
                const auto report = model.learn(table.x_row(t), table.y_row(t));
                ASSERT_TRUE(t == 0 || report.predicted[0] == 42.125) << "row " << t;
                ASSERT_NE(report.outcome, Outcome::drift);
            }
            EXPECT_TRUE(model.decisions().empty());
        }
    }
}

TEST(AdaptiveDecisions, ComeInAtMostOneOfAHundredRowsLongAfterAnOutputHasTurnedConstant) {
    constexpr std::size_t kConstantFrom = 200;
    constexpr std::size_t kLate = 1000;
    auto table = breaking_table(5, {.rows = 3000, .q = 1, .every = 3000});
    for (std::size_t t = kConstantFrom; t < table.rows(); ++t) {
        table.y_row(t)[0] = 7.5;
    }
    AdaptiveModel model(table.p, table.q);
    std::size_t late = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto report = model.learn(table.x_row(t), table.y_row(t));
        if (t >= kLate) {
            late += report.decisions.size();
            ASSERT_NEAR(report.predicted[0], 7.5, 1e-6);
        }
    }
    EXPECT_LE(late, (table.rows() - kLate) / 100);
}

TEST(AdaptiveDecisions, AreFewOnPureNoiseAndTheErrorIsWithinATenthOfTheMeans) {
    for (const std::size_t p : {5U, 20U, 60U}) {
        double ratio = 0.0;
        std::size_t decisions = 0;
        constexpr std::size_t kRows = 1200;
        constexpr int kSeeds = 3;
        for (int seed = 0; seed < kSeeds; ++seed) {
            const auto table = noise_table(static_cast<std::uint64_t>(seed), kRows, p, 1);
            AdaptiveModel model(table.p, table.q);
            double square = 0.0;
            double variance = 0.0;
            for (std::size_t t = 0; t < kRows; ++t) {
                const auto report = model.learn(table.x_row(t), table.y_row(t));
                if (t >= 200) {
                    decisions += report.decisions.size();
                    square += report.error_before * report.error_before;
                    variance += (table.y_row(t)[0] - 3.0) * (table.y_row(t)[0] - 3.0);
                }
            }
            ratio += square / variance / kSeeds;
        }
        const double per_thousand = static_cast<double>(decisions) / kSeeds;
        RecordProperty("decisions_per_1000_rows_" + std::to_string(p), std::to_string(per_thousand));
        RecordProperty("error_over_variance_" + std::to_string(p), std::to_string(ratio));
        EXPECT_LT(ratio, 1.1) << p;
        EXPECT_LT(per_thousand, 30.0) << p;
    }
}

TEST(AdaptiveDecisions, BrokenRulesAreAllReported) {
    AdaptiveOptions options;
    options.model.forgetting = 2.0;
    options.tuning.keep_min = 0;
    options.tuning.dwell = 0;
    options.tuning.share_low = 0.9;
    options.tuning.share_high = 0.8;
    EXPECT_EQ(options.problems(5, 1).size(), 4U);
    EXPECT_THROW(AdaptiveModel(5, 1, options), OptionError);
    struct Rule {
        const char* field;
        void (*set)(Tuning& tuning, double value);
        std::vector<double> good;
        std::vector<double> bad;
    };
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Rule> rules = {
        {"keep_min", [](Tuning& t, double v) { t.keep_min = static_cast<std::size_t>(v); }, {1, 1e9}, {0}},
        {"keep_max", [](Tuning& t, double v) { t.keep_max = static_cast<std::size_t>(v); }, {1, 1e9}, {0}},
        {"share_low", [](Tuning& t, double v) { t.share_low = v; }, {0, 0.98}, {-1e-300, 0.981, kNaN}},
        {"share_high", [](Tuning& t, double v) { t.share_high = v; }, {0.95, 1}, {1.0000001}},
        {"dwell", [](Tuning& t, double v) { t.dwell = static_cast<std::size_t>(v); }, {1, 1e9}, {0}}};
    for (const Rule& rule : rules) {
        for (const double value : rule.good) {
            AdaptiveOptions good;
            rule.set(good.tuning, value);
            EXPECT_TRUE(good.problems(10, 1).empty()) << rule.field << " = " << value;
        }
        for (const double value : rule.bad) {
            AdaptiveOptions bad;
            rule.set(bad.tuning, value);
            const auto problems = bad.problems(10, 1);
            ASSERT_EQ(problems.size(), 1U) << rule.field << " = " << value;
            EXPECT_EQ(problems[0].rfind(rule.field, 0), 0U) << problems[0];
        }
    }
    AdaptiveOptions nan;
    nan.tuning.share_high = kNaN;
    EXPECT_FALSE(nan.problems(10, 1).empty());
}

}  // namespace
}  // namespace sluice
