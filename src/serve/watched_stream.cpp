#include "watched_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "records.hpp"
#include "request_error.hpp"

namespace sluice::serve {

namespace {

constexpr std::chrono::milliseconds kUpdateInterval{50};

// The histories as followers see them.
struct Live {
    report::Histories& histories;
    [[nodiscard]] const report::History& history(report::Span span) const { return histories.of(span); }
    [[nodiscard]] report::Mark mark(report::Span span) { return histories.mark(span); }
};

Snapshot snapshot_of(const report::History& history) {
    Snapshot out;
    out.rows = history.rows();
    out.learned = history.rows();
    out.targets = history.targets();
    out.names = history.last_uses().size();
    for (const report::Use& use : history.last_uses()) {
        out.selected.push_back(
            {.name = history.presence().variables()[use.variable].name, .contribution = use.weight, .gain = use.gain});
    }
    return out;
}

}  // namespace

WatchedStream::WatchedStream(Settings settings, const std::shared_ptr<EventCounts>& counts)
    : settings_(std::move(settings)),
      log_(settings_.warmup, true),
      followers_(counts),
      snapshot_(std::make_shared<Snapshot>()) {
    if (pipe2(stop_.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    }
    reader_ = std::thread([this] { read(); });
    publisher_ = std::thread([this] { publish_in_time(); });
}

WatchedStream::~WatchedStream() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    (void)!::write(stop_[1], "x", 1);
    reader_.join();
    publisher_.join();
    followers_.end();
    ::close(stop_[0]);
    ::close(stop_[1]);
}

void WatchedStream::read() {
    try {
        read_records();
    } catch (const std::exception& error) {
        const std::scoped_lock lock(mutex_);
        problem_ = error.what();
    }
}

void WatchedStream::read_records() {
    io::Records records(
        io::open_source(settings_.input, {.follow = settings_.input != "-", .stop_descriptor = stop_[0]}), {});
    for (io::Records::Record record; records.next(record);) {
        const std::scoped_lock lock(mutex_);
        if (ending_) {
            return;
        }
        log_.add(record.text);
        if (!changed_) {
            changed_ = true;
            wake_.notify_all();
        }
    }
}

void WatchedStream::publish_in_time() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        wake_.wait(lock, [this] { return ending_ || changed_; });
        if (!ending_) {
            publish();
            wake_.wait_for(lock, kUpdateInterval, [this] { return ending_; });
        }
    }
}

// With the lock held.
void WatchedStream::publish() {
    changed_ = false;
    report::Histories& histories = *log_.histories();
    auto next = std::make_shared<Snapshot>(snapshot_of(histories.of(report::Span::whole)));
    next->inputs = settings_.inputs;
    snapshot_ = std::move(next);
    Live live{histories};
    followers_.publish_update(snapshot_->rows, update_members(*snapshot_), live, page_text());
}

report::ReportText WatchedStream::page_text() const {
    return {.title = {}, .source = settings_.title, .inputs = settings_.inputs};
}

void WatchedStream::post_rows(Batch /*batch*/, Respond respond) {
    respond(error_response(RequestError(
        409, "read_only", fmt::format("{} is a stream that another program runs: it takes no rows", settings_.name))));
}

void WatchedStream::get(View view, Respond respond) {
    if (view != View::whole_history && view != View::latest_history) {
        respond(error_response(RequestError(
            409, "read_only",
            fmt::format("{} is a stream that another program runs: that program has its model", settings_.name))));
        return;
    }
    std::string body;
    {
        const std::scoped_lock lock(mutex_);
        if (report::Histories* histories = log_.histories()) {
            const auto span = view == View::whole_history ? report::Span::whole : report::Span::latest;
            const report::History& history = histories->of(span);
            body = histories_[static_cast<std::size_t>(span)].get(
                history.last_row(), [&] { return report::snapshot_json(history, page_text()) + "\n"; });
        }
    }
    respond(body.empty() ? error_response(RequestError(409, "no_rows", "the stream has no rows yet"))
                         : Response{.body = std::move(body)});
}

std::shared_ptr<const Snapshot> WatchedStream::snapshot() const {
    const std::scoped_lock lock(mutex_);
    return snapshot_;
}

std::string WatchedStream::problem() const {
    const std::scoped_lock lock(mutex_);
    return problem_;
}

std::shared_ptr<Subscription> WatchedStream::subscribe(report::Span span) {
    const auto now = snapshot();
    std::string state = state_json(settings_.name, *now, spec_);
    state.pop_back();  // its newline
    return followers_.subscribe(span, now->rows, state);
}

}  // namespace sluice::serve
