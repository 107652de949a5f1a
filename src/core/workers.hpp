// workers.hpp -- a few threads that share the pieces of one loop.
//
// The pieces are divided by the number of threads, and no result depends on it. Threads look for work for some 100
// microseconds and then sleep; the part of a thread that is late is done by the caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace sluice::core {

/// Loops over all inputs are shared in pieces of this size. An input then has the same thread in each of them, and what is
/// kept of it stays in the caches of one core: a line that another core writes takes 5 to 20 nanoseconds to come back.
constexpr std::size_t kPiece = 512;
[[nodiscard]] constexpr std::size_t pieces_of(std::size_t inputs) {
    return (inputs + kPiece - 1) / kPiece;
}

/// With fewer inputs they are not shared at all. (Measured, two threads against one, shared from 513 inputs on: with refit 81
/// microseconds a row against 60 at 1,000 inputs, about the same time at 2,000.)
constexpr std::size_t kLeastSharedInputs = 2500;

class Workers {
  public:
    /// With 1, the caller's own thread does everything. Threads start with the first loop.
    explicit Workers(std::size_t threads) : count_(threads) {}
    Workers(const Workers& other) : count_(other.count_) {}  // a copy has threads of its own
    Workers& operator=(const Workers& other) {
        if (this != &other) {
            stop();
            count_ = other.count_;
        }
        return *this;
    }
    Workers(Workers&& other) noexcept : count_(other.count_) { other.stop(); }
    Workers& operator=(Workers&& other) noexcept {
        other.stop();
        return *this = other;
    }
    ~Workers() { stop(); }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Calls work(worker, first, last) for consecutive ranges that cover 0 .. pieces; ranges ascend with the worker.
    template <typename Work>
    void share(std::size_t pieces, Work&& work) {
        if (count_ <= 1 || pieces < 2) {
            work(std::size_t{0}, std::size_t{0}, pieces);
            return;
        }
        run(pieces, &work, [](void* context, std::size_t worker, std::size_t first, std::size_t last) {
            (*static_cast<std::remove_reference_t<Work>*>(context))(worker, first, last);
        });
    }

    /// The same for the pieces of all inputs.
    template <typename Work>
    void share_inputs(std::size_t inputs, Work&& work) {
        if (inputs < kLeastSharedInputs) {
            work(std::size_t{0}, std::size_t{0}, pieces_of(inputs));
        } else {
            share(pieces_of(inputs), work);
        }
    }

  private:
    using Call = void (*)(void* context, std::size_t worker, std::size_t first, std::size_t last);
    struct Team;

    void run(std::size_t pieces, void* context, Call call);
    void stop() noexcept;

    std::size_t count_;
    std::unique_ptr<Team, void (*)(Team*)> team_{nullptr, [](Team*) {}};
};

}  // namespace sluice::core
