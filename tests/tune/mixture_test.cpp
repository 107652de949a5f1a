#include "mixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "state.hpp"

namespace sluice::tune::mixture_test {
namespace {

constexpr std::size_t kAll = Mixture::kAll;
using Mixes = std::vector<unsigned char>;

/// The equations of mixture.hpp, reading by reading, with all rows kept. One output.
class SlowMixture {
  public:
    explicit SlowMixture(const Grid& grid) : grid_(grid) {
        for (std::size_t g = 0; g < grid.speeds; ++g) {
            for (std::size_t b = 0; b < grid.memories; ++b) {
                for (std::size_t r = 0; r < grid.shrinkages; ++r) {
                    for (std::size_t s = 0; s < grid.sizes; ++s) {
                        readings_.push_back({.speed = g, .memory = b, .shrinkage = r, .size = s});
                    }
                }
            }
        }
        share_.fill(1.0 / 3.0);
    }

    struct Reading {
        std::size_t speed;
        std::size_t memory;
        std::size_t shrinkage;
        std::size_t size;
        std::vector<double> base_errors = {};  // y - base, of all rows
        std::array<double, 3> loss = {};       // E_d
        double squares = 0.0;
        std::array<double, 3> weight = {};  // w_d of those that predict, sum 1 for each d
        std::array<double, 3> in_all = {};  // over all sizes and memories that mix
        std::array<double, 3> alone = {};   // among the slow readings of the same size

        // Discounted mean of all errors of base; with speed 1 the intercept stays.
        [[nodiscard]] double bias() const {
            double sum = 0.0;
            double rows = 0.0;
            for (const double e : base_errors) {
                sum = (kSpeeds[speed] * sum) + e;
                rows = (kSpeeds[speed] * rows) + 1.0;
            }
            return speed == 0 || rows == 0.0 ? 0.0 : sum / rows;
        }
    };

    [[nodiscard]] double base(const Reading& reading, std::span<const double> all) const {
        return all[grid_.cell(reading.memory, reading.shrinkage, reading.size)];
    }
    [[nodiscard]] double by_discount(std::size_t d, std::span<const double> all) const {
        double sum = 0.0;
        for (const Reading& reading : readings_) {
            sum += reading.weight[d] * (base(reading, all) + reading.bias());
        }
        return sum;
    }
    [[nodiscard]] double forecast(std::span<const double> all) const {
        double sum = 0.0;
        for (std::size_t d = 0; d < 3; ++d) {
            sum += share_[d] * by_discount(d, all);
        }
        return sum;
    }
    [[nodiscard]] double by_size(std::size_t size, std::span<const double> all) const {
        double value = 0.0;
        for (const Reading& reading : readings_) {
            for (std::size_t d = 0; d < 3 && reading.size == size; ++d) {
                value += share_[d] * reading.alone[d] * (base(reading, all) + reading.bias());
            }
        }
        return value;
    }

    void score(double y, std::span<const double> all, double variance, const Mixes& mixes) {
        if (variance > 0.0) {
            const double f = forecast(all);
            double total = 0.0;
            std::array<double, 3> excess{};
            for (std::size_t d = 0; d < 3; ++d) {
                excess[d] = 2.0 * (f - y) * (by_discount(d, all) - f) / variance;
            }
            for (std::size_t d = 0; d < 3; ++d) {
                V_[d] = (kEvidence * V_[d]) + (excess[d] * excess[d]);
                const double rate = std::sqrt(std::log(3.0) / std::max(V_[d], 1e-6));
                R_[d] = (kEvidence * R_[d]) + (excess[d] * (1.0 + (rate * excess[d])));
                share_[d] = rate * std::exp(-rate * R_[d]);
                total += share_[d];
            }
            for (double& share : share_) {
                share /= total;
            }
        }
        const double s = least_mean(2, mixes);  // by the slowest discount
        for (std::size_t d = 0; d < 3; ++d) {
            rows_[d] = (kDiscounts[d] * rows_[d]) + 1.0;
        }
        for (Reading& reading : readings_) {
            const double e = y - base(reading, all) - reading.bias();
            const double c = kTail * std::max(s, 1e-12 * variance);
            const double loss = count_ < 20 ? e * e : c * std::log1p(e * e / c);
            for (std::size_t d = 0; d < 3; ++d) {
                reading.loss[d] = (kDiscounts[d] * reading.loss[d]) + loss;
            }
            reading.squares += e * e;
            reading.base_errors.push_back(y - base(reading, all));
        }
        ++count_;
    }

