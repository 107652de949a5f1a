// Seen: a fresh start on trial that was given up left its last readings behind. They were scored in later rows, and a model
// that was loaded, which has none, had other bytes after its next row. Now they are cleared.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::resume_test {
namespace {

// Inputs of this row and the one before. The relation turns after half of the rows.
struct Turning {
    std::vector<std::vector<double>> x;
    std::vector<std::vector<double>> y;
};

Turning turning_rows() {
    constexpr std::size_t kInputs = 8;
    const auto rounded = [](double value) { return std::round(value * 1e6) / 1e6; };
    Turning rows;
    std::vector<double> earlier(kInputs, std::nan(""));
    for (const std::uint64_t seed : {1U, 2U}) {
        FactorStream stream({.inputs = kInputs, .outputs = 2, .groups = 3, .drift = 0.05, .missing_share = 0.02}, seed);
        for (std::size_t t = 0; t < 80; ++t) {
            std::vector<double> x(kInputs);
            std::vector<double> y(2);
            stream.next(x, y);
            std::vector<double> stacked;
            for (std::size_t j = 0; j < kInputs; ++j) {
                x[j] = rounded(x[j]);
                stacked.push_back(x[j]);
                stacked.push_back(earlier[j]);
            }
            rows.x.push_back(std::move(stacked));
            rows.y.push_back({rounded(y[0]), rounded(y[1])});
            earlier = x;
        }
    }
    return rows;
}

TEST(Resume, AModelThatWasLoadedAfterAnyRowHasTheSameBytesAfterTheNext) {
    const Turning rows = turning_rows();
    AdaptiveModel whole(rows.x[0].size(), 2);
    for (std::size_t t = 0; t < rows.x.size(); ++t) {
        AdaptiveModel loaded = AdaptiveModel::load(whole.save());
        (void)whole.learn(rows.x[t], rows.y[t]);
        (void)loaded.learn(rows.x[t], rows.y[t]);
        ASSERT_EQ(loaded.save() == whole.save(), true) << "row " << t;
    }
}

}  // namespace
}  // namespace sluice::resume_test
