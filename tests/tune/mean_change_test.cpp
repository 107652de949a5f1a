#include "mean_change.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::tune::mean_change_test {
namespace {

// The equations of the header, on all values of a series that is no longer than the memory.
double slow_evidence(const std::vector<double>& all, bool scores) {
    const std::size_t recent = std::min<std::size_t>(64, all.size() / 4);
    const std::size_t early = all.size() - recent;
    if (early < 32) {
        return -1e9;
    }
    double center = 0.0;
    for (std::size_t i = 0; i < early && !scores; ++i) {
        center += all[i] / static_cast<double>(early);
    }
    const auto window_variance = [&](std::size_t s) {
        std::vector<double> means;
        for (std::size_t first = 0; first + s <= early; first += s) {
            double sum = 0.0;
            for (std::size_t i = first; i < first + s; ++i) {
                sum += all[i];
            }
            means.push_back(sum / static_cast<double>(s));
        }
        double mean = 0.0;
        for (const double m : means) {
            mean += scores ? 0.0 : m / static_cast<double>(means.size());
        }
        double square = 0.0;
        for (const double m : means) {
            square += (m - mean) * (m - mean);
        }
        const auto n = static_cast<double>(means.size());
        return scores ? square / n : square / std::max(n - 1.0, 1.0);
    };
    std::array<double, 7> v{};
    std::array<double, 7> n{};
    double growth = 2.0;
    double worth = 1.0;
    for (std::size_t l = 0; l < 7; ++l) {
        const std::size_t s = std::size_t{1} << l;
        const std::size_t windows = early / s;
        if (l == 0) {
            v[0] = std::max(window_variance(1), scores ? 1.0 : 0.0);
            n[0] = static_cast<double>(windows);
        } else if (windows >= 32) {
            v[l] = std::max(window_variance(s), v[0] / static_cast<double>(s));
            n[l] = static_cast<double>(windows);
            growth = std::clamp(2.0 * v[l] / v[l - 1], 1.0, 2.0);
        } else {
            v[l] = std::max(growth / 2.0 * v[l - 1], windows >= 4 ? window_variance(s) : 0.0);
            n[l] = n[l - 1];
        }
        worth = std::max(worth, static_cast<double>(s) * v[l] / v[0]);
    }
    double most = -1e9;
    for (std::size_t l = 2; l < 7; ++l) {
        const std::size_t s = std::size_t{1} << l;
        const double independent = std::min(n[l], static_cast<double>(early) / worth);
        const double freedom = independent - (scores ? 0.0 : 1.0);
        if (s > recent || freedom < 1.0) {
            break;
        }
        double mean = 0.0;
        for (std::size_t i = all.size() - s; i < all.size(); ++i) {
            mean += (all[i] - center) / static_cast<double>(s);
        }
        double within = 0.0;
        for (std::size_t i = all.size() - s; i < all.size(); ++i) {
            within += (all[i] - center - mean) * (all[i] - center - mean) / (static_cast<double>(s) - 1.0);
        }
        const double variance = v[l] * std::max(1.0, within / v[0]) * (scores ? 1.0 : 1.0 + (1.0 / independent));
        const double z = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0) *
                         std::sqrt(freedom * std::log(1.0 + (mean * mean / variance / freedom)));
        most = std::max(most, (z * z / 2.0) + std::log(std::max(static_cast<double>(s), worth)));
    }
    return most;
}

TEST(MeanChange, IsThatOfASeriesOfWhichEveryValueIsKept) {
    for (const auto series : {MeanChange::Series::scores, MeanChange::Series::values}) {
        for (const double memory : {0.0, 0.9}) {
            MeanChange change(series, false);
            std::vector<double> all;
            NormalSource normal(7);
            double state = 0.0;
            for (int row = 0; row < 900; ++row) {
                state = (memory * state) + (std::sqrt(1.0 - (memory * memory)) * normal.next());
                const double value =
                    state + (row >= 700 ? 2.0 : 0.0) + (series == MeanChange::Series::values ? 10.0 : 0.0);
                change.add(value);
                all.push_back(value);
                if (row % 13 == 0 || row > 695) {
                    const double slow = slow_evidence(all, series == MeanChange::Series::scores);
                    // Means of at most 900 numbers of size 10, in another order.
                    ASSERT_NEAR(change.test().evidence, slow, 1e-8 * (1.0 + std::abs(slow))) << "row " << row;
                }
            }
        }
    }
}

