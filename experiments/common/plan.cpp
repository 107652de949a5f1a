#include "experiments/common/plan.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::experiments {

namespace {

// splitmix64 (Steele, Lea and Flood 2014): every bit of the result depends on every bit of the argument.
std::uint64_t stir(std::uint64_t bits) {
    bits += 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
}

}  // namespace

void report_progress(const Plan& plan, std::size_t rows) {
    if (plan.on_progress && !plan.on_progress(rows)) {
        throw Stopped();
    }
}

std::uint64_t seed_of_run(std::uint64_t seed, std::size_t run) {
    return stir(stir(seed) + run);
}

void each_run(const Plan& plan, std::size_t rows, const std::function<void(std::size_t, std::uint64_t)>& one) {
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> stop = false;
    std::mutex mutex;
    std::exception_ptr error;
    std::size_t reported = 0;
    const auto report = [&] {
        const std::size_t now = done;
        if (plan.on_progress && !plan.on_progress((now - reported) * rows)) {
            throw Stopped();
        }
        reported = now;
    };
    const auto work = [&](bool reports) {
        try {
            for (std::size_t run = next++; run < plan.runs && !stop; run = next++) {
                one(run, seed_of_run(plan.seed, run));
                ++done;
                if (reports) {
                    report();
                }
            }
        } catch (...) {
            const std::scoped_lock lock(mutex);
            error = error ? error : std::current_exception();
            stop = true;
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1; i < std::min(plan.threads, plan.runs); ++i) {
            helpers.emplace_back(work, false);
        }
        work(true);
    }
    if (error) {
        std::rethrow_exception(error);
    }
    report();
}

}  // namespace sluice::experiments
