// size_ranks.hpp -- where the size of a new error stands among earlier sizes. Ranks have the same distribution whatever the
// errors' unit and tails, so that what is built on them needs no assumption about either.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

class SizeRanks {
  public:
    /// remembered: sizes that new ones are compared with, at most. Up to 65,535.
    explicit SizeRanks(std::size_t remembered) : ring_(remembered) {}

    /// Share of the remembered sizes that are at least this one, between 0 and 1. A size: at least 0.
    [[nodiscard]] double share_above(double size) const;
    /// The size is remembered; where there are too many, the oldest is forgotten.
    void add(double size);
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    void clear() noexcept;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    // Sizes are counted in bins of a quarter of an octave. 0 is a bin of its own, and sizes far below the largest share it.
    static constexpr std::size_t kBins = 256;
    [[nodiscard]] std::size_t bin(double size) const;
    void fit(int quarter);
    void shift(int by);

    std::vector<std::uint8_t> ring_;  // the bin of each remembered size
    std::size_t count_ = 0;
    std::size_t next_ = 0;
    int base_ = 0;  // the quarter of an octave, counted from 2^-1, that would be bin 0
    std::array<std::uint16_t, kBins> in_bin_{};
};

}  // namespace sluice::tune
