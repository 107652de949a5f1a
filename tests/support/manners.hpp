// manners.hpp -- what every streaming model guarantees its user, whatever it computes.
//
// To test a model type, define a subject and instantiate the suite:
//     struct Mine { using Model = ...; static Model make(std::size_t inputs, std::size_t outputs); };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, Manners, Mine);
// Model needs predict(x), learn(x, y), learn_many(x, y), selected(), save() and load(bytes). A model that tunes itself by
// its own past errors, so that ties in the first rows have lasting effects, has `static constexpr bool chooses = true` and the
// number of bytes that its record of decisions may add to the state, `static constexpr std::size_t record`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "sluice/error.hpp"
#include "support/sanitized.hpp"
#include "support/streams.hpp"

namespace sluice::test {

template <typename Subject>
class Manners : public ::testing::Test {
  protected:
    using Model = typename Subject::Model;

    static constexpr std::size_t p = 12;
    static constexpr std::size_t q = 2;

    static Model taught(const Table& table, std::size_t rows) {
        Model model = Subject::make(p, q);
        for (std::size_t t = 0; t < rows; ++t) {
            model.learn(table.x_row(t), table.y_row(t));
        }
        return model;
    }

    const Table table = factor_table(7, 120, p, q);
};

TYPED_TEST_SUITE_P(Manners);

TYPED_TEST_P(Manners, PredictingChangesNothing) {
    const auto model = this->taught(this->table, 60);
    const auto before = model.save();
    for (std::size_t t = 0; t < this->table.rows(); ++t) {
        (void)model.predict(this->table.x_row(t));
    }
    EXPECT_EQ(model.save(), before);
}

TYPED_TEST_P(Manners, TheCallersRowIsNotAltered) {
    auto model = TypeParam::make(this->p, this->q);
    const Table copy = this->table;
    model.learn_many(this->table.all_x(), this->table.all_y());
    EXPECT_EQ(this->table.x, copy.x);
    EXPECT_EQ(this->table.y, copy.y);
}

TYPED_TEST_P(Manners, PredictingBeforeLearningIsDefined) {
    const auto model = TypeParam::make(this->p, this->q);
    EXPECT_EQ(model.predict(this->table.x_row(0)), std::vector<double>(this->q, 0.0));
    EXPECT_TRUE(model.selected().empty());
}

TYPED_TEST_P(Manners, LearningReportsTheSamePredictionAsPredict) {
    auto model = TypeParam::make(this->p, this->q);
    for (std::size_t t = 0; t < this->table.rows(); ++t) {
        const auto predicted = model.predict(this->table.x_row(t));
        const auto report = model.learn(this->table.x_row(t), this->table.y_row(t));
        ASSERT_TRUE(std::ranges::equal(report.predicted, predicted)) << "row " << t;
    }
}

TYPED_TEST_P(Manners, PermutingColumnsPermutesTheAnswer) {
    if constexpr (requires { TypeParam::chooses; }) {
        GTEST_SKIP() << "it chooses by its own past errors: see AdaptiveModel.PermutedColumnsGiveThePermutedAnswer";
    }
    std::vector<std::size_t> order(this->p);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, std::mt19937_64(3));
    Table permuted = this->table;
    for (std::size_t t = 0; t < permuted.rows(); ++t) {
        for (std::size_t j = 0; j < this->p; ++j) {
            permuted.x_row(t)[j] = this->table.x_row(t)[order[j]];
        }
    }
    // Two rows correlate all inputs alike, and such a tie goes to the lowest index, which permuting changes.
    constexpr std::size_t settled = 40;
    auto straight = TypeParam::make(this->p, this->q);
    auto shuffled = TypeParam::make(this->p, this->q);
    for (std::size_t t = 0; t < this->table.rows(); ++t) {
        const auto a = straight.learn(this->table.x_row(t), this->table.y_row(t));
        const auto b = shuffled.learn(permuted.x_row(t), permuted.y_row(t));
        if (t < settled) {
            continue;
        }
        for (std::size_t k = 0; k < this->q; ++k) {  // sums run in another order: equal to rounding
            ASSERT_NEAR(a.predicted[k], b.predicted[k], 1e-9) << "row " << t;
        }
        std::vector<std::size_t> back;
        for (const std::size_t j : b.selected) {
            back.push_back(order[j]);
        }
        std::ranges::sort(back);
        ASSERT_TRUE(std::ranges::equal(a.selected, back)) << "row " << t;
    }
}

TYPED_TEST_P(Manners, SameRowsGiveTheSameBits) {
    EXPECT_EQ(this->taught(this->table, 120).save(), this->taught(this->table, 120).save());
}

