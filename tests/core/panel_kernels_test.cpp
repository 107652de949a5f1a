// Rows are added one after the other, each as one multiplication and addition: the bits are those of a plain loop.
#include "panel_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "kernels.hpp"
#include "sluice/simulate.hpp"
#include "support/every_target.hpp"

namespace sluice::core::panel_kernels_test {
namespace {

// Rows since the turn of group I, where the turn of J has just come.
std::size_t rows_since(std::size_t I, std::size_t J, std::size_t groups) {
    return I < J ? J - I : J + groups - I;
}

template <typename Number>
void expect_turns_of_plain_loops(std::size_t groups, std::size_t group) {
    NormalSource normal(3);
    const auto fill = [&](Buffer<Number>& numbers) {
        for (Number& v : numbers.all()) {
            v = static_cast<Number>(normal.next());
        }
    };
    Buffer<Number> rows(groups * groups * group);
    Buffer<Number> blocks(groups * (groups + 1) / 2 * group * group);
    fill(rows);
    fill(blocks);
    const auto row = [&](std::size_t I, std::size_t place) { return rows.data() + (((I * groups) + place) * group); };
    for (std::size_t J = 0; J < groups; ++J) {
        std::vector<Number> expected(blocks.all().begin(), blocks.all().end());
        for (std::size_t I = 0; I < groups; ++I) {
            const std::size_t high = std::max(I, J);
            const std::size_t low = std::min(I, J);
            Number* block = expected.data() + kernels::block_place(high, low, group);
            for (std::size_t age = rows_since(I, J, groups); age-- > 0;) {
                const std::size_t place = (J + groups - age) % groups;
                for (std::size_t j = 0; j < group; ++j) {
                    for (std::size_t i = 0; i < group; ++i) {
                        Number& c = block[(j * group) + i];
                        c = std::fma(row(high, place)[i], row(low, place)[j], c);
                    }
                }
            }
        }
        const kernels::Panels<Number> panels{
            .rows = rows.data(), .groups = groups, .group = group, .turn = (J + 1) % groups};
        kernels::add_turn(panels, J, 0, groups / 2, blocks.data());
        kernels::add_turn(panels, J, groups / 2, groups, blocks.data());
        for (std::size_t c = 0; c < expected.size(); ++c) {
            ASSERT_EQ(blocks[c], expected[c]) << "entry " << c << " at the turn of " << J;
        }
    }
}

TEST(PanelKernels, ATurnAddsToEachBlockTheRowsSinceTheTurnOfItsOtherGroup) {
    test::on_every_target([](std::int64_t target) {
        if (target > HWY_AVX2) {
            return;  // older sets round the product, too
        }
        for (const std::size_t groups : {1U, 2U, 3U, 6U, 9U}) {
            for (const std::size_t group : {8U, 16U, 24U}) {
                SCOPED_TRACE(testing::Message() << groups << " groups of " << group);
                expect_turns_of_plain_loops<double>(groups, group);
            }
            for (const std::size_t group : {16U, 32U, 48U}) {
                SCOPED_TRACE(testing::Message() << groups << " groups of " << group << " in single precision");
                expect_turns_of_plain_loops<float>(groups, group);
            }
        }
    });
}

TEST(PanelKernels, TheBitsDependNeitherOnTheCallsNorOnTheSideOfTheDiagonal) {
    for (const std::size_t group : {8U, 16U, 24U, 40U}) {
        constexpr std::size_t kRows = 5;
        NormalSource normal(9);
        Buffer<double> at_i(kRows * group);
        Buffer<double> at_j(kRows * group);
        std::ranges::generate(at_i.all(), [&] { return normal.next(); });
        std::ranges::generate(at_j.all(), [&] { return normal.next(); });
        const auto rows = [&](const Buffer<double>& i, const Buffer<double>& j, std::size_t first, std::size_t older,
                              std::size_t newer) {
            const std::size_t from = first * group;
            const std::size_t between = (first + older) * group;
            return kernels::PanelRows<double>{.older = older,
                                              .older_i = i.data() + from,
                                              .older_j = j.data() + from,
                                              .newer = newer,
                                              .newer_i = i.data() + between,
                                              .newer_j = j.data() + between};
        };
        Buffer<double> once(group * group);
        kernels::add_to_block(rows(at_i, at_j, 0, 2, 3), group, once.data(), once.data());
        Buffer<double> one_by_one(group * group);
        for (std::size_t b = 0; b < kRows; ++b) {
            kernels::add_to_block(rows(at_i, at_j, b, b % 2, 1 - (b % 2)), group, one_by_one.data(), once.data());
        }
        Buffer<double> mirrored(group * group);
        kernels::add_to_block(rows(at_j, at_i, 0, 5, 0), group, mirrored.data(), once.data());
        for (std::size_t j = 0; j < group; ++j) {
            for (std::size_t i = 0; i < group; ++i) {
                const double sum = once[(j * group) + i];
                ASSERT_EQ(sum, one_by_one[(j * group) + i]);
                ASSERT_EQ(sum, mirrored[(i * group) + j]);
                double plain = 0.0;
                for (std::size_t b = 0; b < kRows; ++b) {
                    plain += at_i[(b * group) + i] * at_j[(b * group) + j];
                }
                ASSERT_NEAR(sum, plain, 1e-14 * 50);
            }
        }
    }
}

}  // namespace
}  // namespace sluice::core::panel_kernels_test
