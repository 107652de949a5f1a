#include "adaptive_window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace sluice::baselines::adaptive_window_test {
namespace {

constexpr double kDelta = 1e-6;

// ADWIN that keeps every number, and forms means and variance from them, on the same buckets (five of each size) with the
// same bound.
class Slow {
  public:
    AdaptiveWindow::Change add(double value) {
        values_.push_back(value);
        sizes_.push_back(1);
        for (std::uint64_t size = 1;; size *= 2) {
            std::vector<std::size_t> of_size;
            for (std::size_t i = 0; i < sizes_.size(); ++i) {
                if (sizes_[i] == size) {
                    of_size.push_back(i);
                }
            }
            if (of_size.size() <= 5) {
                break;
            }
            sizes_[of_size[1]] = 2 * size;
            sizes_.erase(sizes_.begin() + static_cast<std::ptrdiff_t>(of_size[0]));
        }
        auto change = AdaptiveWindow::Change::none;
        for (double apart = parted(); apart != 0.0; apart = parted()) {
            change = apart > 0.0 ? AdaptiveWindow::Change::rose : AdaptiveWindow::Change::fell;
            values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(sizes_.front()));
            sizes_.erase(sizes_.begin());
        }
        return change;
    }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] double mean() const { return mean(0, values_.size()); }

  private:
    [[nodiscard]] double mean(std::size_t from, std::size_t to) const {
        double sum = 0.0;
        for (std::size_t i = from; i < to; ++i) {
            sum += values_[i];
        }
        return sum / static_cast<double>(to - from);
    }
    // By how much the means at the clearest cut differ; 0: there is none that is no chance.
    [[nodiscard]] double parted() const {
        const auto n = static_cast<double>(values_.size());
        double variance = 0.0;
        for (const double v : values_) {
            variance += (v - mean()) * (v - mean()) / n;
        }
        const double log_term = std::log(2.0 * std::log(n + 1.0) / 1e-6);
        std::size_t cut = 0;
        double clarity = 0.0;
        double best = 0.0;
        for (std::size_t i = 0; i + 1 < sizes_.size(); ++i) {
            cut += sizes_[i];
            if (cut < 5 || values_.size() - cut < 5) {
                continue;
            }
            const auto before = static_cast<double>(cut);
            const double m = before * (n - before) / n;
            const double apart = mean(cut, values_.size()) - mean(0, cut);
            const double bound = std::sqrt(2.0 * variance * log_term / m) + (2.0 * log_term / (3.0 * m));
            if (std::abs(apart) / bound > clarity) {
                clarity = std::abs(apart) / bound;
                best = apart;
            }
        }
        return clarity > 1.0 ? best : 0.0;
    }
    std::deque<double> values_;
    std::vector<std::uint64_t> sizes_;
};

TEST(AdaptiveWindow, IsThatOfAWindowThatKeepsEveryNumber) {
    std::mt19937_64 bits(5);
    std::uniform_real_distribution<double> uniform(0.0, 0.3);
    AdaptiveWindow window(kDelta);
    Slow slow;
    int changes = 0;
    for (int row = 0; row < 1200; ++row) {
        const double level = row < 300 ? 0.1 : row < 600 ? 0.6 : row < 900 ? 0.3 : 0.5;
        const double value = level + uniform(bits);
        const auto change = window.add(value);
        ASSERT_EQ(change, slow.add(value)) << "row " << row;
        ASSERT_EQ(window.size(), slow.size()) << "row " << row;
        ASSERT_NEAR(window.mean(), slow.mean(), 1e-12);  // sums of at most 1,200 numbers below 1
        changes += change == AdaptiveWindow::Change::none ? 0 : 1;
    }
    EXPECT_GE(changes, 3);
}

TEST(AdaptiveWindow, TellsARiseFromAFallSoonAfterItAndKeepsWhatCameAfter) {
    std::mt19937_64 bits(6);
    std::uniform_real_distribution<double> uniform(0.0, 0.2);
    for (const bool rises : {true, false}) {
        AdaptiveWindow window(kDelta);
        for (int row = 0; row < 500; ++row) {
            ASSERT_EQ(window.add((rises ? 0.1 : 0.7) + uniform(bits)), AdaptiveWindow::Change::none);
        }
        int told = -1;
        for (int row = 0; row < 100 && told < 0; ++row) {
            const auto change = window.add((rises ? 0.7 : 0.1) + uniform(bits));
            if (change != AdaptiveWindow::Change::none) {
                EXPECT_EQ(change, rises ? AdaptiveWindow::Change::rose : AdaptiveWindow::Change::fell);
                EXPECT_NEAR(static_cast<double>(window.since_change()), row + 1.0, 5.0);
                told = row;
            }
        }
        ASSERT_GE(told, 0);
        EXPECT_LE(told, 40);
        for (int row = 0; row < 200; ++row) {
            (void)window.add((rises ? 0.7 : 0.1) + uniform(bits));
        }
        // The oldest bucket may straddle the change: a little of what came before stays.
        EXPECT_NEAR(window.mean(), rises ? 0.8 : 0.2, 0.06);
        EXPECT_LE(window.size(), 260U);
    }
}

TEST(AdaptiveWindow, CutsNoneOfAHundredThousandStationaryNumbers) {
    int cuts = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937_64 bits(seed);
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        AdaptiveWindow window(kDelta);
        for (int row = 0; row < 5000; ++row) {
            cuts += window.add(uniform(bits)) == AdaptiveWindow::Change::none ? 0 : 1;
        }
    }
    EXPECT_EQ(cuts, 0);
}

}  // namespace
}  // namespace sluice::baselines::adaptive_window_test
