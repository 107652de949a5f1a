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

#include "cached_text.hpp"
#include "durable_model.hpp"
#include "followers.hpp"
#include "host.hpp"

namespace sluice::serve {

class ModelHost final : public Host {
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
    ~ModelHost() override;
    ModelHost(const ModelHost&) = delete;
    ModelHost& operator=(const ModelHost&) = delete;
    ModelHost(ModelHost&&) = delete;
    ModelHost& operator=(ModelHost&&) = delete;

    [[nodiscard]] const std::string& name() const noexcept override { return name_; }
    [[nodiscard]] const std::string& spec() const noexcept override { return spec_json_; }
    /// Answers from the model's thread; at once where the queue is full.
    void post_rows(Batch batch, Respond respond) override;
    /// Computed by the model's thread, and given to everyone who asks until it is computed again: readers cost the thread
    /// at most a tenth of its time.
    void get(View view, Respond respond) override;
    [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const override;
    [[nodiscard]] std::shared_ptr<Subscription> subscribe(report::Span span) override;
    [[nodiscard]] bool ready() const override;
    [[nodiscard]] std::string problem() const override;
    [[nodiscard]] std::size_t waiting() const override;
    [[nodiscard]] std::uint64_t failed_checkpoints() const noexcept override { return failed_checkpoints_.load(); }
    void abandon() override { abandoned_ = true; }

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
    [[nodiscard]] report::ReportText page_text() const;
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
    Followers followers_;
    std::array<CachedText, 4> computed_;  // by view
    std::uint64_t published_batches_ = 0;
    Clock::time_point published_;
    Clock::time_point snapshot_made_;
    Clock::time_point checkpointed_;
    Clock::duration checkpoint_pause_{};
    std::atomic<std::uint64_t> failed_checkpoints_{0};

    std::thread thread_;  // the last: it uses all of the above
};

}  // namespace sluice::serve
