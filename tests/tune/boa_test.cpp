// Regret: the loss of a mixture stays below that of its best expert plus the bound of its theorem, whatever nature does.
//
// BOA with rates of its own for each expert (Wintenberger 2017, section 3; Gaillard, Stoltz and van Erven 2014, theorem 3). With r_t the
// excess losses of expert d, |r_t| <= B, V = sum r_t^2, rates eta_t = min(1 / (2 B), sqrt(log D / V_t)) that do not rise, and
// W_t = mean over the experts of exp(-eta_t R_t):
//     exp(-x - x^2) <= 1 - x for |x| <= 1/2, and sum of share r = 0, so that only the fall of the rates lets W grow:
//     W_T <= 1 + (1 / e) mean_d sum_t (eta_{t-1} / eta_t - 1) <= 1 + (1 + c) / (2 e) mean_d log+(V_d / (4 B^2 log D)),  c = 1 / (4 log D)
//     -sum r_t <= sum eta_{t-1} r_t^2 + (log D + log W_T) / eta_T
//              <= 2 sqrt(V log D) + B / 2 + (log D + log W_T) max(2 B, sqrt(V / log D))
// A range that is not known beforehand costs B more. The theorem takes each row's rate from the rows before it; boa.hpp counts the row
// itself, as the package opera does, so that a first large loss does not meet a rate that knows of none. It keeps the same bound here.
//
// Exponential weights (Cesa-Bianchi and Lugosi 2006, theorem 3.2): squares of |f - y| <= 2 B are exp-concave with rate 1 / (8 B^2), and
// the loss exceeds that of the best of N experts by at most 8 B^2 log N.
#include "boa.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "mixture_kernels.hpp"

namespace sluice::tune::boa_test {
namespace {

enum class Nature {
    random,
    against_the_heaviest,  // the truth is on the other side of the expert with the largest share
    against_the_forecast,
    against_all,        // of some draws, the row that brings the regret closest to its bound
    leaders_change,     // each expert is right for twenty rows
    growing,            // ranges double from row to row
    rare_large_losses,  // one row out of twenty counts 50 times as much
    copies,             // experts that are equal, but for one
};

class Experts {
  public:
    explicit Experts(std::size_t count)
        : regret_(count, 0.0),
          square_(count, 0.0),
          share_(count, 1.0 / static_cast<double>(count)),
          loss_(count, 0.0),
          excess_square_(count, 0.0) {}

    [[nodiscard]] double forecast(const std::vector<double>& f) const {
        double sum = 0.0;
        for (std::size_t d = 0; d < f.size(); ++d) {
            sum += share_[d] * f[d];
        }
        return sum;
    }
    void add(const std::vector<double>& f, double y) {
        const double forecast = this->forecast(f);
        std::vector<double> excess;
        for (std::size_t d = 0; d < f.size(); ++d) {
            excess.push_back(2.0 * (forecast - y) * (f[d] - forecast));
            loss_[d] += (f[d] - y) * (f[d] - y);
            excess_square_[d] += excess[d] * excess[d];
            range_ = std::max(range_, std::abs(excess[d]));
        }
        own_loss_ += (forecast - y) * (forecast - y);
        update_shares({.regret = regret_, .square = square_, .share = share_}, excess, 1.0);
    }
    /// Regret over its bound, largest of the experts.
    [[nodiscard]] double worst() const {
        const auto count = static_cast<double>(share_.size());
        const double log_count = std::log(count);
        double growth = 0.0;
        for (const double V : excess_square_) {
            growth += std::log(std::max(1.0, V / (4.0 * range_ * range_ * log_count))) / count;
        }
        const double W = 1.0 + ((1.0 + (0.25 / log_count)) / (2.0 * std::exp(1.0)) * growth);
        double worst = 0.0;
        for (std::size_t d = 0; d < share_.size(); ++d) {
            const double V = excess_square_[d];
            const double bound = (2.0 * std::sqrt(V * log_count)) + (1.5 * range_) +
                                 ((log_count + std::log(W)) * std::max(2.0 * range_, std::sqrt(V / log_count)));
            worst = std::max(worst, bound > 0.0 ? (own_loss_ - loss_[d]) / bound : 0.0);
        }
        return worst;
    }
    [[nodiscard]] const std::vector<double>& shares() const { return share_; }

