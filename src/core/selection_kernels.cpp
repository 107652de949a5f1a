// selection_kernels.cpp -- the loops that find the largest entries of a direction and shrink them, eq. (19).
//
//   kernel           read per entry      written           serves
//   entries_from     8 bytes             4 per hit         the entries that may exceed the threshold
//   largest          8                   -                 the same
//   nth_largest      8 per round         -                 the threshold
//   zero_below       8                   8                 entries that are zero but for rounding
//   survivors        16, 8 per round     16 per survivor   the threshold, and the entries above it
//   soft_threshold   24                  16                u_j = sign(z_j) max(|z_j| - gamma, 0), then u / |u|
#include "selection_kernels.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "selection_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

// One bit for each of up to 64 entries. From one set bit to the next there are fewer mispredicted branches than from entry
// to entry.
template <typename Test>
HWY_INLINE std::uint64_t BitsOf(std::size_t size, const Test& test) {
    const Numbers d;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; i += lanes()) {
        alignas(8) std::array<std::uint8_t, 8> bytes{};
        hn::StoreMaskBits(d, test(i), bytes.data());
        bits |= std::uint64_t{bytes[0]} << i;
    }
    return bits;
}

std::size_t EntriesFrom(const double* a, double least, std::size_t n, std::uint32_t* hits, std::size_t room) {
    const Numbers d;
    const Vec bound = hn::Set(d, least);
    std::size_t count = 0;
    for (std::size_t first = 0; first < n; first += 64) {
        std::uint64_t bits = BitsOf(n - first < 64 ? n - first : 64, [&](std::size_t i) HWY_ATTR {
            return hn::Ge(hn::Abs(hn::Load(d, a + first + i)), bound);
        });
        for (; bits != 0; bits &= bits - 1U) {
            if (count < room) {
                hits[count] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(std::countr_zero(bits));
            }
            ++count;
        }
    }
    return count;
}

// The last vector ends with the last number: it may overlap the one before it.
double Largest(const double* a, std::size_t n) {
    const Numbers d;
    if (n < lanes()) {
        double largest = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            largest = std::abs(a[i]) > largest ? std::abs(a[i]) : largest;
        }
        return largest;
    }
    Vec most = hn::Abs(hn::LoadU(d, a + n - lanes()));
    for (std::size_t i = 0; i + lanes() <= n; i += lanes()) {
        most = hn::Max(most, hn::Abs(hn::LoadU(d, a + i)));
    }
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

// Each round counts the numbers above and below a pivot and finds the pivot's neighbour on either side. From a good
// guess the answer is one or two neighbours away; otherwise some 2 ln n rounds are needed.
double NthLargest(const double* a, std::size_t n, std::size_t k, double guess) {
    const Numbers d;
    constexpr std::size_t kNear = 4;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double low = -1.0;        // the answer is above
    double high = kInfinity;  // and below
    std::size_t next = 0;     // all before it are outside (low, high)
    for (double own = guess;;) {
        const Vec pivot = hn::Set(d, own);
        Vec above = hn::Set(d, kInfinity);
        Vec below = hn::Set(d, -1.0);
        std::size_t larger = 0;
        std::size_t smaller = 0;
        for (std::size_t i = 0; i < n; i += lanes()) {
            const Vec other = hn::LoadU(d, a + i);
            const auto is_larger = hn::Gt(other, pivot);
            const auto is_smaller = hn::Lt(other, pivot);
            larger += hn::CountTrue(d, is_larger);
            smaller += hn::CountTrue(d, is_smaller);
            above = hn::Min(above, hn::IfThenElse(is_larger, other, hn::Set(d, kInfinity)));
            below = hn::Max(below, hn::IfThenElse(is_smaller, other, hn::Set(d, -1.0)));
        }
        const std::size_t padding = ((n + lanes() - 1) / lanes() * lanes()) - n;
        const std::size_t from_here = n + padding - smaller;  // larger or equal
        std::size_t away = 0;
        if (larger > k) {
            low = own;
            own = hn::GetLane(hn::MinOfLanes(d, above));
            away = larger - k - 1;
        } else if (from_here <= k) {
            high = own;
            own = hn::GetLane(hn::MaxOfLanes(d, below));
            away = k - from_here;
        } else {
            return own;
        }
        if (away == 0) {
            return own;
        }
        if (away > kNear) {  // far away: the next pivot is any number between the bounds
            while (next < n && (a[next] <= low || a[next] >= high)) {
                ++next;
            }
            own = next < n ? a[next] : own;
        }
    }
}

