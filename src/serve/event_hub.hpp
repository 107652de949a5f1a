// event_hub.hpp -- what happens to a model, for any number of clients that listen. Nobody who publishes ever waits.
//
// A client has a mailbox: the latest update, and at most kMostEvents events. An update that was not taken is replaced by
// the next one (merged); an event for which there is no room is dropped. The client gets their number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sluice::serve {

/// Counts of the whole service.
struct EventCounts {
    std::atomic<std::uint64_t> merged{0};   ///< updates that were replaced before they were taken
    std::atomic<std::uint64_t> dropped{0};  ///< events
    std::atomic<std::uint64_t> cut{0};      ///< clients that did not read what they were sent
    std::atomic<std::int64_t> clients{0};
};

/// A text in the form of server-sent events: "event: NAME\nid: ID\ndata: JSON\n\n".
[[nodiscard]] std::string event_text(const std::string& name, std::uint64_t id, const std::string& json);

class Subscription {
  public:
    explicit Subscription(std::shared_ptr<EventCounts> counts);
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    Subscription(Subscription&&) = delete;
    Subscription& operator=(Subscription&&) = delete;

    /// `wake` is called from any thread when there is something to take, once until the next take(). At once if there is
    /// something already.
    void listen(std::function<void()> wake);
    /// No call of `wake` happens after it has returned.
    void stop();
    /// Everything that waits, appended to `out`. False when the model is gone and nothing will follow.
    [[nodiscard]] bool take(std::string& out);

    // For the hub.
    using Text = std::shared_ptr<const std::string>;
    void put_update(const Text& update);
    void put_event(const Text& event);
    void end();

    static constexpr std::size_t kMostEvents = 64;

  private:
    void notify();

    std::shared_ptr<EventCounts> counts_;  // a client may outlive the models
    std::mutex mutex_;
    std::function<void()> wake_;
    bool woken_ = false;
    bool ended_ = false;
    Text update_;
    std::deque<Text> events_;
    std::uint64_t merged_ = 0;
    std::uint64_t dropped_ = 0;
};

class EventHub {
  public:
    explicit EventHub(std::shared_ptr<EventCounts> counts) : counts_(std::move(counts)) {}
    ~EventHub();
    EventHub(const EventHub&) = delete;
    EventHub& operator=(const EventHub&) = delete;
    EventHub(EventHub&&) = delete;
    EventHub& operator=(EventHub&&) = delete;

    [[nodiscard]] std::shared_ptr<Subscription> subscribe();
    void publish_update(std::string update);
    void publish_event(std::string event);
    [[nodiscard]] bool has_clients();
    void end();

  private:
    template <typename Use>
    void each(const Use& use);

    std::shared_ptr<EventCounts> counts_;
    std::mutex mutex_;
    bool ended_ = false;
    std::vector<std::weak_ptr<Subscription>> clients_;
};

}  // namespace sluice::serve
