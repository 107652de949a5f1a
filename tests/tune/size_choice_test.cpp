#include "size_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "constants.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::tune::size_choice_test {
namespace {

/// The rule of size_choice.hpp, with all rows kept.
class SlowChoice {
  public:
    explicit SlowChoice(std::size_t sizes) : sizes_(sizes) {}

    void add(const std::vector<double>& losses) { past_.push_back(losses); }
    void forget() { first_ = past_.size(); }

    [[nodiscard]] std::size_t choose(std::size_t now, std::size_t most) {
        find_units();
        double rows = 0.0;
        std::vector<double> loss(sizes_, 0.0);
        for (std::size_t t = first_; t < past_.size(); ++t) {
            rows = (kEvidence * rows) + 1.0;
            for (std::size_t s = 0; s < sizes_; ++s) {
                loss[s] = (kEvidence * loss[s]) + (past_[t][s] * units_[t]);
            }
        }
        now = std::min(now, most);
        if (rows < 4.0) {
            return now;
        }
        const auto best = static_cast<std::size_t>(
            std::min_element(loss.begin(), loss.begin() + static_cast<std::ptrdiff_t>(most + 1)) - loss.begin());
        auto good_enough = [&](std::size_t s, double share) {
            double square = 0.0;  // of the paired differences: its root is a standard error of their sum
            for (std::size_t t = first_; t < past_.size(); ++t) {
                const double difference = (past_[t][s] - past_[t][best]) * units_[t];
                square = (kEvidence * square) + (difference * difference);
            }
            const double above = loss[s] - loss[best];
            return loss[s] <= 1e-2 * rows ||
                   (above <= share * kTolerance * loss[best] && above <= share * std::sqrt(square));
        };
        std::size_t least = best;
        std::size_t least_by_half = best;
        for (std::size_t s = best; s-- > 0;) {
            least = good_enough(s, 1.0) ? s : least;
            least_by_half = good_enough(s, 0.5) ? s : least_by_half;
        }
        return least >= now ? least : std::min(least_by_half, now);
    }

  private:
    // One over the root of the recent level of the losses of the number that was best so far.
    void find_units() {
        units_.clear();
        double level = 0.0;
        double rows = 0.0;
        std::vector<double> loss(sizes_, 0.0);
        for (std::size_t t = 0; t < past_.size(); ++t) {
            if (t == first_) {
                std::ranges::fill(loss, 0.0);
            }
            const auto best = static_cast<std::size_t>(std::ranges::min_element(loss) - loss.begin());
            rows = (0.9 * rows) + 1.0;
            level = (0.9 * level) + past_[t][best];
            units_.push_back(1.0 / std::sqrt(std::max(level / rows, 1e-4)));
            for (std::size_t s = 0; s < sizes_; ++s) {
                loss[s] = (kEvidence * loss[s]) + (past_[t][s] * units_[t]);
            }
        }
    }

    std::size_t sizes_;
    std::size_t first_ = 0;
    std::vector<std::vector<double>> past_;
    std::vector<double> units_;
};

// Squares of errors: a common part, and one by number of names that falls until `enough`, then rises a little.
std::vector<double> losses(std::size_t sizes, std::size_t enough, double gain, std::mt19937_64& bits) {
    std::normal_distribution<double> normal;
    const double common = normal(bits);
    std::vector<double> out;
    for (std::size_t s = 0; s < sizes; ++s) {
        const double missing = gain * static_cast<double>(enough > s ? enough - s : 0);
        const double e = common + (missing * normal(bits)) + (0.05 * static_cast<double>(s) * normal(bits));
        out.push_back(e * e);
    }
    return out;
}

TEST(SizeChoice, IsThatOfItsRuleInEveryRow) {
    constexpr std::size_t kSizes = 6;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        std::mt19937_64 bits(seed);
        SizeChoice choice(kSizes);
        SlowChoice slow(kSizes);
        std::size_t now = 0;
        std::vector<std::size_t> met(kSizes, 0);
        for (std::size_t t = 0; t < 260; ++t) {
            const std::size_t enough = (t / 60) % kSizes;
            const double level = t < 130 ? 1.0 : 1e-2;
            std::vector<double> row = losses(kSizes, enough, 0.1 + (0.1 * static_cast<double>(seed % 6)), bits);
            for (double& loss : row) {
                loss *= level;
            }
            choice.add(row);
            slow.add(row);
            if (t == 100) {
                choice.forget();
                slow.forget();
            }
            const std::size_t most = t < 30 ? t / 8 : kSizes - 1;
            const std::size_t chosen = choice.choose(now, most);
            ASSERT_EQ(chosen, slow.choose(now, most)) << "seed " << seed << ", row " << t;
            ASSERT_LE(chosen, most);
            now = chosen;
            ++met[now];
        }
    }
}

