#include "resident.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "workers.hpp"

namespace sluice::core::resident_test {
namespace {

using Inputs = std::vector<std::size_t>;

void admit_all(Resident& resident, const Inputs& inputs) {
    ASSERT_TRUE(resident.request(inputs));
    for (const std::size_t input : inputs) {
        if (!resident.has(input)) {
            resident.admit(input);
        }
    }
}

TEST(Resident, TheLeastRecentlyRequestedInputIsEvicted) {
    Resident resident(10, 3);
    admit_all(resident, {1});
    admit_all(resident, {2});
    admit_all(resident, {3});
    admit_all(resident, {1});
    admit_all(resident, {7});
    EXPECT_TRUE(resident.has(1));
    EXPECT_FALSE(resident.has(2));
    EXPECT_TRUE(resident.has(3));
    EXPECT_EQ(resident.input(resident.place(7)), 7U);
}

TEST(Resident, RowsUnusedAreThoseOfTheInputThatIsEvictedNext) {
    Resident resident(10, 2);
    admit_all(resident, {1});
    EXPECT_GT(resident.rows_unused(), 1000U) << "there is room";
    admit_all(resident, {2});
    EXPECT_EQ(resident.rows_unused(), 0U);
    resident.next_row();
    resident.next_row();
    admit_all(resident, {1});
    EXPECT_EQ(resident.rows_unused(), 2U);
    admit_all(resident, {3});
    EXPECT_EQ(resident.rows_unused(), 0U);
}

TEST(Resident, InputsOfOneRequestNeverEvictEachOther) {
    Resident resident(10, 3);
    admit_all(resident, {4, 5, 6});
    admit_all(resident, {6, 8, 9});
    for (const std::size_t input : {6U, 8U, 9U}) {
        EXPECT_TRUE(resident.has(input));
    }
    EXPECT_FALSE(resident.request(Inputs{0, 1, 2, 3}));
}

TEST(Resident, UnusedInputsAreReleasedAndTheirPlacesUsedAgain) {
    Resident resident(10, 5);
    admit_all(resident, {1, 2});
    for (int row = 0; row < 10; ++row) {
        resident.next_row();
        admit_all(resident, {2});
    }
    resident.release_unused(9);
    EXPECT_FALSE(resident.has(1));
    EXPECT_TRUE(resident.has(2));
    EXPECT_EQ(resident.count(), 2U);
    admit_all(resident, {3});
    EXPECT_EQ(resident.count(), 2U);
    EXPECT_EQ(resident.place(3), 0U);
}

TEST(Workers, EveryPieceIsWorkedOnOnceAndRangesAscend) {
    for (const std::size_t threads : {1U, 2U, 5U}) {
        Workers workers(threads);
        for (const std::size_t pieces : {0U, 1U, 2U, 7U, 1000U}) {
            for (int again = 0; again < 20; ++again) {
                std::vector<int> times(pieces, 0);
                std::array<std::size_t, 5> first{};
                workers.share(pieces, [&](std::size_t worker, std::size_t from, std::size_t to) {
                    first.at(worker) = from;
                    for (std::size_t i = from; i < to; ++i) {
                        ++times[i];
                    }
                });
                EXPECT_EQ(times, std::vector<int>(pieces, 1));
                EXPECT_TRUE(pieces < 2 || std::is_sorted(first.begin(), first.begin() + static_cast<long>(threads)));
            }
        }
        Workers copy = workers;
        EXPECT_EQ(copy.count(), threads);
    }
}

}  // namespace
}  // namespace sluice::core::resident_test
