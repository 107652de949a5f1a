// What is read of packed C does not depend on threads, nor on when a factor reaches each group.
#include "packed_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "buffer.hpp"
#include "sluice/simulate.hpp"
#include "workers.hpp"

namespace sluice::core::packed_matrix_test {
namespace {

constexpr std::size_t kInputs = 70;
constexpr std::size_t kGroup = 16;  // 5 groups, the last one not full

// A matrix that is multiplied, and one that is not: its later rows are larger instead. Powers of two change no digit.
template <typename Number>
class PackedMatrixScale : public testing::Test {
  protected:
    void learn() {
        Buffer<Number> row(ours_.length());
        std::generate_n(row.data(), kInputs, [&] { return static_cast<Number>(normal_.next()); });
        ours_.add_row(row.data(), alone_);
        for (Number& g : row.all()) {
            g /= root_;
        }
        plain_.add_row(row.data(), alone_);
    }
    void scale(Number root) {
        ours_.scale(static_cast<double>(root * root));
        root_ *= root;
    }
    void expect_equal() {
        Buffer<Number> read(ours_.length());
        Buffer<Number> expected(ours_.length());
        const std::vector<std::size_t> in_use = {0, 17, 33, 69};
        ASSERT_TRUE(ours_.take_current(in_use));
        for (std::size_t j = 0; j < kInputs; ++j) {
            ours_.read_column(j, read.data());
            plain_.read_column(j, expected.data());
            const bool current = std::ranges::count(in_use, j) > 0;
            for (std::size_t i = 0; i < kInputs; ++i) {
                ASSERT_EQ(read[i], expected[i] * root_ * root_) << i << ", " << j;
                ASSERT_EQ(ours_.stored(i, j), plain_.stored(i, j) * root_ * root_) << i << ", " << j;
                ASSERT_EQ(current ? ours_.current(j)[i] : read[i], read[i]) << i << ", " << j;
            }
        }
    }

    Workers alone_{1};
    NormalSource normal_{4};
    Number root_ = 1;
    PackedMatrix<Number> ours_{kInputs, kGroup, 6};
    PackedMatrix<Number> plain_{kInputs, kGroup, 6};
};

using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(PackedMatrixScale, Numbers);

TYPED_TEST(PackedMatrixScale, EveryNumberIsThatOfAMatrixInWhichNothingIsLate) {
    for (int row = 0; row < 40; ++row) {
        if (row == 12 || row == 21 || row == 23) {  // the third comes while groups still lack the second
            this->scale(TypeParam{0.125});
        }
        ASSERT_NO_FATAL_FAILURE(this->expect_equal()) << "before row " << row;
        this->learn();
        ASSERT_NO_FATAL_FAILURE(this->expect_equal()) << "after row " << row;
    }
}

TYPED_TEST(PackedMatrixScale, CompletingAddsTheFactorToo) {
    for (int row = 0; row < 9; ++row) {
        this->learn();
    }
    this->scale(TypeParam{0.25});
    this->learn();
    PackedMatrix<TypeParam> complete = this->ours_;
    complete.complete();
    Buffer<TypeParam> column(complete.length());
    for (std::size_t j = 0; j < kInputs; ++j) {
        this->ours_.read_column(j, column.data());
        for (std::size_t i = 0; i < kInputs; ++i) {
            ASSERT_EQ(complete.entry(i, j), column[i]) << i << ", " << j;
        }
    }
}

TYPED_TEST(PackedMatrixScale, AFactorOfZeroLeavesOnlyLaterRows) {
    for (int row = 0; row < 7; ++row) {
        this->learn();
    }
    this->ours_.scale(0.0);
    Buffer<TypeParam> row(this->ours_.length());
    std::fill_n(row.data(), kInputs, TypeParam{3});
    this->ours_.add_row(row.data(), this->alone_);
    Buffer<TypeParam> column(this->ours_.length());
    for (std::size_t j = 0; j < kInputs; ++j) {
        this->ours_.read_column(j, column.data());
        for (std::size_t i = 0; i < kInputs; ++i) {
            ASSERT_EQ(column[i], TypeParam{9}) << i << ", " << j;
        }
    }
}

TEST(PackedMatrix, EachColumnIsTheSameForAnyNumberOfThreads) {
    constexpr std::size_t kManyInputs = 1100;  // the last group is short
    for (const std::size_t threads : {2U, 3U, 64U}) {
        Workers workers(threads);
        PackedMatrix<float> C(kManyInputs, 16, 4);
        Buffer<float> row(C.length());
        Buffer<float> plain(C.length());
        Buffer<float> shared(C.length());
        NormalSource normal(6);
        for (int t = 0; t < 100; ++t) {
            std::ranges::generate(row.all().first(kManyInputs), [&] { return static_cast<float>(normal.next()); });
            C.add_row(row.data(), workers);
        }
        for (const std::size_t j : {0U, 15U, 16U, 500U, 1087U, 1088U, 1099U}) {
            C.read_column(j, plain.data());
            C.read_column(j, shared.data(), workers);
            ASSERT_TRUE(std::ranges::equal(plain.all(), shared.all())) << threads << " threads, input " << j;
        }
    }
}

}  // namespace
}  // namespace sluice::core::packed_matrix_test