    void weigh(const Mixes& mixes, std::size_t sizes, std::size_t only) {
        for (std::size_t d = 0; d < 3; ++d) {
            const double s = least_mean(d, mixes);
            double least = std::numeric_limits<double>::max();
            double least_in_use = least;
            auto predicts = [&](const Reading& reading) {
                return reading.size < sizes && (only == kAll || reading.memory == only);
            };
            for (const Reading& reading : readings_) {
                if (mixes[reading.memory] != 0) {
                    least = std::min(least, reading.loss[d]);
                    least_in_use = predicts(reading) ? std::min(least_in_use, reading.loss[d]) : least_in_use;
                }
            }
            double total = 0.0;
            double total_in_use = 0.0;
            for (Reading& reading : readings_) {
                const bool mixed = mixes[reading.memory] != 0;
                reading.in_all[d] = mixed ? std::exp(-(reading.loss[d] - least) / s) : 0.0;
                reading.weight[d] = mixed && predicts(reading) ? std::exp(-(reading.loss[d] - least_in_use) / s) : 0.0;
                total += reading.in_all[d];
                total_in_use += reading.weight[d];
            }
            for (Reading& reading : readings_) {
                reading.in_all[d] /= total;
                reading.weight[d] /= total_in_use;
            }
            for (std::size_t size = 0; size < grid_.sizes; ++size) {
                weigh_size(d, size, s, mixes);
            }
        }
    }

    /// Sum over the readings for which `counts` holds; in_all: of the weights that choose variables.
    template <typename Counts>
    [[nodiscard]] double weight(bool in_all, const Counts& counts) const {
        double sum = 0.0;
        for (const Reading& reading : readings_) {
            for (std::size_t d = 0; d < 3; ++d) {
                sum += counts(reading) ? share_[d] * (in_all ? reading.in_all[d] : reading.weight[d]) : 0.0;
            }
        }
        return sum;
    }
    [[nodiscard]] const std::vector<Reading>& readings() const { return readings_; }
    [[nodiscard]] const std::array<double, 3>& shares() const { return share_; }
    [[nodiscard]] double rows(std::size_t d) const { return rows_[d]; }

  private:
    [[nodiscard]] double least_mean(std::size_t d, const Mixes& mixes) const {
        double least = std::numeric_limits<double>::max();
        for (const Reading& reading : readings_) {
            least = mixes[reading.memory] != 0 ? std::min(least, reading.loss[d]) : least;
        }
        return std::max(least / std::max(rows_[d], 1.0), 1e-150);
    }

    void weigh_size(std::size_t d, std::size_t size, double s, const Mixes& mixes) {
        const std::size_t slow = grid_.speeds == 1 ? 1 : kSlowSpeeds;
        auto counts = [&](const Reading& reading) {
            return reading.size == size && reading.speed < slow && mixes[reading.memory] != 0;
        };
        double least = std::numeric_limits<double>::max();
        double total = 0.0;
        for (const Reading& reading : readings_) {
            least = counts(reading) ? std::min(least, reading.loss[d]) : least;
        }
        for (Reading& reading : readings_) {
            if (reading.size == size) {
                reading.alone[d] = counts(reading) ? std::exp(-(reading.loss[d] - least) / s) : 0.0;
                total += reading.alone[d];
            }
        }
        for (Reading& reading : readings_) {
            reading.alone[d] /= reading.size == size ? total : 1.0;
        }
    }

    Grid grid_;
    std::vector<Reading> readings_;
    std::array<double, 3> R_{};
    std::array<double, 3> V_{};
    std::array<double, 3> share_{};
    std::array<double, 3> rows_{};
    std::size_t count_ = 0;
};

// Readings whose errors differ: the larger memory, shrinkage and size are worse or better in turns, and all of them jump in row 60.
struct Stream {
    explicit Stream(std::uint64_t seed, const Grid& layout) : grid(layout), bits(seed), base(layout.cells(), 0.0) {}

