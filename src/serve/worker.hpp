// worker.hpp -- a thread for what may wait: folders that are created, synced and removed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sluice::serve {

class Worker {
  public:
    Worker() : thread_([this] { run(); }) {}
    /// Does what waits.
    ~Worker() {
        {
            const std::scoped_lock lock(mutex_);
            ending_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    Worker(Worker&&) = delete;
    Worker& operator=(Worker&&) = delete;

    /// False where too much waits already. `work` does not throw.
    [[nodiscard]] bool add(std::function<void()> work) {
        const std::scoped_lock lock(mutex_);
        if (waiting_.size() >= kMostWaiting) {
            return false;
        }
        waiting_.push_back(std::move(work));
        wake_.notify_one();
        return true;
    }

    static constexpr std::size_t kMostWaiting = 64;

  private:
    void run() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            if (waiting_.empty()) {
                return;
            }
            const std::function<void()> work = std::move(waiting_.front());
            waiting_.pop_front();
            lock.unlock();
            work();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> waiting_;
    bool ending_ = false;
    std::thread thread_;  // the last: it uses all of the above
};

}  // namespace sluice::serve
