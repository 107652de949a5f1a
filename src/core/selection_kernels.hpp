// selection_kernels.hpp -- the loops of eq. (19) over a direction; kernels.hpp states lengths, alignment and sums.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::core::kernels {

/// Numbers of the entries with |a_i| >= least, the first `room` of them in `hits`; returns how many there are.
std::size_t entries_from(const double* a, double least, std::size_t n, std::uint32_t* hits, std::size_t room);

/// The largest |a_i|; any n, any alignment.
[[nodiscard]] double largest(const double* a, std::size_t n);

/// The (k+1)-th largest of a, none of them negative; k < n. The padding of `a` up to a multiple of kLanes must be
/// negative. guess: where the search starts; it changes the time, not the result.
[[nodiscard]] double nth_largest(const double* a, std::size_t n, std::size_t k, double guess);

/// a_i <- 0 where |a_i| < least
void zero_below(double* a, double least, std::size_t n);

/// The entries that a threshold leaves: all |a_i| > next (1 + tie), where `next` is the (keep+1)-th largest |a_i|.
struct Survivors {
    double next;
    std::size_t count;  // keep, and fewer where others are tied with `next`
};
/// Their numbers, ascending, and the entries themselves: room for n numbers, and for n entries, padded. keep < n; any n, any
/// alignment. guess: as above.
Survivors survivors(const double* a, std::size_t n, std::size_t keep, double tie, double guess, std::size_t* places,
                    double* entries);

/// v_i <- sign(v_i) max(|v_i| - gamma, 0), or v_i eps where nothing would be left; then v has unit length, and the first
/// entry within `tie` of the largest is positive. The padding of v up to a multiple of kLanes must be 0. False: the sum of
/// squares is not between `least` and `most`, and the length and the signs are those of the first step.
[[nodiscard]] bool soft_threshold(double* v, std::size_t n, double gamma, double tie, double least, double most);

}  // namespace sluice::core::kernels
