#include "experiments/common/plan.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sluice::experiments::plan_test {
namespace {

TEST(Plan, EveryRunIsDoneOnceWithItsOwnSeedWhateverTheThreads) {
    for (const std::size_t threads : {1U, 3U, 50U}) {
        std::vector<std::uint64_t> seeds(20, 0);
        std::size_t told = 0;
        Plan plan{.runs = 20, .seed = 5, .threads = threads};
        plan.on_progress = [&](std::size_t rows) {
            told += rows;
            return true;
        };
        each_run(plan, 7, [&](std::size_t run, std::uint64_t seed) { seeds[run] += seed; });
        for (std::size_t run = 0; run < seeds.size(); ++run) {
            EXPECT_EQ(seeds[run], seed_of_run(5, run));
        }
        EXPECT_EQ(told, 20U * 7U) << threads << " threads";
    }
}

TEST(Plan, SeedsOfNeighbouringPlansDoNotMeet) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (std::size_t run = 0; run < 500; ++run) {
            seen.insert(seed_of_run(seed, run));
        }
    }
    EXPECT_EQ(seen.size(), 20U * 500U);
}

TEST(Plan, StopsWhenTheCallerAsksForIt) {
    for (const std::size_t threads : {1U, 3U}) {
        std::vector<int> done(1000, 0);
        Plan plan{.runs = 1000, .threads = threads, .on_progress = [](std::size_t) { return false; }};
        const auto one = [&](std::size_t run, std::uint64_t) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            done[run] = 1;
        };
        EXPECT_THROW(each_run(plan, 1, one), Stopped);
        EXPECT_EQ(done.back(), 0);
    }
}

TEST(Plan, TroubleInARunReachesTheCaller) {
    const Plan plan{.runs = 50, .threads = 3};
    EXPECT_THROW(each_run(plan, 1,
                          [](std::size_t run, std::uint64_t) {
                              if (run == 13) {
                                  throw std::runtime_error("run 13");
                              }
                          }),
                 std::runtime_error);
}

}  // namespace
}  // namespace sluice::experiments::plan_test