    void next() {
        std::normal_distribution<double> normal;
        y = normal(bits) + 2.0;
        const double turn = (row / 30) % 2 == 0 ? 1.0 : -1.0;
        for (std::size_t b = 0; b < grid.memories; ++b) {
            for (std::size_t r = 0; r < grid.shrinkages; ++r) {
                for (std::size_t s = 0; s < grid.sizes; ++s) {
                    const double size = 0.4 + (0.1 * static_cast<double>(b)) + (0.05 * turn * static_cast<double>(r)) -
                                        (0.04 * turn * static_cast<double>(s));
                    base[grid.cell(b, r, s)] =
                        y + (size * normal(bits)) + (row >= 60 && row < 63 ? 30.0 : 0.3 * static_cast<double>(s));
                }
            }
        }
        ++row;
    }

    Grid grid;
    std::mt19937_64 bits;
    std::vector<double> base;
    double y = 0.0;
    std::size_t row = 0;
};

void expect_same(const Mixture& mixture, const SlowMixture& slow, const Stream& stream, std::size_t output) {
    const Grid& grid = stream.grid;
    // Sums of some hundred terms in another order, and exponentials of the vector library.
    const auto near = [](double value) { return 1e-9 * (1.0 + std::abs(value)); };
    const auto forecast = mixture.forecast(output, stream.base);
    const double expected = slow.forecast(stream.base);
    ASSERT_NEAR(forecast.value, expected, near(expected));
    double by_memory = mixture.offset(output);
    for (std::size_t b = 0; b < grid.memories; ++b) {
        by_memory += mixture.part(output, b, std::span(stream.base).subspan(grid.cell(b, 0, 0), grid.memory_cells()));
    }
    ASSERT_NEAR(by_memory, expected, near(expected));
    for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
        const double value = slow.by_discount(d, stream.base);
        ASSERT_NEAR(forecast.by_discount[d], value, near(value));
    }
    std::vector<double> by_size(grid.sizes);
    mixture.by_size(output, stream.base, by_size);
    for (std::size_t s = 0; s < grid.sizes; ++s) {
        const double value = slow.by_size(s, stream.base);
        ASSERT_NEAR(by_size[s], value, near(value)) << "size " << s;
    }
    for (const auto& reading : slow.readings()) {
        const std::size_t cell = grid.cell(reading.memory, reading.shrinkage, reading.size);
        ASSERT_NEAR(mixture.squares(output, reading.speed, cell), reading.squares, near(reading.squares));
    }
}

void expect_same_weights(const Mixture& mixture, const SlowMixture& slow, const Grid& grid, const Mixes& mixes) {
    using Reading = SlowMixture::Reading;
    constexpr double kNear = 1e-9;  // as above
    for (std::size_t b = 0; b < grid.memories; ++b) {
        const double weight = slow.weight(true, [&](const Reading& one) { return one.memory == b; });
        ASSERT_NEAR(mixture.memory_weights()[b], weight, kNear) << "memory " << b;
        if (mixes[b] == 0) {
            ASSERT_EQ(mixture.memory_weights()[b], 0.0);
            continue;
        }
        std::vector<double> logs(grid.shrinkages);
        std::vector<double> of_shrinkage(grid.shrinkages);
        double mean = 0.0;
        for (std::size_t r = 0; r < grid.shrinkages; ++r) {
            logs[r] = std::log(kShrinkages[r]);
            of_shrinkage[r] =
                slow.weight(true, [&](const Reading& one) { return one.memory == b && one.shrinkage == r; });
            mean += of_shrinkage[r] * logs[r] / weight;
        }
        if (weight < 1e-13) {  // it says nothing
            mean = logs[grid.shrinkages > 1 ? 1 : 0];
        }
        if (weight < 1e-13 || weight > 1e-6) {  // a small weight divides
            ASSERT_NEAR(mixture.log_shrinkage(b, logs), mean, 1e-6) << "memory " << b;
        }
        ASSERT_GE(of_shrinkage[mixture.best_shrinkage(b)], *std::ranges::max_element(of_shrinkage) - kNear);
    }
    for (std::size_t r = 0; r < grid.shrinkages; ++r) {
        const double weight = slow.weight(false, [&](const Reading& one) { return one.shrinkage == r; });
        ASSERT_NEAR(mixture.shrinkage_weights()[r], weight, kNear) << "shrinkage " << r;
    }
    for (std::size_t g = 0; g < grid.speeds; ++g) {
        const double weight = slow.weight(false, [&](const Reading& one) { return one.speed == g; });
        ASSERT_NEAR(mixture.speed_weights()[g], weight, kNear) << "speed " << g;
    }
    for (std::size_t s = 0; s < grid.sizes; ++s) {
        const double weight = slow.weight(false, [&](const Reading& one) { return one.size == s; });
        ASSERT_NEAR(mixture.size_weights()[s], weight, kNear) << "size " << s;
    }
    for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
        ASSERT_NEAR(mixture.discount_weights()[d], slow.shares()[d], kNear) << "discount " << d;
    }
}

