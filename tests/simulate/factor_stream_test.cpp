#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sluice/simulate.hpp"

namespace sluice::factor_stream_test {
namespace {

std::vector<double> outputs_of(const FactorOptions& options, std::size_t rows) {
    FactorStream stream(options, 5);
    std::vector<double> x(options.inputs);
    std::vector<double> all;
    for (std::size_t t = 0; t < rows; ++t) {
        double y = 0.0;
        stream.next(x, {&y, 1});
        all.push_back(y);
    }
    return all;
}

TEST(FactorStream, ABreakChangesNothingBeforeItAndTheRelationAfterIt) {
    FactorOptions options{.inputs = 12, .outputs = 1, .groups = 3};
    const auto never = outputs_of(options, 40);
    options.break_every = 20;
    const auto breaks = outputs_of(options, 40);
    EXPECT_TRUE(std::equal(never.begin(), never.begin() + 20, breaks.begin()));
    EXPECT_NE(never[20], breaks[20]);
    options.break_every = 40;
    EXPECT_EQ(outputs_of(options, 40), never) << "the first break is before row 41";
}

}  // namespace
}  // namespace sluice::factor_stream_test
