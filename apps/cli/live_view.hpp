// live_view.hpp -- `sluice stream --serve`: a page that shows the stream while it runs. The records go to sluice-serve, a
// program of its own, which keeps what the page shows; a slow page never slows the stream.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "interrupt.hpp"
#include "record_writer.hpp"

namespace sluice::cli {

class LiveView {
  public:
    struct Settings {
        std::size_t port = 8765;
        std::string title;  ///< where the rows come from
        std::uint64_t warmup = 0;
    };
    /// Returns when the page can be opened. Throws std::runtime_error where it cannot be served.
    LiveView(const Settings& settings, job::RecordNames names);
    /// Ends the other program.
    ~LiveView();
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;
    LiveView(LiveView&&) = delete;
    LiveView& operator=(LiveView&&) = delete;

    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    void add(const job::Record& record);
    /// False where the other program has ended, so that nothing is shown any more.
    [[nodiscard]] bool shown() const noexcept { return socket_ >= 0; }
    /// After the last record: until the user wants to end.
    void stay(const io::Interrupt& interrupt);

  private:
    void close_socket();

    std::unique_ptr<job::RecordWriter> writer_;
    std::string text_;
    std::string address_;
    int socket_ = -1;
    pid_t program_ = -1;
};

}  // namespace sluice::cli
