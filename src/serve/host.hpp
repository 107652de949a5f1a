// host.hpp -- what the service has under a name: a model that learns from rows sent to it (model_host.hpp), or a stream that
// another program runs and that is only shown (watched_stream.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "batch.hpp"
#include "event_hub.hpp"
#include "histories.hpp"
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

/// Every function may be called from any thread, and none waits for the model.
class Host {
  public:
    Host() = default;
    virtual ~Host() = default;
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    Host(Host&&) = delete;
    Host& operator=(Host&&) = delete;

    [[nodiscard]] virtual const std::string& name() const noexcept = 0;
    [[nodiscard]] virtual const std::string& spec() const noexcept = 0;  ///< JSON

    /// Learns the rows. Answers by `respond`; at once where they cannot be taken.
    virtual void post_rows(Batch batch, Respond respond) = 0;
    enum class View : std::uint8_t { coefficients, whole_history, latest_history, model_file };
    virtual void get(View view, Respond respond) = 0;
    [[nodiscard]] virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
    /// The first thing that it has is the state.
    [[nodiscard]] virtual std::shared_ptr<Subscription> subscribe(report::Span span) = 0;

    /// Whether there is a snapshot of it.
    [[nodiscard]] virtual bool ready() const = 0;
    /// Where it could not be opened, or does not go on: why.
    [[nodiscard]] virtual std::string problem() const = 0;
    [[nodiscard]] virtual std::size_t waiting() const { return 0; }  ///< requests
    [[nodiscard]] virtual std::uint64_t failed_checkpoints() const noexcept { return 0; }
    [[nodiscard]] const LatencyCounts& latency() const noexcept { return latency_; }

    /// Its files are removed afterwards: no last checkpoint is written.
    virtual void abandon() = 0;

  protected:
    LatencyCounts latency_;
};

}  // namespace sluice::serve
