// The on-line model without forgetting and the off-line fit on the same rows find the same variables.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sluice/fit.hpp"
#include "sluice/model.hpp"
#include "sluice/simulate.hpp"

namespace sluice::agreement_slow_test {
namespace {

TEST(Agreement, WithoutForgettingOnLineAndOffLineSelectTheSameVariables) {
    constexpr std::size_t kSeeds = 500;
    constexpr std::size_t kRows = 100;
    auto options = StreamOptions::paper();
    options.forgetting = 1.0;
    std::array<double, 2> overlap{};
    for (std::size_t seed = 0; seed < kSeeds; ++seed) {
        PaperStream stream(PaperStream::Kind::constant, seed);
        StreamModel model(PaperStream::inputs, 1, options);
        std::vector<double> x;
        std::vector<double> y;
        for (std::size_t t = 0; t < kRows; ++t) {
            const auto row = stream.next();
            x.insert(x.end(), row.x.begin(), row.x.end());
            y.push_back(row.y);
            model.learn(row.x, {&row.y, 1});
        }
        const Fit whole = fit(Method::sparse_bridge, {x, PaperStream::inputs}, {y, 1}, options);
        for (std::size_t r = 0; r < 2; ++r) {
            std::vector<std::size_t> both;
            std::ranges::set_intersection(model.selected(r), whole.selected[r], std::back_inserter(both));
            overlap.at(r) += static_cast<double>(both.size()) / 20.0 / kSeeds;
        }
    }
    std::printf("overlap of component 1: %.4f, of component 2: %.4f\n", overlap[0], overlap[1]);
    EXPECT_GE(overlap[0], 0.97);
    EXPECT_GE(overlap[1], 0.97);
}

}  // namespace
}  // namespace sluice::agreement_slow_test
