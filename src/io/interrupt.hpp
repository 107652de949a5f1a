// interrupt.hpp -- SIGINT and SIGTERM as a request to stop after the present row.
#pragma once

namespace sluice::io {

/// While an object lives, the first of these signals only sets a flag; a second one ends the process as usual. At most
/// one object at a time.
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
