// time_index.hpp -- finds the places of a ring by their time. Nothing is allocated after the start.
//
// A table of chains: each place belongs to the chain of its hash, the newest first.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

namespace sluice::job {

class TimeIndex {
  public:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    explicit TimeIndex(std::size_t places) : first_(std::bit_ceil(2 * places), kNone), next_(places, kNone) {}

    void insert(std::size_t place, std::size_t hash) {
        std::size_t& first = first_[chain(hash)];
        next_[place] = first;
        first = place;
    }
    void erase(std::size_t place, std::size_t hash) {
        std::size_t* at = &first_[chain(hash)];
        while (*at != kNone && *at != place) {
            at = &next_[*at];
        }
        if (*at == place) {
            *at = next_[place];
        }
    }
    /// The places whose time may have this hash, the newest first, then kNone.
    [[nodiscard]] std::size_t first(std::size_t hash) const { return first_[chain(hash)]; }
    [[nodiscard]] std::size_t next(std::size_t place) const { return next_[place]; }

  private:
    [[nodiscard]] std::size_t chain(std::size_t hash) const {  // std::hash of a number may leave the low bits empty
        constexpr std::size_t kSpread = 0x9E3779B97F4A7C15U;
        return ((hash * kSpread) >> 32U) & (first_.size() - 1);
    }

    std::vector<std::size_t> first_;
    std::vector<std::size_t> next_;
};

}  // namespace sluice::job
