// The history and the products that come from it, against sums over all rows.
#include "history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "resident.hpp"
#include "score_cache.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::core::history_test {
namespace {

constexpr std::size_t kInputs = 11;
constexpr std::size_t kCapacity = 24;

// Rows with weights of their own, and C as the plain sum over the rows that the history must still have.
class Histories : public testing::TestWithParam<bool> {
  protected:
    void add_row(History& history) {
        std::vector<double> h(kInputs);
        for (std::size_t j = 0; j < kInputs; ++j) {
            h[j] = static_cast<double>(static_cast<float>(normal_.next()));  // exact in single precision too
            history.recent().next()[j] = h[j];
        }
        const double weight = 1.0 + static_cast<double>(rows_.size() % 5);
        history.recent().push(weight);
        if (history.recent().full()) {
            history.archive();
        }
        rows_.push_back(h);
        weights_.push_back(weight);
    }
    [[nodiscard]] double plain_entry(const History& history, std::size_t i, std::size_t j) const {
        double sum = 0.0;
        for (std::size_t t = rows_.size() - history.length(); t < rows_.size(); ++t) {
            sum += weights_[t] * rows_[t][i] * rows_[t][j];
        }
        return sum;
    }
    [[nodiscard]] double plain_product(const History& history, std::size_t i, const std::vector<std::size_t>& support,
                                       const std::vector<double>& coefficient) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s) {
            sum += plain_entry(history, i, support[s]) * coefficient[s];
        }
        return sum;
    }

    NormalSource normal_{5};
    std::vector<std::vector<double>> rows_;
    std::vector<double> weights_;
};

// Sums of some 30 products of order 1, with weights of up to 5: rounding is below 1e-13.
constexpr double kRounding = 1e-12;

TEST_P(Histories, EveryEntryOfCIsADotProductOverTheRowsKept) {
    History history(kInputs, kCapacity, GetParam());
    Buffer<double> series(kCapacity + RowBuffer::kMost);
    for (std::size_t row = 0; row < 70; ++row) {
        add_row(history);
        ASSERT_EQ(history.length(), std::min<std::size_t>(row + 1, kCapacity + ((row + 1) % RowBuffer::kMost)));
        for (std::size_t j = 0; j < kInputs; ++j) {
            history.series(j, series.all());
            for (std::size_t i = 0; i < kInputs; ++i) {
                ASSERT_NEAR(history.dot(i, series.all()), plain_entry(history, i, j), kRounding) << "row " << row;
            }
        }
    }
}

TEST_P(Histories, TheScoreCacheGivesProductsWithCInEveryRow) {
    History history(kInputs, kCapacity, GetParam());
    Resident resident(kInputs, 4);
    ScoreCache cache(kCapacity + RowBuffer::kMost, 4);
    Workers workers(1);
    const std::vector<std::vector<std::size_t>> supports = {{1, 4, 9}, {0, 2}};
    const std::vector<std::vector<double>> coefficients = {{0.5, -1.0, 2.0}, {1.0, 0.25}};
    const std::vector<std::span<const std::size_t>> all_supports = {supports[0], supports[1]};
    const std::vector<std::span<const double>> all_coefficients = {coefficients[0], coefficients[1]};
    const std::vector<std::size_t> inputs = {0, 3, 4, 10};
    ASSERT_TRUE(resident.request(std::vector<std::size_t>{3, 10}));
    resident.admit(3);
    resident.admit(10);
    std::vector<double> A(4);
    std::vector<double> out(inputs.size());
    for (std::size_t row = 0; row < 70; ++row) {
        add_row(history);
        cache.row_added();
        if (row % 20 == 0) {  // between these the kept scores are brought up to date, once after several flushes
            cache.inner_products(history, all_supports, all_coefficients, A, workers);
            for (std::size_t r = 0; r < 2; ++r) {
                for (std::size_t s = 0; s < 2; ++s) {
                    double plain = 0.0;
                    for (std::size_t k = 0; k < supports[s].size(); ++k) {
                        plain +=
                            coefficients[s][k] * plain_product(history, supports[s][k], supports[r], coefficients[r]);
                    }
                    ASSERT_NEAR(A[(r * 2) + s], plain, 10.0 * kRounding) << "row " << row;
                }
            }
        }
        for (std::size_t r = 0; r < 2 && row % 20 < 12; ++r) {
            cache.multiply(history, resident,
                           {.support = supports[r], .coefficient = coefficients[r], .inputs = inputs}, out, workers);
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                ASSERT_NEAR(out[i], plain_product(history, inputs[i], supports[r], coefficients[r]), 10.0 * kRounding)
                    << "row " << row;
            }
        }
    }
    // The products kept for a place are those of its input.
    const std::size_t place = resident.place(3);
    ASSERT_TRUE(resident.request(std::vector<std::size_t>{0, 4, 5, 10}));
    for (const std::size_t input : {0U, 4U, 5U}) {
        cache.place_changed(resident.admit(input));
    }
    ASSERT_EQ(resident.place(5), place);
    const std::vector<std::size_t> five = {5};
    cache.multiply(history, resident, {.support = supports[1], .coefficient = coefficients[1], .inputs = five}, out,
                   workers);
    EXPECT_NEAR(out[0], plain_product(history, 5, supports[1], coefficients[1]), 10.0 * kRounding);
}

