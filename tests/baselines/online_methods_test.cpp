// Every row of a stream, predicted before it is learnt, against scikit-learn and numpy on all rows before it
// (online_methods_reference.txt, redone by make_online_methods_reference.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "dynamic_averaging.hpp"
#include "moment_ridge.hpp"
#include "online_lars.hpp"
#include "online_lasso.hpp"

namespace sluice::baselines {
namespace {

std::vector<double> numbers_in(std::istream& in) {
    std::string line;
    std::getline(in, line);
    std::istringstream words(line);
    std::vector<double> numbers;
    for (double number = 0.0; words >> number;) {
        numbers.push_back(number);
    }
    return numbers;
}

class OnlineMethodsReference : public ::testing::Test {
  protected:
    void SetUp() override {
        std::ifstream in(SLUICE_SOURCE_DIR "/tests/baselines/online_methods_reference.txt");
        std::string line;
        std::getline(in, line);
        std::string word;
        in >> word >> rows >> p >> q;
        std::getline(in, line);
        ASSERT_EQ(word, "rows");
        for (std::size_t t = 0; t < rows; ++t) {
            data.push_back(numbers_in(in));
            ASSERT_EQ(data.back().size(), p + q);
        }
        text << in.rdbuf();
    }
    [[nodiscard]] std::span<const double> x(std::size_t t) const { return std::span(data[t]).first(p); }
    [[nodiscard]] std::span<const double> y(std::size_t t) const { return std::span(data[t]).subspan(p); }

    // Calls check(t, expected) before each row that the reference has, and learns every row.
    template <typename Model, typename Check>
    void compare(const std::string& name, Model& model, double tolerance, Check check) {
        std::istringstream in(text.str());
        std::string line;
        std::size_t first = rows;
        while (first == rows && std::getline(in, line)) {
            std::istringstream words(line);
            std::string word;
            words >> word;
            if (word == name) {
                words >> first;
            }
        }
        ASSERT_LT(first, rows) << name << " is not in the reference";
        std::vector<double> predicted(q);
        for (std::size_t t = 0; t < rows; ++t) {
            if (t >= first) {
                const auto expected = numbers_in(in);
                ASSERT_GE(expected.size(), q);
                model.predict(x(t), predicted);
                for (std::size_t k = 0; k < q; ++k) {
                    EXPECT_NEAR(predicted[k], expected[k], tolerance) << name << ", row " << t << ", output " << k;
                }
                check(t, std::span(expected).subspan(q));
            }
            model.learn(x(t), y(t));
        }
    }

    std::size_t rows = 0;
    std::size_t p = 0;
    std::size_t q = 0;
    std::vector<std::vector<double>> data;
    std::stringstream text;
};

constexpr auto kNothingMore = [](std::size_t, std::span<const double>) {};
// Both sides solve systems of condition 1e3 at most, from sums of 60 products; outputs of size 10.
constexpr double kRounding = 1e-9;
// The descent stops where no coefficient moves by 1e-6 in standard units.
constexpr double kDescent = 1e-4;

TEST_F(OnlineMethodsReference, RidgeAgreesWithScikitLearn) {
    MomentRidge model(p, q, {.forgetting = 0.95, .shrinkage = 0.05});
    compare("ridge", model, kRounding, kNothingMore);
}

TEST_F(OnlineMethodsReference, LassoAgreesWithScikitLearnAndFollowsTheSamePenalties) {
    for (const bool refit : {false, true}) {
        OnlineLasso model(p, q, {.forgetting = 0.95, .names = 5, .refit = refit, .shrinkage = 1e-3});
        compare(refit ? "lasso_refit" : "lasso_plain", model, refit ? kRounding : kDescent,
                [&](std::size_t t, std::span<const double> penalties) {
                    for (std::size_t k = 0; k < q; ++k) {
                        EXPECT_NEAR(model.penalty(k), penalties[k], 1e-12) << "row " << t << ", output " << k;
                    }
                });
    }
}

TEST_F(OnlineMethodsReference, LarsAgreesWithScikitLearn) {
    OnlineLars model(p, q, {.forgetting = 0.95, .names = 5, .shrinkage = 1e-3});
    compare("lars", model, kRounding, kNothingMore);
}

TEST_F(OnlineMethodsReference, DynamicAveragingAgreesWithNumpy) {
    DynamicAveraging model(p, q,
                           {.forgetting = {0.9, 0.97, 1.0},
                            .model_forgetting = 0.95,
                            .variance_forgetting = 0.9,
                            .regularisation = 2.0,
                            .start_up = 10});
    compare("dma", model, kRounding, [&](std::size_t t, std::span<const double> probabilities) {
        for (std::size_t k = 0; k < q; ++k) {
            const auto found = model.probabilities(k);
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_NEAR(found[i], probabilities[(k * found.size()) + i], kRounding)
                    << "row " << t << ", output " << k;
            }
        }
    });
}

}  // namespace
}  // namespace sluice::baselines