void ZeroBelow(double* a, double least, std::size_t n) {
    const Numbers d;
    const Vec bound = hn::Set(d, least);
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec own = hn::Load(d, a + i);
        hn::Store(hn::IfThenElseZero(hn::Ge(hn::Abs(own), bound), own), d, a + i);
    }
}

// `entries` holds all sizes first; those that survive never overtake the sizes that are still to be compared. Padding by
// zeros changes no (keep+1)-th largest.
Survivors FindSurvivors(const double* a, std::size_t n, std::size_t keep, double tie, double guess, std::size_t* places,
                        double* entries) {
    const Numbers d;
    const std::size_t full = n / lanes() * lanes();
    const std::size_t padded = (n + lanes() - 1) / lanes() * lanes();
    for (std::size_t i = 0; i < full; i += lanes()) {
        hn::StoreU(hn::Abs(hn::LoadU(d, a + i)), d, entries + i);
    }
    for (std::size_t i = full; i < padded; ++i) {
        entries[i] = i < n ? std::abs(a[i]) : 0.0;
    }
    const double next = NthLargest(entries, padded, keep, guess);
    const Vec above = hn::Set(d, next * (1.0 + tie));
    std::size_t count = 0;
    for (std::size_t first = 0; first < padded; first += 64) {
        std::uint64_t bits = BitsOf(padded - first < 64 ? padded - first : 64, [&](std::size_t i) HWY_ATTR {
            return hn::Gt(hn::LoadU(d, entries + first + i), above);
        });
        for (; bits != 0; bits &= bits - 1U) {
            const std::size_t place = first + static_cast<std::size_t>(std::countr_zero(bits));
            places[count] = place;
            entries[count] = a[place];
            ++count;
        }
    }
    return {.next = next, .count = count};
}

bool SoftThreshold(double* v, std::size_t n, double gamma, double tie, double least, double most) {
    const Numbers d;
    const Vec g = hn::Set(d, gamma);
    const Vec speck = hn::Set(d, std::numeric_limits<double>::epsilon());
    Vec squares = hn::Zero(d);
    Vec largest = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec own = hn::LoadU(d, v + i);
        const Vec size = hn::Sub(hn::Abs(own), g);
        const Vec left = hn::IfThenElse(hn::Gt(size, hn::Zero(d)), hn::CopySign(size, own), hn::Mul(own, speck));
        hn::StoreU(left, d, v + i);
        squares = hn::MulAdd(left, left, squares);
        largest = hn::Max(largest, hn::Abs(left));
    }
    const double square = hn::GetLane(hn::SumOfLanes(d, squares));
    const bool in_range = square > least && square < most;  // false where it is NaN
    if (!in_range) {
        return false;
    }
    const Vec bound = hn::Mul(hn::MaxOfLanes(d, largest), hn::Set(d, 1.0 - tie));
    double first = 1.0;
    for (std::size_t i = 0; i < n; i += lanes()) {
        const auto place = hn::FindFirstTrue(d, hn::Ge(hn::Abs(hn::LoadU(d, v + i)), bound));
        if (place >= 0) {
            first = v[i + static_cast<std::size_t>(place)];
            break;
        }
    }
    const Vec factor = hn::Set(d, std::copysign(1.0 / std::sqrt(square), first));
    for (std::size_t i = 0; i < n; i += lanes()) {
        hn::StoreU(hn::Mul(hn::LoadU(d, v + i), factor), d, v + i);
    }
    return true;
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(EntriesFrom);
HWY_EXPORT(Largest);
HWY_EXPORT(NthLargest);
HWY_EXPORT(ZeroBelow);
HWY_EXPORT(FindSurvivors);
HWY_EXPORT(SoftThreshold);

std::size_t entries_from(const double* a, double least, std::size_t n, std::uint32_t* hits, std::size_t room) {
    return HWY_DYNAMIC_DISPATCH(EntriesFrom)(a, least, n, hits, room);
}
double largest(const double* a, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(Largest)(a, n);
}
double nth_largest(const double* a, std::size_t n, std::size_t k, double guess) {
    return HWY_DYNAMIC_DISPATCH(NthLargest)(a, n, k, guess);
}
void zero_below(double* a, double least, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(ZeroBelow)(a, least, n);
}
Survivors survivors(const double* a, std::size_t n, std::size_t keep, double tie, double guess, std::size_t* places,
                    double* entries) {
    return HWY_DYNAMIC_DISPATCH(FindSurvivors)(a, n, keep, tie, guess, places, entries);
}
bool soft_threshold(double* v, std::size_t n, double gamma, double tie, double least, double most) {
    return HWY_DYNAMIC_DISPATCH(SoftThreshold)(v, n, gamma, tie, least, most);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
