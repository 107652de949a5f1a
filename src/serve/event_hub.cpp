#include "event_hub.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::serve {

std::string event_text(const std::string& name, std::uint64_t id, const std::string& json) {
    return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, id, json);
}

Subscription::Subscription(std::shared_ptr<EventCounts> counts) : counts_(std::move(counts)) {
    ++counts_->clients;
}

Subscription::~Subscription() {
    --counts_->clients;
}

void Subscription::listen(std::function<void()> wake) {
    const std::scoped_lock lock(mutex_);
    wake_ = std::move(wake);
    woken_ = false;
    if (update_ || !events_.empty() || ended_) {
        notify();
    }
}

void Subscription::stop() {
    const std::scoped_lock lock(mutex_);
    wake_ = nullptr;
}

// With the lock held: `wake` only posts to the client's own thread.
void Subscription::notify() {
    if (wake_ && !woken_) {
        woken_ = true;
        wake_();
    }
}

void Subscription::put_update(const Text& update) {
    const std::scoped_lock lock(mutex_);
    if (update_) {
        ++merged_;
        ++counts_->merged;
    }
    update_ = update;
    notify();
}

void Subscription::put_event(const Text& event) {
    const std::scoped_lock lock(mutex_);
    if (events_.size() >= kMostEvents) {
        ++dropped_;
        ++counts_->dropped;
    } else {
        events_.push_back(event);
    }
    notify();
}

void Subscription::end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    notify();
}

bool Subscription::take(std::string& out) {
    const std::scoped_lock lock(mutex_);
    woken_ = false;
    if (merged_ > 0 || dropped_ > 0) {
        out += fmt::format("event: lag\ndata: {{\"merged\":{},\"dropped\":{}}}\n\n", merged_, dropped_);
        merged_ = 0;
        dropped_ = 0;
    }
    for (const Text& event : events_) {
        out += *event;
    }
    events_.clear();
    if (update_) {
        out += *update_;
        update_.reset();
    }
    if (ended_) {
        out += "event: end\ndata: {}\n\n";
    }
    return !ended_;
}

EventHub::~EventHub() {
    end();
}

std::shared_ptr<Subscription> EventHub::subscribe() {
    auto client = std::make_shared<Subscription>(counts_);
    const std::scoped_lock lock(mutex_);
    std::erase_if(clients_, [](const std::weak_ptr<Subscription>& one) { return one.expired(); });
    clients_.push_back(client);
    if (ended_) {
        client->end();
    }
    return client;
}

template <typename Use>
void EventHub::each(const Use& use) {
    const std::scoped_lock lock(mutex_);
    for (const std::weak_ptr<Subscription>& one : clients_) {
        if (const auto client = one.lock()) {
            use(*client);
        }
    }
}

void EventHub::publish_update(std::string update) {
    const auto text = std::make_shared<const std::string>(std::move(update));
    each([&](Subscription& client) { client.put_update(text); });
}

void EventHub::publish_event(std::string event) {
    const auto text = std::make_shared<const std::string>(std::move(event));
    each([&](Subscription& client) { client.put_event(text); });
}

bool EventHub::has_clients() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(clients_, [](const std::weak_ptr<Subscription>& one) { return one.expired(); });
    return !clients_.empty();
}

void EventHub::end() {
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
    }
    each([](Subscription& client) { client.end(); });
}

}  // namespace sluice::serve
