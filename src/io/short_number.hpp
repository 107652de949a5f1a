// short_number.hpp -- the quick way to a number without exponent and with at most 19 digits, as files mostly hold.
//
// Digits are taken eight at a time with no branch on how many there are, since that changes from cell to cell and a wrong
// guess of the processor costs as much as all the rest. What becomes of them is fast_float's: exact, with its tables.
#pragma once

#include <fast_float/fast_float.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sluice::io {

/// Bytes behind a number that are looked at, whatever they are.
inline constexpr std::size_t kShortNumberReach = 40;

namespace short_number {

/// Eight characters, the first of them in the lowest byte.
[[nodiscard]] inline std::uint64_t eight(const char* at) noexcept {
    std::uint64_t block = 0;
    std::memcpy(&block, at, sizeof(block));
    return block;
}

/// How many of the eight are digits before the first that is none.
[[nodiscard]] inline unsigned digits(std::uint64_t block) noexcept {
    const std::uint64_t others = ((block + 0x4646464646464646U) | (block - 0x3030303030303030U)) & 0x8080808080808080U;
    return static_cast<unsigned>(std::countr_zero(others)) / 8U;
}

/// The number that the first `count` of the eight make.
[[nodiscard]] inline std::uint64_t value(std::uint64_t block, unsigned count) noexcept {
    const unsigned half = (8U - count) * 4U;  // shifting by all of 64 bits is not defined, twice by half of it is
    std::uint64_t v = ((block - 0x3030303030303030U) << half) << half;
    v = (v * 10U) + (v >> 8U);
    constexpr std::uint64_t mask = 0x000000FF000000FFU;
    return (((v & mask) * 0x000F424000000064U) + (((v >> 16U) & mask) * 0x0000271000000001U)) >> 32U;
}

inline constexpr std::array<std::uint64_t, 9> kPowers{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

}  // namespace short_number

/// Where the number at `at` ends, or null where it is none of this sort; behind it anything may stand. Looks at
/// kShortNumberReach bytes.
[[nodiscard]] inline const char* read_short_number(const char* at, char decimal, double& number) noexcept {
    if constexpr (std::endian::native != std::endian::little) {
        return nullptr;
    }
    using namespace short_number;
    const bool negative = *at == '-';
    at += negative ? 1 : 0;
    const std::uint64_t whole = eight(at);
    const unsigned before = digits(whole);
    std::uint64_t w = value(whole, before);
    at += before;
    unsigned behind = 0;
    if (*at == decimal) {
        ++at;
        const std::uint64_t first = eight(at);
        behind = digits(first);
        w = (w * kPowers[behind]) + value(first, behind);
        if (behind == 8U) {
            const std::uint64_t second = eight(at + 8);
            const std::uint64_t third = eight(at + 16);
            const unsigned more = digits(second);
            const unsigned most = digits(third) & (0U - (more >> 3U));  // none unless the second is full
            w = (w * kPowers[more]) + value(second, more);
            w = (w * kPowers[most]) + value(third, most);
            behind += more + most;
        }
        at += behind;
    }
    constexpr unsigned kMostDigits = 19;  // so many fit in 64 bits
    if (before + behind - 1U >= kMostDigits) {
        return nullptr;
    }
    using Binary = fast_float::binary_format<double>;
    if (w <= Binary::max_mantissa_fast_path() && behind <= 22U) {
        number = static_cast<double>(w) / Binary::exact_power_of_ten(behind);  // both exact: rounded once
        number = negative ? -number : number;
        return at;
    }
    fast_float::to_float(negative, fast_float::compute_float<Binary>(-static_cast<std::int64_t>(behind), w), number);
    return at;
}

}  // namespace sluice::io
