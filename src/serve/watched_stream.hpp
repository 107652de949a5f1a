// watched_stream.hpp -- a stream that another program runs, shown while it runs: `sluice stream --serve` writes its records
// to this program's standard input, and a thread reads them.
//
// The thread only reads and keeps the histories of bounded size: however slow the pages are, the writer never waits for one.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cached_text.hpp"
#include "followers.hpp"
#include "host.hpp"
#include "ndjson_log.hpp"
#include "source.hpp"

namespace sluice::serve {

class WatchedStream final : public Host {
  public:
    struct Settings {
        std::string name = "stream";
        std::string input = "-";  ///< records as NDJSON: standard input, or a file that grows
        std::string title = {};   ///< what the rows come from
        std::size_t inputs = 0;   ///< of the model; 0: not known
        std::uint64_t warmup = 0;
    };
    WatchedStream(Settings settings, const std::shared_ptr<EventCounts>& counts);
    /// Ends the thread, also where it waits for a record.
    ~WatchedStream() override;
    WatchedStream(const WatchedStream&) = delete;
    WatchedStream& operator=(const WatchedStream&) = delete;
    WatchedStream(WatchedStream&&) = delete;
    WatchedStream& operator=(WatchedStream&&) = delete;

    [[nodiscard]] const std::string& name() const noexcept override { return settings_.name; }
    [[nodiscard]] const std::string& spec() const noexcept override { return spec_; }
    void post_rows(Batch batch, Respond respond) override;
    void get(View view, Respond respond) override;
    [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const override;
    [[nodiscard]] std::shared_ptr<Subscription> subscribe(report::Span span) override;
    [[nodiscard]] bool ready() const override { return true; }
    [[nodiscard]] std::string problem() const override;
    void abandon() override {}

  private:
    void read();
    void read_records();
    void publish();
    void publish_in_time();
    [[nodiscard]] report::ReportText page_text() const;

    Settings settings_;
    std::string spec_ = "{}";
    std::array<int, 2> stop_ = {-1, -1};  // a pipe: its reader becomes readable when reading must end

    mutable std::mutex mutex_;  // of all below
    std::condition_variable wake_;
    report::NdjsonLog log_;
    Followers followers_;
    std::shared_ptr<const Snapshot> snapshot_;
    std::array<CachedText, 2> histories_;  // by span
    std::string problem_;
    bool changed_ = false;
    bool ending_ = false;

    std::thread reader_;
    std::thread publisher_;
};

}  // namespace sluice::serve
