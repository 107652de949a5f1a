// bins.hpp -- equal bins of rows, at most a given number. When a row lies beyond the last of them, each two neighbours are
// joined into one, so that a stream of any length takes the memory of a short one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice::report {

class Bins {
  public:
    explicit Bins(std::size_t most, std::uint64_t first_row = 1, std::uint64_t rows_per_bin = 1)
        : most_(most), first_row_(first_row), rows_per_bin_(rows_per_bin) {}

    void begin(std::uint64_t first_row) { first_row_ = first_row; }
    [[nodiscard]] bool has_room_for(std::uint64_t row) const { return (row - first_row_) / rows_per_bin_ < most_; }
    void widen() { rows_per_bin_ *= 2; }

    [[nodiscard]] std::size_t of(std::uint64_t row) const {
        return static_cast<std::size_t>((row - first_row_) / rows_per_bin_);
    }
    [[nodiscard]] std::uint64_t first_row() const { return first_row_; }
    [[nodiscard]] std::uint64_t rows_per_bin() const { return rows_per_bin_; }
    [[nodiscard]] std::size_t most() const { return most_; }

  private:
    std::size_t most_;
    std::uint64_t first_row_;
    std::uint64_t rows_per_bin_;
};

/// Joins each two neighbours by T::join.
template <typename T>
void join_neighbours(std::vector<T>& bins) {
    const std::size_t half = (bins.size() + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
        if (i > 0) {
            bins[i] = std::move(bins[2 * i]);
        }
        if ((2 * i) + 1 < bins.size()) {
            bins[i].join(bins[(2 * i) + 1]);
        }
    }
    bins.resize(half);
}

}  // namespace sluice::report
