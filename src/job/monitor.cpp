#include "monitor.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace sluice::job {

Monitor::Monitor(const Settings& settings, io::Disk& disk, const MessageHandler& message, const MetricsSource& source)
    : source_(source) {
    if (!settings.on_event.empty()) {
        command_ = std::make_unique<EventCommand>(command_words(settings.on_event), message);
        source_.command = command_.get();
    }
    if (!settings.metrics.empty()) {
        metrics_ = std::make_unique<MetricsFile>(disk, settings.metrics, message);
        source_.started = unix_seconds();
        source_.last_row = source_.started;
        metrics_->write(source_);
    }
}

Monitor::~Monitor() {
    try {
        finish();
    } catch (const std::exception&) {  // for lack of memory: there is nobody left to tell
        return;
    }
}

void Monitor::add(const Event& event) {
    if (command_) {
        command_->add(event);
    }
}

void Monitor::after_row() {
    if (metrics_) {
        source_.last_row = unix_seconds();
    }
    tick();
}

void Monitor::after_checkpoint() {
    if (metrics_) {
        source_.checkpoint = unix_seconds();
    }
}

void Monitor::tick() {
    if (command_) {
        command_->poll();
    }
    if (metrics_ && metrics_->due(MetricsFile::Clock::now())) {
        metrics_->write(source_);
    }
}

void Monitor::finish() {
    constexpr std::chrono::milliseconds kLongestWait{5000};
    if (!std::exchange(source_.running, false)) {
        return;
    }
    if (command_) {
        command_->finish(kLongestWait);
    }
    if (metrics_) {
        metrics_->write(source_);
    }
}

}  // namespace sluice::job
