// How large the saved state of a self-tuning model is: it limits how many of them a fleet can hold.
#include <gtest/gtest.h>

#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::state_size_test {
namespace {

// Inputs of normal numbers, whose mantissas no compression makes smaller: the hardest case.
struct Stream {
    NormalSource noise{3};
    std::vector<double> x;

    explicit Stream(std::size_t p) : x(p) {}
    double next() {
        for (double& value : x) {
            value = noise.next();
        }
        return (2.0 * x[1]) - x[7] + (0.5 * x[3]) + noise.next(0.0, 0.5);
    }
};

void teach(AdaptiveModel& model, Stream& stream, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
        const double y = stream.next();
        model.learn(stream.x, {&y, 1});
    }
}

void expect_sizes(std::size_t p, const std::vector<std::size_t>& rows, std::size_t most) {
    Stream stream(p);
    AdaptiveModel model(p, 1);
    for (const std::size_t next : rows) {
        teach(model, stream, next - model.rows_met());
        const auto state = model.save();
        EXPECT_LE(state.size(), most) << p << " inputs, " << next << " rows";
        AdaptiveModel again = AdaptiveModel::load(state);
        EXPECT_EQ(again.save(), state);
        for (int row = 0; row < 20; ++row) {
            const double y = stream.next();
            ASSERT_EQ(again.predict(stream.x), model.predict(stream.x));
            model.learn(stream.x, {&y, 1});
            again.learn(stream.x, {&y, 1});
        }
        EXPECT_EQ(again.save(), model.save());
    }
}

TEST(StateSize, With20InputsIsAtMost40kB) {
    expect_sizes(20, {50, 500, 3000}, 40000);
}
TEST(StateSize, With60InputsIsAtMost100kB) {
    expect_sizes(60, {50, 500, 2000}, 100000);
}
TEST(StateSize, With300InputsIsAtMost1500kB) {
    expect_sizes(300, {50, 304, 600}, 1500000);
}
TEST(StateSize, With1000InputsIsAtMost25MB) {
    expect_sizes(1000, {50, 400}, 25000000);
}

}  // namespace
}  // namespace sluice::state_size_test