TEST(Mixture, IsThatOfItsEquationsWhicheverSizesAndMemoriesPredict) {
    const std::vector<Grid> grids = {{.memories = 3, .shrinkages = 4, .sizes = 5, .speeds = 4},
                                     {.memories = 2, .shrinkages = 1, .sizes = 17, .speeds = 1},
                                     {.memories = 4, .shrinkages = 2, .sizes = 2, .speeds = 4}};
    for (const Grid& grid : grids) {
        for (const bool one_memory_only : {false, true}) {
            Stream stream(7, grid);
            Mixture mixture(1, grid);
            SlowMixture slow(grid);
            Mixes mixes(grid.memories, 1);
            mixes.back() = 0;
            mixture.weigh(mixes, 1);
            slow.weigh(mixes, 1, kAll);
            for (std::size_t t = 0; t < 140; ++t) {
                SCOPED_TRACE(testing::Message() << "row " << t << ", " << grid.sizes << " sizes");
                stream.next();
                expect_same(mixture, slow, stream, 0);
                const double variance = t < 2 ? 0.0 : 1.3;
                mixture.score(0, stream.y, stream.base, mixture.forecast(0, stream.base), variance);
                slow.score(stream.y, stream.base, variance, mixes);
                mixes.back() = t >= 40 && t < 100 ? 1 : 0;
                const std::size_t sizes = 1 + ((t / 5) % grid.sizes);
                const std::size_t only = one_memory_only ? (t / 9) % (grid.memories - 1) : kAll;
                mixture.weigh(mixes, sizes, only);
                slow.weigh(mixes, sizes, only);
                expect_same_weights(mixture, slow, grid, mixes);
                if (HasFatalFailure()) {
                    return;
                }
            }
            EXPECT_EQ(mixture.rows(0), 140U);
        }
    }
}

