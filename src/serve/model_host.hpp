// model_host.hpp -- a model with the thread that owns it: requests come through a bounded queue, readers see snapshots.
//
// The thread takes all batches that wait, accepts them together (one sync), and answers. It writes a checkpoint when the log
// is large or old, and tells those who watch at most every kUpdateInterval.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "durable_model.hpp"
#include "event_hub.hpp"
#include "http_message.hpp"
#include "snapshot.hpp"

namespace sluice::serve {

/// How long requests take, in buckets, for Prometheus.
class LatencyCounts {
  public:
    static constexpr std::array<double, 12> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                       0.05,   0.1,   0.25,   0.5,   1.0,  5.0};
    void add(double seconds) noexcept;
    [[nodiscard]] std::uint64_t at_most(std::size_t bound) const noexcept;  ///< cumulated
    [[nodiscard]] std::uint64_t count() const noexcept;
    [[nodiscard]] double seconds() const noexcept { return static_cast<double>(nanoseconds_.load()) * 1e-9; }

  private:
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
    std::atomic<std::uint64_t> nanoseconds_{0};
};

class ModelHost {
  public:
    using Clock = std::chrono::steady_clock;
    struct Limits {
        std::size_t waiting = 256;                           ///< requests
        std::size_t waiting_bytes = std::size_t{64} << 20U;  ///< of their rows
        std::uint64_t log_bytes = std::uint64_t{64} << 20U;  ///< a checkpoint follows
        std::chrono::milliseconds checkpoint_age{30'000};    ///< likewise
        std::chrono::milliseconds update_interval{50};       ///< between two updates for those who watch
    };

    /// `folder` as in DurableModel. A new model is opened at once; what that throws is thrown. One that was there before is
    /// opened by the thread: a large log is replayed while others are served, and problem() says if that fails.
    enum class Opening : std::uint8_t { at_once, by_thread };
    ModelHost(std::string name, ModelSpec spec, io::Disk& disk, std::string folder, std::shared_ptr<EventCounts> counts,
              Limits limits, Opening opening);
    /// Answers what waits, writes a checkpoint, and ends the thread.
    ~ModelHost();
    ModelHost(const ModelHost&) = delete;
    ModelHost& operator=(const ModelHost&) = delete;
    ModelHost(ModelHost&&) = delete;
    ModelHost& operator=(ModelHost&&) = delete;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::string& spec() const noexcept { return spec_json_; }

    // All of these may be called from any thread, and none waits for the model.

    /// Learns the rows. Answers by `respond`, from the model's thread; at once where the queue is full.
    void post_rows(Batch batch, Respond respond);
    /// Computed by the model's thread, and given to everyone who asks until it is computed again: readers cost the thread
    /// at most a tenth of its time.
    enum class View : std::uint8_t { coefficients, history, model_file };
    void get(View view, Respond respond);
    [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
    /// The first thing that it has is the state.
    [[nodiscard]] std::shared_ptr<Subscription> subscribe();

    /// Whether the model was opened, so that there is a snapshot of it.
    [[nodiscard]] bool ready() const;
    /// Where the model could not be opened: why.
    [[nodiscard]] std::string problem() const;
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] const LatencyCounts& latency() const noexcept { return latency_; }
    [[nodiscard]] std::uint64_t failed_checkpoints() const noexcept { return failed_checkpoints_.load(); }

    /// The files of the model are removed afterwards: no last checkpoint is written.
    void abandon() { abandoned_ = true; }

  private:
    struct Task {
        std::optional<View> view;  // none: rows
        Batch batch;
        Respond respond;
        Clock::time_point came;
    };
    void enqueue(Task task);
    void run();
    void open();
    void serve_until_ended();
    void process(std::deque<Task>& tasks);
    void answer_rows(std::deque<Task>& tasks);
    [[nodiscard]] Response computed(View view);
    [[nodiscard]] std::string compute(View view) const;
    void publish_snapshot();
    void publish_update();
    void checkpoint_if_due();
    void refuse_all(const std::exception_ptr& why);
    [[nodiscard]] Clock::time_point next_deadline() const;

    std::string name_;
    ModelSpec spec_;  // until the model is opened
    std::string spec_json_;
    io::Disk& disk_;
    std::string folder_;
    Limits limits_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Task> tasks_;
    std::size_t waiting_bytes_ = 0;
    bool ending_ = false;
    bool ready_ = false;
    std::atomic<bool> abandoned_{false};
    std::string problem_;
    std::shared_ptr<const Snapshot> snapshot_;

    // Of the thread.
    std::optional<DurableModel> model_;
    std::exception_ptr broken_;  // the model has not learnt what its log has
    EventHub hub_;
    struct Computed {
        std::uint64_t batches = 0;
        Clock::time_point not_before;  // when it may be computed again
        std::string body;
    };
    std::array<std::optional<Computed>, 3> computed_;
    std::uint64_t published_batches_ = 0;
    Clock::time_point published_;
    Clock::time_point snapshot_made_;
    Clock::time_point checkpointed_;
    Clock::duration checkpoint_pause_{};
    std::atomic<std::uint64_t> failed_checkpoints_{0};
    LatencyCounts latency_;

    std::thread thread_;  // the last: it uses all of the above
};

}  // namespace sluice::serve
