// workers.cpp -- a few threads that share the pieces of one loop.
#include "workers.hpp"

#include <hwy/cache_control.h>

namespace sluice::core {

namespace {

// A row shares several loops, and waking a thread that sleeps takes longer than what lies between them: threads look for work
// this number of times before they sleep, some 100 microseconds, which is about one row.
constexpr int kLooks = 8000;

template <typename Ready>
bool look(const Ready& ready) {
    for (int l = 0; l < kLooks; ++l) {
        if (ready()) {
            return true;
        }
        hwy::Pause();
    }
    return false;
}

}  // namespace

// The caller is worker 0. `round` increases when there is work; `left` is 0 again when all of it is done. Each worker's
// part is claimed by whoever is there first: the caller does the part of a thread that is late.
struct Workers::Team {
    explicit Team(std::size_t workers) : claimed(workers) {}

    std::atomic<std::size_t> round{0};
    std::atomic<std::size_t> left{0};
    std::atomic<bool> leave{false};
    std::size_t pieces = 0;
    void* context = nullptr;
    Call call = nullptr;
    std::vector<std::atomic<std::size_t>> claimed;  // the round in which each part was last claimed
    std::vector<std::thread> threads;

    // Does the part of a worker in the given round, unless somebody else does.
    void work(std::size_t worker, std::size_t its_round) {
        std::size_t before = its_round - 1;
        if (!claimed[worker].compare_exchange_strong(before, its_round, std::memory_order_acq_rel)) {
            return;
        }
        const std::size_t workers = claimed.size();
        call(context, worker, pieces * worker / workers, pieces * (worker + 1) / workers);
        if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            left.notify_one();
        }
    }

    void serve(std::size_t worker) {
        for (std::size_t seen = 0;;) {
            if (!look([&] { return round.load(std::memory_order_acquire) != seen; })) {
                round.wait(seen, std::memory_order_acquire);
            }
            seen = round.load(std::memory_order_acquire);
            if (leave.load(std::memory_order_acquire)) {
                return;
            }
            work(worker, seen);
        }
    }
};

void Workers::run(std::size_t pieces, void* context, Call call) {
    if (!team_) {
        team_ = {new Team(count_), [](Team* team) { delete team; }};
        for (std::size_t w = 1; w < count_; ++w) {
            team_->threads.emplace_back([team = team_.get(), w] { team->serve(w); });
        }
    }
    Team& team = *team_;
    team.pieces = pieces;
    team.context = context;
    team.call = call;
    team.left.store(count_, std::memory_order_release);
    const std::size_t round = team.round.fetch_add(1, std::memory_order_acq_rel) + 1;
    team.round.notify_all();
    for (std::size_t worker = 0; worker < count_; ++worker) {
        team.work(worker, round);
    }
    if (!look([&] { return team.left.load(std::memory_order_acquire) == 0; })) {
        for (std::size_t left = team.left.load(std::memory_order_acquire); left != 0;
             left = team.left.load(std::memory_order_acquire)) {
            team.left.wait(left, std::memory_order_acquire);
        }
    }
}

void Workers::stop() noexcept {
    if (team_) {
        team_->leave.store(true, std::memory_order_release);
        team_->round.fetch_add(1, std::memory_order_acq_rel);
        team_->round.notify_all();
        for (std::thread& thread : team_->threads) {
            thread.join();
        }
        team_.reset();
    }
}

}  // namespace sluice::core
