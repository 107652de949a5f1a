// workers.cpp -- a few threads that share the pieces of one loop.
#include "workers.hpp"

namespace sluice::core {

// The caller is worker 0. `round` increases when there is work for the others; `busy` is 0 again when they are done.
struct Workers::Team {
    std::atomic<std::size_t> round{0};
    std::atomic<std::size_t> busy{0};
    std::atomic<bool> leave{false};
    std::size_t pieces = 0;
    void* context = nullptr;
    Call call = nullptr;
    std::vector<std::thread> threads;

    void work(std::size_t worker, std::size_t workers) const {
        call(context, worker, pieces * worker / workers, pieces * (worker + 1) / workers);
    }

    void serve(std::size_t worker, std::size_t workers) {
        for (std::size_t seen = 0;;) {
            round.wait(seen, std::memory_order_acquire);
            seen = round.load(std::memory_order_acquire);
            if (leave.load(std::memory_order_acquire)) {
                return;
            }
            work(worker, workers);
            if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                busy.notify_one();
            }
        }
    }
};

void Workers::run(std::size_t pieces, void* context, Call call) {
    if (!team_) {
        team_ = {new Team, [](Team* team) { delete team; }};
        for (std::size_t w = 1; w < count_; ++w) {
            team_->threads.emplace_back([team = team_.get(), w, workers = count_] { team->serve(w, workers); });
        }
    }
    Team& team = *team_;
    team.pieces = pieces;
    team.context = context;
    team.call = call;
    team.busy.store(count_ - 1, std::memory_order_release);
    team.round.fetch_add(1, std::memory_order_acq_rel);
    team.round.notify_all();
    team.work(0, count_);
    for (std::size_t left = team.busy.load(std::memory_order_acquire); left != 0;
         left = team.busy.load(std::memory_order_acquire)) {
        team.busy.wait(left, std::memory_order_acquire);
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