// Series that depend on themselves, that change, and that have outliers.
TEST(MeanChange, EvidenceIsNeverAboveWhatTheSumsOfTheLastRowsAllow) {
    int left_out = 0;
    int above = 0;
    for (const auto series : {MeanChange::Series::scores, MeanChange::Series::values}) {
        for (const double memory : {0.0, 0.7, 0.97}) {
            for (const bool rise_only : {false, true}) {
                MeanChange change(series, rise_only);
                NormalSource normal(9);
                double state = 0.0;
                for (int row = 0; row < 3000; ++row) {
                    state = (memory * state) + (std::sqrt(1.0 - (memory * memory)) * normal.next());
                    const double jump = row % 1000 >= 900 ? 1.5 : 0.0;
                    const double outlier = row % 97 == 0 ? 4.0 : 0.0;
                    change.add(state + jump + outlier + (series == MeanChange::Series::values ? 10.0 : 0.0));
                    for (const double bar : {8.0, 12.0, 17.5}) {
                        const bool is_above = change.test().evidence > bar;
                        ASSERT_TRUE(change.may_exceed(bar) || !is_above) << row << " " << bar;
                        left_out += change.may_exceed(bar) ? 0 : 1;
                        above += is_above ? 1 : 0;
                    }
                }
            }
        }
    }
    EXPECT_GT(left_out, 10000);
    EXPECT_GT(above, 100);
}

TEST(MeanChange, IsFoundSoonAndItsRowIsKnown) {
    MeanChange change(MeanChange::Series::scores, false);
    NormalSource normal(3);
    for (int row = 0; row < 500; ++row) {
        change.add(normal.next());
        ASSERT_LT(change.test().evidence, std::log(1e7)) << "row " << row;
    }
    int row = 0;
    for (; row < 60 && change.test().evidence < std::log(1e7); ++row) {
        change.add(normal.next(-2.0, 1.0));
    }
    EXPECT_LE(row, 20);
    EXPECT_NEAR(static_cast<double>(change.since(change.test())), row, 4.0);
}

TEST(MeanChange, AFallIsNoRise) {
    MeanChange change(MeanChange::Series::scores, true);
    NormalSource normal(3);
    for (int row = 0; row < 600; ++row) {
        change.add(normal.next(row < 500 ? 0.0 : -3.0, 1.0));
        ASSERT_LT(change.test().evidence, std::log(1e7)) << "row " << row;
    }
}

TEST(MeanChange, AFewWrongValuesAreNone) {
    MeanChange change(MeanChange::Series::values, true);
    NormalSource normal(9);
    for (int row = 0; row < 2000; ++row) {
        change.add(row > 500 && row % 50 < 2 ? 1000.0 : normal.next());
        ASSERT_LT(change.test().evidence, std::log(1e7)) << "row " << row;
    }
}

TEST(MeanChange, OfASeriesThatNeverVariesIsNone) {
    MeanChange change(MeanChange::Series::values, true);
    for (int row = 0; row < 300; ++row) {
        change.add(5.0);
        ASSERT_LT(change.test().evidence, 0.0);
    }
}

TEST(MeanChange, GoesOnAfterBeingSaved) {
    MeanChange change(MeanChange::Series::values, true);
    NormalSource normal(11);
    for (int row = 0; row < 300; ++row) {
        core::StateWriter out;
        change.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        MeanChange again(MeanChange::Series::values, true);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        const double value = normal.next();
        change.add(value);
        again.add(value);
        ASSERT_EQ(change.test().evidence, again.test().evidence);
        ASSERT_EQ(change.since(change.test()), again.since(again.test()));
    }
}

}  // namespace
}  // namespace sluice::tune::mean_change_test