TYPED_TEST_P(Manners, ManyRowsEqualOneByOne) {
    auto model = TypeParam::make(this->p, this->q);
    model.learn_many(this->table.all_x(), this->table.all_y());
    EXPECT_EQ(model.save(), this->taught(this->table, this->table.rows()).save());
}

TYPED_TEST_P(Manners, StateDoesNotGrowWithRows) {
    const auto early = this->taught(this->table, 60).save().size();
    auto model = TypeParam::make(this->p, this->q);
    for (int round = 0; round < 50; ++round) {
        model.learn_many(this->table.all_x(), this->table.all_y());
    }
    std::size_t record = 1024;
    if constexpr (requires { TypeParam::record; }) {
        record += TypeParam::record;
    }
    EXPECT_LE(model.save().size(), early + record);
}

TYPED_TEST_P(Manners, ResumedAtAnyRowItContinuesAsIfNeverStopped) {
    auto model = TypeParam::make(this->p, this->q);
    const auto end = this->taught(this->table, this->table.rows()).save();
    for (std::size_t cut = 0; cut < this->table.rows(); ++cut) {
        auto resumed = TypeParam::Model::load(model.save());
        for (std::size_t t = cut; t < this->table.rows(); ++t) {
            resumed.learn(this->table.x_row(t), this->table.y_row(t));
        }
        ASSERT_EQ(resumed.save(), end) << "cut before row " << cut;
        model.learn(this->table.x_row(cut), this->table.y_row(cut));
    }
}

TYPED_TEST_P(Manners, ACopyIsIndependentOfTheOriginal) {
    const auto original = this->taught(this->table, 60);
    const auto before = original.save();
    auto copy = original;
    copy.learn(this->table.x_row(60), this->table.y_row(60));
    EXPECT_EQ(original.save(), before);
    EXPECT_EQ(copy.save(), this->taught(this->table, 61).save());
}

TYPED_TEST_P(Manners, DamagedStateIsRefused) {
    const auto good = this->taught(this->table, 20).save();
    ASSERT_NO_THROW((void)TypeParam::Model::load(good));
    // Behind the first fields every byte is refused by the same comparison, that of the checksum.
    constexpr std::size_t kFields = 64;
    constexpr std::size_t kStep = kSanitized ? 7 : 1;
    auto bad = good;
    for (std::size_t byte = 0; byte < good.size(); byte += byte < kFields ? 1 : kStep) {
        bad[byte] ^= std::byte{1} << (byte % 8);
        ASSERT_THROW((void)TypeParam::Model::load(bad), StateError) << "byte " << byte;
        bad[byte] = good[byte];
    }
    for (std::size_t length = 0; length < good.size(); length += 7 * kStep) {
        ASSERT_THROW((void)TypeParam::Model::load(std::span(good).first(length)), StateError) << "cut to " << length;
    }
}

TYPED_TEST_P(Manners, WrongWidthsAndInfinitiesAreRefusedAndChangeNothing) {
    auto model = this->taught(this->table, 20);
    const auto before = model.save();
    std::vector<double> x(this->p, 1.0);
    std::vector<double> y(this->q, 1.0);
    EXPECT_THROW(model.learn(std::span(x).first(this->p - 1), y), DataError);
    EXPECT_THROW(model.learn(x, std::span(y).first(this->q - 1)), DataError);
    x[3] = std::numeric_limits<double>::infinity();
    try {
        model.learn(x, y);
        FAIL() << "an infinity was accepted";
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "x[3] is inf: must be finite, or NaN where missing");
    }
    EXPECT_THROW((void)model.predict(x), DataError);
    x[3] = 1.0;
    y[1] = -std::numeric_limits<double>::infinity();
    EXPECT_THROW(model.learn(x, y), DataError);
    EXPECT_EQ(model.save(), before);
}

REGISTER_TYPED_TEST_SUITE_P(Manners, PredictingChangesNothing, TheCallersRowIsNotAltered,
                            PredictingBeforeLearningIsDefined, LearningReportsTheSamePredictionAsPredict,
                            PermutingColumnsPermutesTheAnswer, SameRowsGiveTheSameBits, ManyRowsEqualOneByOne,
                            StateDoesNotGrowWithRows, ResumedAtAnyRowItContinuesAsIfNeverStopped,
                            ACopyIsIndependentOfTheOriginal, DamagedStateIsRefused,
                            WrongWidthsAndInfinitiesAreRefusedAndChangeNothing);

}  // namespace sluice::test