TEST(SizeChoice, IsTheNumberThatIsNeededAndNoMore) {
    constexpr std::size_t kSizes = 8;
    for (const std::size_t enough : {0U, 1U, 3U, 6U}) {
        int right = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            std::mt19937_64 bits(seed + 100);
            SizeChoice choice(kSizes);
            std::size_t now = 0;
            for (std::size_t t = 0; t < 300; ++t) {
                choice.add(losses(kSizes, enough, 1.0, bits));
                now = choice.choose(now, kSizes - 1);
            }
            right += now == enough ? 1 : 0;
        }
        EXPECT_GE(right, 18) << enough;
    }
}

TEST(SizeChoice, StaysWhereNothingIsKnown) {
    SizeChoice choice(5);
    EXPECT_EQ(choice.choose(3, 4), 3U);
    EXPECT_EQ(choice.choose(4, 2), 2U);
    std::mt19937_64 bits(1);
    for (std::size_t t = 0; t < 100; ++t) {
        choice.add(losses(5, 2, 1.0, bits));
    }
    EXPECT_EQ(choice.choose(4, 4), 2U);
    choice.forget();
    EXPECT_EQ(choice.choose(4, 4), 4U);
    EXPECT_EQ(choice.loss(2), 0.0);
}

// 5 % more loss than the best is within the tolerance, and not within half of it.
TEST(SizeChoice, RisesAndStaysAtOnceAndFallsOnlyWhereHalfOfTheBoundsIsKept) {
    const double above = 1.0 + (0.7 * kTolerance);
    SizeChoice choice(3);
    for (std::size_t t = 0; t < 200; ++t) {
        // The differences vary, so that they are within a standard error.
        const double swing = t % 2 == 0 ? 0.9 : -0.9;
        choice.add(std::vector<double>{2.0 + swing, above - swing, 1.0});
    }
    EXPECT_EQ(choice.choose(0, 2), 1U);  // no fewer are good enough
    EXPECT_EQ(choice.choose(1, 2), 1U);
    EXPECT_EQ(choice.choose(2, 2), 2U);  // one name less is good enough, but not clearly
    SizeChoice clearly(3);
    for (std::size_t t = 0; t < 200; ++t) {
        const double swing = t % 2 == 0 ? 0.9 : -0.9;
        clearly.add(std::vector<double>{2.0 + swing, 1.0 + (0.3 * kTolerance) - swing, 1.0});
    }
    EXPECT_EQ(clearly.choose(2, 2), 1U);
}

// Differences that hardly vary are evidence however small they are.
TEST(SizeChoice, IsNotSmallerWhereTheLossIsSteadilyLarger) {
    SizeChoice choice(2);
    for (std::size_t t = 0; t < 200; ++t) {
        const double e = t % 3 == 0 ? 1.0 : 2.0;
        choice.add(std::vector<double>{e * (1.0 + (0.4 * kTolerance)), e});
    }
    EXPECT_EQ(choice.choose(0, 1), 1U);
    EXPECT_EQ(choice.choose(1, 1), 1U);
}

