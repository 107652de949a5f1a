// C in single precision: however rows come, each entry is as close to C as it says.
#include "single_gram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "history.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::core::single_gram_test {
namespace {

constexpr double kForgetting = 0.95;
const std::size_t kRows = History::rows_for(kForgetting);

// The same rows in long double, and what the moments would tell the gram of them.
class Sums {
  public:
    explicit Sums(std::size_t p) : p_(p), exact_(p * p, 0.0L), square_(padded(p)), h_(padded(p)) {}

    void learn(SingleGram& gram, Workers& workers) {
        weight_ /= kForgetting;
        for (std::size_t j = 0; j < p_; ++j) {
            h_[j] = size(j) * normal_.next();
        }
        h_[1] = h_[0];                               // equal columns
        h_[2] = 0.0;                                 // a constant one
        h_[3] = rows_ == 40 ? 1e12 * h_[3] : h_[3];  // one value far from all others
        gram.add_row(h_.data(), weight_, workers);
        for (std::size_t i = 0; i < p_; ++i) {
            for (std::size_t j = 0; j < p_; ++j) {
                exact_[(i * p_) + j] += static_cast<long double>(weight_) * static_cast<long double>(h_[i]) *
                                        static_cast<long double>(h_[j]);
            }
            square_[i] = static_cast<double>(exact_[(i * p_) + i]);
        }
        ++rows_;
        gram.keep_in_range(square_.all());
        if (weight_ > 0x1p64) {
            scale(gram, 0x1p-63);
        }
    }
    void scale(SingleGram& gram, double factor) {
        gram.scale(factor);
        weight_ *= factor;
        for (long double& one : exact_) {
            one *= static_cast<long double>(factor);
        }
    }
    void scale_input(SingleGram& gram, std::size_t j, double factor) {
        gram.scale_input(j, factor);
        for (std::size_t i = 0; i < p_; ++i) {
            exact_[(i * p_) + j] *= static_cast<long double>(factor);
            exact_[(j * p_) + i] *= static_cast<long double>(factor);
        }
        factor_[j] *= factor;
    }
    void set_sizes(double (*sizes)(std::size_t)) { size_ = sizes; }

    // The largest error as a share of the one that is allowed.
    double largest_error(SingleGram& gram, Workers& workers) {
        std::vector<std::size_t> all(p_);
        std::iota(all.begin(), all.end(), std::size_t{0});
        EXPECT_TRUE(gram.take(all, workers));
        long double most = 0.0L;
        for (std::size_t j = 0; j < p_; ++j) {
            for (std::size_t i = 0; i < p_; ++i) {
                const long double found = static_cast<long double>(gram.column(j)[i]) *
                                          static_cast<long double>(gram.inverse_units()[i]) *
                                          static_cast<long double>(gram.inverse_units()[j]);
                const long double allowed =
                    static_cast<long double>(gram.error()) * std::sqrt(exact_[(i * p_) + i] * exact_[(j * p_) + j]);
                const long double error = std::abs(found - exact_[(i * p_) + j]);
                most = std::max(most, allowed > 0.0L ? error / allowed : (error > 0.0L ? 1e9L : 0.0L));
            }
        }
        return static_cast<double>(most);
    }

  private:
    [[nodiscard]] double size(std::size_t j) const { return size_(j) * factor_[j]; }

    std::size_t p_;
    std::vector<long double> exact_;
    Buffer<double> square_;
    Buffer<double> h_;
    std::vector<double> factor_ = std::vector<double>(1000, 1.0);
    NormalSource normal_{5};
    double weight_ = 1.0;
    std::size_t rows_ = 0;
    double (*size_)(std::size_t) = [](std::size_t) { return 1.0; };
};

TEST(SingleGram, EveryEntryIsAsCloseAsItSaysWhateverTheSizesOfTheInputs) {
    constexpr std::size_t kInputs = 70;
    Workers workers(1);
    for (const bool large : {false, true}) {
        SingleGram gram(kInputs, kInputs, kRows);
        Sums sums(kInputs);
        double most = 0.0;
        for (int row = 0; row < 1500; ++row) {  // 0.95^1500 is below all that a float can hold
            if (row == 500) {                   // a third of the inputs nearly silent, and back, or much larger
                sums.set_sizes(large ? [](std::size_t j) { return j % 3 == 0 ? 1e9 : 1.0; }
                                     : [](std::size_t j) { return j % 3 == 0 ? 1e-30 : 1.0; });
            } else if (row == 1200) {
                sums.set_sizes([](std::size_t j) { return j % 2 == 0 ? 1e-8 : 1.0; });
            }
            if (row == 700) {
                sums.scale_input(gram, 4, 0x1p-40);
            }
            sums.learn(gram, workers);
            if (row % 37 == 0 || (row >= 40 && row < 44)) {
                most = std::max(most, sums.largest_error(gram, workers));
            }
        }
        EXPECT_LE(most, 1.0);
        EXPECT_GT(most, 1e-4);  // it is a bound of the errors that there are, not of others
    }
}

TEST(SingleGram, ASavedOneGoesOnBitForBit) {
    constexpr std::size_t kInputs = 45;
    Workers workers(1);
    SingleGram gram(kInputs, 8, kRows);
    Sums sums(kInputs);
    for (int row = 0; row < 50; ++row) {
        sums.learn(gram, workers);
    }
    StateWriter out;
    gram.save(out);
    const auto bytes = std::move(out).unframed();
    SingleGram loaded(kInputs, 8, kRows);
    auto in = StateReader::unframed(bytes);
    loaded.load(in);
    Sums same = sums;
    for (int row = 0; row < 70; ++row) {
        sums.learn(gram, workers);
        same.learn(loaded, workers);
    }
    const std::vector<std::size_t> some = {0, 3, 17, 44};
    ASSERT_TRUE(gram.take(some, workers) && loaded.take(some, workers));
    for (const std::size_t j : some) {
        EXPECT_TRUE(std::equal(gram.column(j), gram.column(j) + kInputs, loaded.column(j))) << j;
    }
}

TEST(SingleGram, AColumnForWhichThereIsNoRoomIsRefused) {
    Workers workers(1);
    SingleGram gram(40, 3, kRows);
    const std::vector<std::size_t> four = {0, 1, 2, 3};
    EXPECT_FALSE(gram.take(four, workers));
}

}  // namespace
}  // namespace sluice::core::single_gram_test