// Sizes beyond the first 16 are copies for as long as they predict as the 16th.
TEST(Mixture, IsThatOfItsEquationsWhereTheLastSizesPredictAlikeForAWhile) {
    const Grid grid{.memories = 3, .shrinkages = 2, .sizes = 19, .speeds = 4};
    constexpr std::size_t kCopied = 16;
    constexpr std::size_t kAlike = 70;
    Stream stream(11, grid);
    Mixture mixture(1, grid);
    SlowMixture slow(grid);
    const Mixes mixes(grid.memories, 1);
    mixture.weigh(mixes, 1);
    slow.weigh(mixes, 1, kAll);
    for (std::size_t t = 0; t < 140; ++t) {
        SCOPED_TRACE(testing::Message() << "row " << t);
        stream.next();
        for (std::size_t row = 0; row < grid.cells() && t < kAlike; row += grid.stride()) {
            for (std::size_t s = kCopied; s < grid.sizes; ++s) {
                stream.base[row + s] = stream.base[row + kCopied - 1];
            }
        }
        expect_same(mixture, slow, stream, 0);
        mixture.score(0, stream.y, stream.base, mixture.forecast(0, stream.base), 1.3);
        slow.score(stream.y, stream.base, 1.3, mixes);
        const std::size_t sizes = 1 + ((t / 3) % grid.sizes);
        const std::size_t only = t % 4 == 0 ? 1 : kAll;
        if (t == 50 || t == 100) {  // a mixture that was saved and loaded continues alike
            core::StateWriter out;
            mixture.save(out);
            const auto bytes = std::move(out).unframed();
            auto in = core::StateReader::unframed(bytes);
            mixture = Mixture(1, grid);
            mixture.load(in);
        }
        mixture.weigh(mixes, sizes, only);
        slow.weigh(mixes, sizes, only);
        expect_same_weights(mixture, slow, grid, mixes);
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST(Mixture, TheBestCellAndTheLossAreThoseWithoutDriftAndWithTheMiddleDiscount) {
    const Grid grid{.memories = 3, .shrinkages = 2, .sizes = 4, .speeds = 4};
    Stream stream(8, grid);
    Mixture mixture(1, grid);
    SlowMixture slow(grid);
    const Mixes mixes(grid.memories, 1);
    const std::vector<double> variances = {1.3};
    for (std::size_t t = 0; t < 80; ++t) {
        stream.next();
        mixture.score(0, stream.y, stream.base, mixture.forecast(0, stream.base), 1.3);
        slow.score(stream.y, stream.base, 1.3, mixes);
        mixture.weigh(mixes, grid.sizes);
        slow.weigh(mixes, grid.sizes, kAll);
        for (std::size_t b = 0; b < grid.memories; ++b) {
            double least = std::numeric_limits<double>::max();
            std::size_t best = 0;
            for (const auto& reading : slow.readings()) {
                if (reading.memory == b && reading.speed == 0 && reading.loss[1] < least) {
                    least = reading.loss[1];
                    best = grid.cell(b, reading.shrinkage, reading.size);
                }
            }
            ASSERT_EQ(mixture.best_cell(0, b), best) << "row " << t;
            ASSERT_NEAR(mixture.loss(b, variances), least / slow.rows(1) / 1.3, 1e-9) << "row " << t;
        }
    }
}

// Seen: the weights of the readings that predict were relative to the best of all readings. With two names the error was 1e-20 and one
// name was in use: every weight was exp(-700) or less, their sum 0, and the forecast 0. Now it is that of the best in use.
TEST(Mixture, PredictsByWhatIsInUseWhereTheRestIsBetterBeyondAllMeasure) {
    const Grid grid{.memories = 2, .shrinkages = 2, .sizes = 3, .speeds = 4};
    Mixture mixture(1, grid);
    const Mixes mixes(grid.memories, 1);
    std::vector<double> base(grid.cells(), 0.0);
    std::mt19937_64 bits(3);
    std::normal_distribution<double> normal(50.0, 1.0);
    for (std::size_t t = 0; t < 300; ++t) {
        const double y = normal(bits);
        for (std::size_t r = 0; r < grid.shrinkages; ++r) {
            for (std::size_t s = 0; s < grid.sizes; ++s) {
                base[grid.cell(0, r, s)] = s == 2 ? y : 50.0;  // the first memory and the third size know all
                base[grid.cell(1, r, s)] = 50.0 + (0.01 * normal(bits));
            }
        }
        for (const std::size_t only : {kAll, std::size_t{1}}) {
            for (const std::size_t sizes : {1U, 2U}) {
                mixture.weigh(mixes, sizes, only);
                double sum = 0.0;
                for (const double weight : mixture.weights(0)) {
                    sum += weight;
                }
                ASSERT_NEAR(sum, 1.0, 1e-12) << "row " << t;
                ASSERT_NEAR(mixture.forecast(0, base).value, 50.0, 5.0) << "row " << t;
            }
        }
        mixture.score(0, y, base, mixture.forecast(0, base), 1.0);
    }
}

TEST(Mixture, OutputsDoNotKnowOfEachOther) {
    const Grid grid{.memories = 2, .shrinkages = 2, .sizes = 3, .speeds = 4};
    const Mixes mixes(grid.memories, 1);
    Stream first(1, grid);
    Stream second(2, grid);
    Mixture both(2, grid);
    Mixture alone(1, grid);
    for (std::size_t t = 0; t < 60; ++t) {
        first.next();
        second.next();
        ASSERT_EQ(both.forecast(0, first.base).value, alone.forecast(0, first.base).value);
        both.score(0, first.y, first.base, both.forecast(0, first.base), 1.0);
        if (t % 3 == 0) {  // the second is absent from most rows
            both.score(1, second.y, second.base, both.forecast(1, second.base), 1.0);
        }
        alone.score(0, first.y, first.base, alone.forecast(0, first.base), 1.0);
        both.weigh(mixes, 3);
        alone.weigh(mixes, 3);
    }
    EXPECT_EQ(both.rows(1), 20U);
}

TEST(Mixture, AnotherUnitThatIsAPowerOfTwoChangesNoWeight) {
    const Grid grid{.memories = 2, .shrinkages = 2, .sizes = 3, .speeds = 4};
    const Mixes mixes(grid.memories, 1);
    Stream stream(4, grid);
    Mixture plain(1, grid);
    Mixture changed(1, grid);
    double times = 1.0;
    for (std::size_t t = 0; t < 90; ++t) {
        stream.next();
        if (t == 30 || t == 60) {
            const double by = t == 30 ? 0x1p-70 : 0x1p20;
            changed.change_unit(0, by);
            times *= by;
            changed.weigh(mixes, 3);
        }
        std::vector<double> base = stream.base;
        for (double& value : base) {
            value *= times;
        }
        ASSERT_EQ(changed.forecast(0, base).value, times * plain.forecast(0, stream.base).value) << "row " << t;
        plain.score(0, stream.y, stream.base, plain.forecast(0, stream.base), 1.5);
        changed.score(0, times * stream.y, base, changed.forecast(0, base), 1.5 * times * times);
        plain.weigh(mixes, 3);
        changed.weigh(mixes, 3);
        ASSERT_TRUE(std::ranges::equal(changed.weights(0), plain.weights(0))) << "row " << t;
    }
}

TEST(Mixture, AMemoryThatBeginsStartsFromTheMeanLossThatItIsGiven) {
    const Grid grid{.memories = 2, .shrinkages = 1, .sizes = 2, .speeds = 1};
    Mixture mixture(1, grid);
    Mixes mixes = {1, 0};
    Stream stream(5, grid);
    const std::vector<double> variances = {2.0};
    double count = 0.0;
    for (std::size_t t = 0; t < 50; ++t) {
        stream.next();
        mixture.score(0, stream.y, stream.base, mixture.forecast(0, stream.base), 2.0);
        mixture.weigh(mixes, 2);
        count = (kDiscounts[1] * count) + 1.0;
    }
    constexpr std::size_t kRows = 12;
    mixture.start(1, 0.25, variances, kRows);
    // As if it had had that loss in all rows but the last twelve.
    EXPECT_NEAR(mixture.loss(1, variances), 0.25 * std::pow(kDiscounts[1], kRows), 1e-12);
    double sum = 0.25 * 2.0 * count * std::pow(kDiscounts[1], kRows);
    for (std::size_t t = 0; t < kRows; ++t) {  // the rows since then, learnt again
        stream.next();
        mixture.score_memory(0, stream.y, stream.base, 1, 2.0);
        double least = std::numeric_limits<double>::max();
        for (std::size_t s = 0; s < grid.sizes; ++s) {
            const double e = stream.y - stream.base[grid.cell(1, 0, s)];
            least = std::min(least, kTail * 2.0 * std::log1p(e * e / (kTail * 2.0)));
        }
        sum = (kDiscounts[1] * sum) + least;
    }
    EXPECT_LE(sum / count / 2.0, mixture.loss(1, variances) + 1e-12);  // one reading is not best in every row
    EXPECT_NEAR(sum / count / 2.0, mixture.loss(1, variances), 0.2);
}

TEST(Mixture, GoesOnBitForBitAfterItWasSaved) {
    const Grid grid{.memories = 3, .shrinkages = 2, .sizes = 4, .speeds = 4};
    const Mixes mixes = {1, 1, 0};
    Stream stream(6, grid);
    Mixture mixture(2, grid);
    for (std::size_t t = 0; t < 70; ++t) {
        stream.next();
        for (std::size_t k = 0; k < 2; ++k) {
            if (t % 4 != 1 || k == 0) {
                mixture.score(k, stream.y, stream.base, mixture.forecast(k, stream.base), t < 3 ? 0.0 : 1.0);
            }
        }
        mixture.weigh(mixes, 1 + (t % 4));
        core::StateWriter out;
        mixture.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        Mixture again(2, grid);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        again.weigh(mixes, 1 + (t % 4));
        for (std::size_t k = 0; k < 2; ++k) {
            ASSERT_EQ(again.forecast(k, stream.base).value, mixture.forecast(k, stream.base).value) << "row " << t;
            ASSERT_EQ(again.forecast(k, stream.base).by_discount, mixture.forecast(k, stream.base).by_discount);
            ASSERT_TRUE(std::ranges::equal(again.weights(k), mixture.weights(k)));
        }
        mixture = again;
    }
}

}  // namespace
}  // namespace sluice::tune::mixture_test
