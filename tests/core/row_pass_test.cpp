// The one pass over all inputs: its sums and candidates against plain loops over the moments that it leaves.
#include "row_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "moment_helpers.hpp"
#include "support/streams.hpp"
#include "working_units.hpp"

namespace sluice::core::row_pass_test {
namespace {

constexpr std::size_t p = 2700;  // six pieces, the last one short; enough for threads to share them
constexpr std::size_t q = 2;

struct Pass {
    explicit Pass(bool scale, std::size_t threads = 1)
        : moments(p, q, {.forgetting = 0.97, .scale_inputs = scale, .threads = threads}),
          units(q, {.scale_inputs = scale}),
          filter(1, q, p, threads) {
        const auto table = test::factor_table(3, 30, p, q);
        const std::vector<unsigned char> observed(q, 1);
        for (std::size_t t = 0; t + 1 < table.rows(); ++t) {
            add_row(moments, table.x_row(t), table.y_row(t), observed);
        }
        const Row row{.x = table.x_row(29), .y = table.y_row(29), .observed = observed};
        moments.forget();
        moments.adopt_units(row);
        moments.outputs.add(row.y, row.observed);
        units.set_outputs_of_next_row(moments);
        filter.g = {0.6 * units.output_units()[0], -0.8 * units.output_units()[1]};
        filter.least_square = {kLeast * kLeast};
        filter.bound_square = {kBound * kBound};
        sums = moments.inputs.add(row, moments.outputs.deviations(), units.for_pass(), &filter);
        units.set_inputs(moments, sums);
    }

    static constexpr double kLeast = 0.3;
    static constexpr double kBound = 0.01;
    Moments moments;
    WorkingUnits units;
    CandidateFilter filter;
    PassSums sums;
};

TEST(RowPass, SumsAreThoseOfTheMomentsInWorkingUnits) {
    for (const bool scale : {true, false}) {
        const Pass pass(scale);
        double trace = 0.0;
        double square = 0.0;
        for (std::size_t j = 0; j < p; ++j) {
            const double d = pass.units.input_unit(pass.moments, j);
            trace += d * d * pass.moments.inputs.square(j);
            for (std::size_t k = 0; k < q; ++k) {
                const double cross = d * pass.moments.inputs.cross(j, k) * pass.units.output_units()[k];
                square += cross * cross;
            }
        }
        EXPECT_EQ(pass.sums.varying, p);
        EXPECT_NEAR(pass.sums.input_trace, trace, 1e-10 * trace);
        EXPECT_NEAR(pass.sums.cross_square, square, 1e-10 * square);
        const PassSums again = pass.moments.inputs.sums(pass.units.for_pass());  // a pass that changes nothing
        EXPECT_EQ(again.input_trace, pass.sums.input_trace);
        EXPECT_EQ(again.cross_square, pass.sums.cross_square);
    }
}

// The bound on a sum is taken on squares, so that a few inputs just below the least weight are candidates too.
TEST(RowPass, CandidatesAreAllInputsThatMayReachTheLeastWeightAndFewOthers) {
    const Pass pass(true);
    std::vector<std::size_t> expected;
    for (std::size_t j = 0; j < p; ++j) {
        const double d = pass.units.input_unit(pass.moments, j);
        double weight = 0.0;
        for (std::size_t k = 0; k < q; ++k) {
            weight += d * pass.moments.inputs.cross(j, k) * pass.filter.g[k];
        }
        const double bound = Pass::kBound * std::sqrt(d * d * pass.moments.inputs.square(j));
        if (std::abs(weight) + bound >= Pass::kLeast) {
            expected.push_back(j);
        }
    }
    std::vector<std::size_t> found;
    pass.filter.candidates(0, found);
    EXPECT_TRUE(std::ranges::includes(found, expected));
    EXPECT_LT(found.size(), expected.size() + (expected.size() / 20));
    EXPECT_EQ(pass.filter.count(0), found.size());
    EXPECT_GT(expected.size(), 10U);
    EXPECT_LT(expected.size(), p / 2);
}

TEST(RowPass, TheNumberOfThreadsChangesNoBit) {
    const Pass one(true, 1);
    const Pass three(true, 3);
    EXPECT_EQ(one.sums.cross_square, three.sums.cross_square);
    std::vector<std::size_t> a;
    std::vector<std::size_t> b;
    one.filter.candidates(0, a);
    three.filter.candidates(0, b);
    EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace sluice::core::row_pass_test
