// interrupt.hpp -- SIGINT and SIGTERM as a wish to leave after the present row.
#pragma once

namespace sluice::io {

/// From its making to its end, the two signals only leave a mark; a second one ends the process as usual. One at a time.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    Interrupt(Interrupt&&) = delete;
    Interrupt& operator=(Interrupt&&) = delete;

    [[nodiscard]] bool requested() const noexcept;
    [[nodiscard]] int descriptor() const noexcept;  ///< readable once requested: ends a wait
};

}  // namespace sluice::io