  private:
    std::vector<double> regret_;
    std::vector<double> square_;
    std::vector<double> share_;
    std::vector<double> loss_;
    std::vector<double> excess_square_;
    double own_loss_ = 0.0;
    double range_ = 0.0;
};

void add_row(Experts& experts, Nature nature, std::size_t row, std::mt19937_64& bits) {
    const std::size_t count = experts.shares().size();
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    auto draw = [&] {
        std::vector<double> f(count);
        std::ranges::generate(f, [&] { return bits() % 2 == 0 ? uniform(bits) : bits() % 2 == 0 ? 1.0 : -1.0; });
        return f;
    };
    auto other_side = [](double value) { return value > 0.0 ? -1.0 : 1.0; };
    std::vector<double> f = draw();
    double y = uniform(bits);
    double unit = 1.0;
    switch (nature) {
        case Nature::random:
            break;
        case Nature::against_the_heaviest:
            y = other_side(
                f[static_cast<std::size_t>(std::ranges::max_element(experts.shares()) - experts.shares().begin())]);
            break;
        case Nature::against_the_forecast:
            y = other_side(experts.forecast(f));
            break;
        case Nature::against_all: {
            double worst = -1.0;
            for (int trial = 0; trial < 20; ++trial) {
                const std::vector<double> drawn = draw();
                const double end = trial % 2 == 0 ? 1.0 : -1.0;
                Experts tried = experts;
                tried.add(drawn, end);
                if (tried.worst() > worst) {
                    worst = tried.worst();
                    f = drawn;
                    y = end;
                }
            }
            break;
        }
        case Nature::leaders_change:
            std::ranges::fill(f, -1.0);
            f[(row / 20) % count] = 1.0;
            y = 1.0;
            break;
        case Nature::growing:
            unit = std::ldexp(1.0, static_cast<int>(row % 60) - 20);
            y = other_side(experts.forecast(f));
            break;
        case Nature::rare_large_losses:
            unit = bits() % 20 == 0 ? 50.0 : 1.0;
            break;
        case Nature::copies:
            std::fill(f.begin() + 1, f.end(), f.back());
            y = f.front() + (0.1 * uniform(bits));
            break;
    }
    for (double& value : f) {
        value *= unit;
    }
    experts.add(f, y * unit);
}

RC_GTEST_PROP(Boa, LosesAtMostTheBoundOfItsTheoremMoreThanEveryExpert, (std::uint64_t seed)) {
    const auto nature = *rc::gen::element(Nature::random, Nature::against_the_heaviest, Nature::against_the_forecast,
                                          Nature::against_all, Nature::leaders_change, Nature::growing,
                                          Nature::rare_large_losses, Nature::copies);
    const auto count = *rc::gen::inRange<std::size_t>(2, 9);
    const auto rows = *rc::gen::inRange<std::size_t>(1, 250);
    std::mt19937_64 bits(seed);
    Experts experts(count);
    for (std::size_t row = 0; row < rows; ++row) {
        add_row(experts, nature, row, bits);
        RC_ASSERT(experts.worst() <= 1.0);
        double sum = 0.0;
        for (const double share : experts.shares()) {
            RC_ASSERT(share >= 0.0 && share <= 1.0);
            sum += share;
        }
        RC_ASSERT(std::abs(sum - 1.0) < 1e-12);
    }
}

// A bound that nothing comes near would be no test.
TEST(Boa, ComesWithinAFactorOfFourOfTheBound) {
    double worst = 0.0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 bits(seed);
        Experts experts(3);
        for (std::size_t row = 0; row < 200; ++row) {
            add_row(experts, Nature::against_all, row, bits);
            worst = std::max(worst, experts.worst());
        }
    }
    EXPECT_GT(worst, 0.25);
    EXPECT_LE(worst, 1.0);
}

// By the equations of boa.hpp with the sums written out.
TEST(Boa, WithADiscountFollowsItsEquations) {
    constexpr double g = 0.99;
    constexpr std::size_t kCount = 3;
    std::mt19937_64 bits(5);
    std::normal_distribution<double> normal;
    std::vector<double> R(kCount, 0.0);
    std::vector<double> V(kCount, 0.0);
    std::vector<double> share(kCount, 1.0 / kCount);
    std::vector<std::vector<double>> past;
    for (std::size_t row = 0; row < 300; ++row) {
        past.push_back({normal(bits), normal(bits), normal(bits)});
        update_shares({.regret = R, .square = V, .share = share}, past.back(), g);
        std::vector<double> expected(kCount);
        double total = 0.0;
        for (std::size_t d = 0; d < kCount; ++d) {
            double square = 0.0;
            double regret = 0.0;
            double rate = 0.0;
            for (const auto& r : past) {
                square = (g * square) + (r[d] * r[d]);
                rate = std::sqrt(std::log(3.0) / square);
                regret = (g * regret) + (r[d] * (1.0 + (rate * r[d])));
            }
            expected[d] = rate * std::exp(-rate * regret);
            total += expected[d];
        }
        for (std::size_t d = 0; d < kCount; ++d) {  // other orders of rounding over some hundred rows
            ASSERT_NEAR(share[d], expected[d] / total, 1e-11) << "row " << row;
        }
    }
}

TEST(Boa, LeavesTheSharesFiniteWhateverTheLosses) {
    for (const double size : {0.0, 1e-300, 1e-6, 1e3, 1e100}) {
        std::vector<double> R(3, 0.0);
        std::vector<double> V(3, 0.0);
        std::vector<double> share(3, 1.0 / 3.0);
        for (int row = 0; row < 100; ++row) {
            update_shares({.regret = R, .square = V, .share = share}, std::vector<double>{-size, size, 2.0 * size},
                          0.99);
            for (const double one : share) {
                ASSERT_TRUE(one >= 0.0 && one <= 1.0) << size;
            }
        }
        EXPECT_TRUE(size < 1.0 || share[0] > 0.9) << size;
    }
}

// The kernels that give the readings their weights, with the rate of the theorem and no discount. Each size is a problem of its own.
RC_GTEST_PROP(ExponentialWeights, LoseAtMostTheBoundForExpConcaveLossesMoreThanTheBestExpert, (std::uint64_t seed)) {
    constexpr std::size_t kSizes = 8;
    const auto experts = *rc::gen::inRange<std::size_t>(2, 40);
    const auto rows = *rc::gen::inRange<std::size_t>(1, 200);
    const auto B = *rc::gen::element(1e-3, 1.0, 30.0);
    const bool adversarial = *rc::gen::arbitrary<bool>();
    const double rate = 1.0 / (8.0 * B * B);
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> uniform(-B, B);
    std::vector<double> errors(experts * kSizes, 0.0);
    std::vector<double> own(kSizes, 0.0);
    std::vector<double> w(experts * kSizes);
    std::vector<double> f(experts * kSizes);
    const std::vector<double> no_bias(experts * kSizes, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<double> least(kSizes, 1e300);
        std::vector<double> sums(kSizes, 0.0);
        std::vector<double> drift(kSizes, 0.0);
        const kernels::Rows shape{.count = experts, .stride = kSizes, .columns = kSizes};
        kernels::lower(errors.data(), {.count = 1, .apart = 0}, shape, false, least.data());
        const kernels::Speed speed{
            .errors = errors.data(), .bias = no_bias.data(), .sums = sums.data(), .drift = drift.data()};
        kernels::exponentials(&speed, 1, shape, least.data(), rate, false, w.data());
        std::ranges::generate(f, [&] { return uniform(bits); });
        for (std::size_t s = 0; s < kSizes; ++s) {
            double forecast = 0.0;
            for (std::size_t i = 0; i < experts; ++i) {
                forecast += w[(i * kSizes) + s] / sums[s] * f[(i * kSizes) + s];
            }
            const double y = adversarial ? (forecast > 0.0 ? -B : B) : uniform(bits);
            own[s] += (forecast - y) * (forecast - y);
            for (std::size_t i = 0; i < experts; ++i) {
                const double e = f[(i * kSizes) + s] - y;
                errors[(i * kSizes) + s] += e * e;
            }
            double best = errors[s];
            for (std::size_t i = 1; i < experts; ++i) {
                best = std::min(best, errors[(i * kSizes) + s]);
            }
            // Rounding of the exponentials, a few units in the last place, is beyond the theorem.
            const double bound = 8.0 * B * B * std::log(static_cast<double>(experts));
            RC_ASSERT(own[s] - best <= bound * (1.0 + 1e-9));
        }
    }
}

}  // namespace
}  // namespace sluice::tune::boa_test
