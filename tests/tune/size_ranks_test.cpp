#include "size_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::tune::size_ranks_test {
namespace {

// The share of a history that keeps every size. A bin is a quarter of an octave: sizes closer than that may count as alike.
struct Shares {
    double least = 0.0;
    double most = 0.0;
};
Shares slow_shares(const std::deque<double>& sizes, double size) {
    double above = 0.0;
    double near = 0.0;
    for (const double other : sizes) {
        const bool alike = other == size || (other > 0.0 && size > 0.0 && std::abs(std::log2(other / size)) < 0.35);
        near += alike ? 1.0 : 0.0;
        above += !alike && other > size ? 1.0 : 0.0;
    }
    const double n = static_cast<double>(sizes.size()) + 1.0;
    return {.least = above / n, .most = (above + near + 1.0) / n};
}

TEST(SizeRanks, AreThoseOfAHistoryThatKeepsEverySize) {
    for (const double unit : {1.0, 1e-300, 1e-12, 1e300}) {
        SizeRanks ranks(50);
        std::deque<double> sizes;
        NormalSource normal(4);
        for (int row = 0; row < 400; ++row) {
            const double size = row % 7 == 0 ? 0.0 : unit * std::abs(normal.next());
            if (row > 0) {
                const Shares slow = slow_shares(sizes, size);
                const double share = ranks.share_above(size);
                ASSERT_GE(share, slow.least) << "row " << row;
                ASSERT_LE(share, slow.most) << "row " << row;
            }
            ranks.add(size);
            sizes.push_back(size);
            if (sizes.size() > 50) {
                sizes.pop_front();
            }
            ASSERT_EQ(ranks.count(), sizes.size());
        }
    }
}

TEST(SizeRanks, StayTrueWhenSizesGrowOrShrinkByAnyFactor) {
    for (const double factor : {1e20, 1e-20, 1e200, 1e-200}) {
        SizeRanks ranks(100);
        for (int row = 0; row < 100; ++row) {
            ranks.add(1.0 + (0.01 * row));
        }
        EXPECT_NEAR(ranks.share_above(factor), factor > 1.0 ? 0.0 : 1.0, 0.01);
        for (int row = 0; row < 200;
             ++row) {  // far smaller ones cannot be told apart until the larger ones are forgotten
            ranks.add(factor * ((row % 100) + 1.0));
        }
        // Half of those in the same quarter of an octave count.
        EXPECT_LT(ranks.share_above(100.0 * factor), 0.1);
        EXPECT_GT(ranks.share_above(0.8 * factor), 0.97);
        EXPECT_NEAR(ranks.share_above(50.0 * factor), 0.5, 0.06);
    }
}

TEST(SizeRanks, OfTheFirstSizeAreOneHalf) {
    const SizeRanks ranks(10);
    EXPECT_EQ(ranks.share_above(3.0), 0.5);
}

TEST(SizeRanks, GoOnAfterBeingSaved) {
    SizeRanks ranks(20);
    NormalSource normal(8);
    for (int row = 0; row < 60; ++row) {
        core::StateWriter out;
        ranks.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        SizeRanks again(20);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        const double size = std::exp(10.0 * normal.next());
        ASSERT_EQ(again.share_above(size), ranks.share_above(size));
        ranks.add(size);
        again.add(size);
        ASSERT_EQ(again.share_above(1.0), ranks.share_above(1.0));
    }
}

}  // namespace
}  // namespace sluice::tune::size_ranks_test