// Seen: without noise, names entered for what shrinkage left of the error, 1e-6 of the variance; and long after an output had turned
// constant, on errors of 1e-32. Now errors below a hundredth of the standard deviation are alike.
TEST(SizeChoice, ErrorsBelowAHundredthOfTheStandardDeviationAreAsGoodAsNone) {
    SizeChoice choice(4);
    for (std::size_t t = 0; t < 300; ++t) {
        choice.add(std::vector<double>{0.5, 5e-5, 1e-6, 1e-7});
    }
    EXPECT_EQ(choice.choose(3, 3), 1U);
    EXPECT_EQ(choice.choose(0, 3), 1U);
    SizeChoice rounding(3);
    for (std::size_t t = 0; t < 300; ++t) {
        rounding.add(std::vector<double>{3e-30, 2e-31, 1e-32});
    }
    EXPECT_EQ(rounding.choose(2, 2), 0U);
    SizeChoice above(3);
    for (std::size_t t = 0; t < 300; ++t) {
        above.add(std::vector<double>{0.5, 5e-3, 1e-3});
    }
    EXPECT_EQ(above.choose(0, 2), 2U);
}

// The errors of the first rows are large. What is in units of the present level of the errors is not decided by them.
TEST(SizeChoice, IsNotDecidedByTheLevelOfThePast) {
    SizeChoice choice(2);
    for (std::size_t t = 0; t < 60; ++t) {  // none is better by far
        const double e = t % 2 == 0 ? 0.5 : 1.5;
        choice.add(std::vector<double>{100.0 * e, 150.0 * e});
    }
    EXPECT_EQ(choice.choose(0, 1), 0U);
    std::size_t rows = 0;
    for (std::size_t now = 0; now == 0 && rows < 200;
         ++rows) {  // one name halves the error, of a hundredth of that size
        const double e = rows % 2 == 0 ? 0.5 : 1.5;
        choice.add(std::vector<double>{2.0 * e, 1.0 * e});
        now = choice.choose(0, 1);
    }
    EXPECT_LE(
        rows,
        170U);  // by plain sums it would take until 0.99^n of the first 60 rows is below a hundredth: over 400 rows
}

TEST(SizeChoice, GoesOnAfterBeingSavedAndRefusesWhatCannotBe) {
    std::mt19937_64 bits(2);
    SizeChoice choice(4);
    for (std::size_t t = 0; t < 80; ++t) {
        choice.add(losses(4, 2, 0.3, bits));
        core::StateWriter out;
        choice.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        SizeChoice again(4);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        for (std::size_t s = 0; s < 4; ++s) {
            ASSERT_EQ(again.loss(s), choice.loss(s));
            ASSERT_EQ(again.choose(s, 3), choice.choose(s, 3));
        }
        choice = again;
    }
    core::StateWriter out;
    choice.save(out);
    const auto good = std::move(out).unframed();
    for (std::size_t number = 0; number < good.size() / sizeof(double); ++number) {
        auto bad = good;  // each number negative
        bad[(number * sizeof(double)) + 7] |= std::byte{0x80};
        if (bad == good) {
            continue;
        }
        auto in = core::StateReader::unframed(bad);
        SizeChoice again(4);
        double value = 0.0;
        std::memcpy(&value, bad.data() + (number * sizeof(double)), sizeof(value));
        if (value < 0.0) {
            EXPECT_THROW(again.load(in), StateError) << number;
        }
    }
    auto empty = good;  // rows, and none that the level is of
    std::fill_n(empty.begin() + sizeof(double), 2 * sizeof(double), std::byte{0});
    auto in = core::StateReader::unframed(empty);
    SizeChoice again(4);
    EXPECT_THROW(again.load(in), StateError);
}

}  // namespace
}  // namespace sluice::tune::size_choice_test
