#include "workers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::core::workers_test {
namespace {

TEST(Workers, DoEveryPieceOnceInAscendingRangesLoopAfterLoop) {
    for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
        Workers workers(threads);
        for (std::size_t loop = 0; loop < 3000; ++loop) {
            const std::size_t pieces = loop % 11;
            std::vector<std::atomic<int>> done(pieces);
            std::vector<std::size_t> from(threads, pieces);
            workers.share(pieces, [&](std::size_t worker, std::size_t first, std::size_t last) {
                from[worker] = first;
                for (std::size_t piece = first; piece < last; ++piece) {
                    ++done[piece];
                }
            });
            for (std::size_t piece = 0; piece < pieces; ++piece) {
                ASSERT_EQ(done[piece], 1) << threads << " threads, loop " << loop << ", piece " << piece;
            }
            ASSERT_TRUE(std::ranges::is_sorted(from));
        }
    }
}

// Columns in single precision are longer than the inputs, by less than a group of 32.
TEST(Workers, AnInputHasTheSameThreadInLoopsOverInputsAndOverLongerColumns) {
    Workers workers(3);
    for (const std::size_t inputs : {600U, 1024U, 1025U, 5000U, 20000U}) {
        const std::size_t length = (inputs + 31) / 32 * 32;
        std::vector<std::size_t> of_inputs(inputs);
        std::vector<std::size_t> of_columns(inputs);
        auto note = [&](std::size_t pieces, std::vector<std::size_t>& who) {
            workers.share(pieces, [&](std::size_t worker, std::size_t from, std::size_t to) {
                std::fill(who.begin() + static_cast<std::ptrdiff_t>(std::min(from * kPiece, inputs)),
                          who.begin() + static_cast<std::ptrdiff_t>(std::min(to * kPiece, inputs)), worker);
            });
        };
        note(pieces_of(inputs), of_inputs);
        note(pieces_of(length), of_columns);
        EXPECT_EQ(of_inputs, of_columns) << inputs << " inputs";
        EXPECT_GT(of_inputs.back(), of_inputs.front()) << inputs << " inputs";
    }
}

TEST(Workers, ServeALoopAfterTheyHaveGoneToSleep) {
    Workers workers(3);
    std::atomic<int> sum = 0;
    for (int loop = 0; loop < 5; ++loop) {
        workers.share(6, [&](std::size_t, std::size_t first, std::size_t last) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the caller waits long enough to sleep too
            sum += static_cast<int>(last - first);
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the look for work has ended
    }
    EXPECT_EQ(sum, 30);
}

TEST(Workers, CopiesAndMovedToObjectsHaveThreadsOfTheirOwn) {
    Workers workers(2);
    std::atomic<int> sum = 0;
    auto count = [&](std::size_t, std::size_t first, std::size_t last) { sum += static_cast<int>(last - first); };
    workers.share(4, count);
    Workers copy(workers);
    copy.share(4, count);
    workers.share(4, count);
    Workers moved(std::move(workers));
    moved.share(4, count);
    EXPECT_EQ(sum, 16);
}

}  // namespace
}  // namespace sluice::core::workers_test
