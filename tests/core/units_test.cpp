// Units do not matter: under balance = trace, inputs and outputs may come in any scale.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/model.hpp"
#include "support/streams.hpp"

namespace sluice::units_test {
namespace {

std::vector<StreamOptions> faces() {
    auto paper = StreamOptions::paper();
    paper.keep = {4};
    auto uncentred = paper;
    uncentred.center = false;
    auto unscaled_refit = StreamOptions{};
    unscaled_refit.scale_inputs = false;
    unscaled_refit.scale_outputs = false;
    return {StreamOptions{}, paper, uncentred, unscaled_refit};
}

TEST(Units, AnyPowerOfTwoOnInputsOrOutputsChangesNoSelectedVariable) {
    const auto table = test::factor_table(51, 80, 14, 2);
    for (const StreamOptions& options : faces()) {
        for (const int x_power : {0, -400, -30, 1, 30, 490}) {
            for (const int y_power : {0, -400, -30, 1, 30, 490}) {
                StreamModel plain(14, 2, options);
                StreamModel scaled(14, 2, options);
                auto copy = table;
                for (double& v : copy.x) {
                    v = std::ldexp(v, x_power);
                }
                for (double& v : copy.y) {
                    v = std::ldexp(v, y_power);
                }
                for (std::size_t t = 0; t < table.rows(); ++t) {
                    const auto a = plain.learn(table.x_row(t), table.y_row(t));
                    const auto b = scaled.learn(copy.x_row(t), copy.y_row(t));
                    ASSERT_TRUE(std::ranges::equal(a.selected, b.selected))
                        << "row " << t << " 2^" << x_power << " 2^" << y_power;
                    for (std::size_t r = 0; r < plain.components(); ++r) {  // to the bit
                        ASSERT_TRUE(std::ranges::equal(plain.weights(r), scaled.weights(r)));
                    }
                    for (std::size_t k = 0; k < 2; ++k) {
                        ASSERT_EQ(std::ldexp(a.predicted[k], y_power), b.predicted[k]);
                    }
                }
            }
        }
    }
}

TEST(Units, WithScalingEachColumnMayHaveItsOwnUnit) {
    const auto table = test::factor_table(52, 80, 14, 2);
    auto copy = table;
    for (std::size_t t = 0; t < copy.rows(); ++t) {
        for (std::size_t j = 0; j < copy.p; ++j) {
            copy.x_row(t)[j] *= std::pow(10.0, static_cast<double>(j) * 20.0 - 140.0);
        }
        copy.y_row(t)[1] *= 1e150;
    }
    StreamModel plain(14, 2);
    StreamModel scaled(14, 2);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto a = plain.learn(table.x_row(t), table.y_row(t));
        const auto b = scaled.learn(copy.x_row(t), copy.y_row(t));
        ASSERT_TRUE(std::ranges::equal(a.selected, b.selected)) << "row " << t;
        ASSERT_NEAR(a.predicted[0], b.predicted[0], 1e-9);
        ASSERT_NEAR(a.predicted[1], b.predicted[1] * 1e-150, 1e-9);
    }
}

TEST(Units, TheRawBalanceDoesDependOnThem) {
    // So that the test above is known to test something: the paper's literal H is not unit-free.
    const auto table = test::factor_table(53, 80, 14, 1);
    auto options = StreamOptions::paper();
    options.keep = {4};
    options.ridge = 0.01;
    options.balance = Balance::raw;
    StreamModel plain(14, 1, options);
    StreamModel scaled(14, 1, options);
    bool differs = false;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const double tiny = table.y_row(t)[0] * 0x1p-12;
        plain.learn(table.x_row(t), table.y_row(t));
        scaled.learn(table.x_row(t), {&tiny, 1});
        differs = differs || !std::ranges::equal(plain.selected(), scaled.selected());
    }
    EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace sluice::units_test