// Weights double from row to row, so that a least weight of 2^-n names the newest n + 1 rows; the ring has whole eights.
TEST_P(Histories, ProductsOverTheNewestRowsLackNoRowThatWeighsEnough) {
    History history(kInputs, kCapacity, GetParam());
    Resident resident(kInputs, 4);
    ScoreCache cache(kCapacity + RowBuffer::kMost, 4);
    Workers workers(1);
    ASSERT_TRUE(resident.request(std::vector<std::size_t>{3, 10}));
    resident.admit(3);
    resident.admit(10);
    const std::vector<std::size_t> support = {1, 4, 9};
    const std::vector<double> coefficient = {0.5, -1.0, 2.0};
    const std::vector<std::size_t> inputs = {0, 3, 4, 10};
    const std::vector<std::span<const std::size_t>> supports = {support};
    const std::vector<std::span<const double>> coefficients = {coefficient};
    std::vector<double> A(1);
    std::vector<double> out(inputs.size());
    for (std::size_t row = 0; row < 70; ++row) {
        for (std::size_t j = 0; j < kInputs; ++j) {
            history.recent().next()[j] = 1.0;
        }
        history.recent().push(std::ldexp(1.0, static_cast<int>(row)));
        if (history.recent().full()) {
            history.archive();
        }
        cache.row_added();
        for (const bool kept : {false, true}) {  // scores of their own, then those of the last inner products
            if (kept) {
                cache.inner_products(history, supports, coefficients, A, workers);
            }
            for (const int n : {40, 0, 7, 19}) {
                cache.multiply(history, resident,
                               {.support = support,
                                .coefficient = coefficient,
                                .inputs = inputs,
                                .least_weight = std::ldexp(1.0, -n)},
                               out, workers);
                const double newest = std::ldexp(1.0, static_cast<int>(row));
                const double all = 1.5 * (2.0 * newest);  // of rows without end
                const auto kept_rows = static_cast<int>(history.length());
                for (const double product : out) {
                    ASSERT_GE(product, all * (1.0 - std::ldexp(1.0, -std::min(n + 1, kept_rows))))
                        << "row " << row << ", least weight 2^-" << n;
                }
                // Input 0 has no place, so that nothing is kept for it from a request for more rows.
                ASSERT_LE(out[0], all * (1.0 - std::ldexp(1.0, -std::min(n + 8, kept_rows))))
                    << "row " << row << ", least weight 2^-" << n;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(DoubleAndSingle, Histories, testing::Bool());

TEST(History, OfMoreRowsThanItsCapacityIsRefused) {
    History longer(3, 32, false);
    for (std::size_t row = 0; row < 32; ++row) {
        longer.recent().push(1.0);
        if (longer.recent().full()) {
            longer.archive();
        }
    }
    StateWriter out;
    longer.save(out);
    const auto bytes = out.framed();
    StateReader in(bytes);
    History shorter(3, 16, false);
    try {
        shorter.load(in);
        FAIL() << "a history of 32 rows was loaded into one of 16";
    } catch (const StateError& error) {
        EXPECT_NE(std::string(error.what()).find("the history holds more rows than its capacity"), std::string::npos);
    }
}

}  // namespace
}  // namespace sluice::core::history_test
