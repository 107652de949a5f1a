// interrupt.hpp -- SIGINT and SIGTERM as a request to stop after the present row, SIGHUP as one to reopen the outputs.
#pragma once

#include <cstdint>

namespace sluice::io {

/// While an object lives, the first of these signals only sets a flag; a second one ends the process as usual. At most
/// one object at a time.
class Interrupt {
  public:
    enum class Hangup : std::uint8_t {
        usual,  ///< SIGHUP ends the process
        stop,   ///< it asks to stop, as SIGTERM does
        reopen  ///< it asks to reopen the outputs; a process that was started to ignore it (nohup) ignores it
    };
    explicit Interrupt(Hangup hangup = Hangup::usual);
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    Interrupt(Interrupt&&) = delete;
    Interrupt& operator=(Interrupt&&) = delete;

    [[nodiscard]] bool requested() const noexcept;
    [[nodiscard]] int descriptor() const noexcept;  ///< readable once requested: ends a wait

    /// Whether SIGHUP came since the last call.
    [[nodiscard]] bool take_reopen() const noexcept;
    [[nodiscard]] int reopen_descriptor() const noexcept;  ///< readable until take_reopen()

  private:
    bool handles_hangup_;
};

}  // namespace sluice::io
