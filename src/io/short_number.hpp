// short_number.hpp -- a fast parser for numbers without exponent and with at most 19 digits, which most files contain.
//
// Digits are read eight at a time without a branch on their number, which changes from cell to cell: a mispredicted branch
// costs as much as all the rest. The digits become a number with fast_float's tables, exactly.
#pragma once

#include <fast_float/fast_float.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sluice::io {

/// Bytes from the beginning of a number that are accessed, whatever they are.
inline constexpr std::size_t kShortNumberReach = 40;

namespace short_number {

/// Eight characters, the first of them in the lowest byte.
[[nodiscard]] inline std::uint64_t eight(const char* at) noexcept {
    std::uint64_t block = 0;
    std::memcpy(&block, at, sizeof(block));
    return block;
}

/// How many of the eight characters are digits, up to the first that is not.
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

/// Where the number at `at` ends, or null where it is not of this kind; anything may follow it. Accesses
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
    unsigned decimals = 0;
    if (*at == decimal) {
        ++at;
        const std::uint64_t first = eight(at);
        decimals = digits(first);
        w = (w * kPowers[decimals]) + value(first, decimals);
        if (decimals == 8U) {
            const std::uint64_t second = eight(at + 8);
            const std::uint64_t third = eight(at + 16);
            const unsigned more = digits(second);
            const unsigned most = digits(third) & (0U - (more >> 3U));  // none unless the second is full
            w = (w * kPowers[more]) + value(second, more);
            w = (w * kPowers[most]) + value(third, most);
            decimals += more + most;
        }
        at += decimals;
    }
    constexpr unsigned kMostDigits = 19;  // that many fit in 64 bits
    if (before + decimals - 1U >= kMostDigits) {
        return nullptr;
    }
    using Binary = fast_float::binary_format<double>;
    if (w <= Binary::max_mantissa_fast_path() && decimals <= 22U) {
        number = static_cast<double>(w) / Binary::exact_power_of_ten(decimals);  // both exact: rounded once
        number = negative ? -number : number;
        return at;
    }
    fast_float::to_float(negative, fast_float::compute_float<Binary>(-static_cast<std::int64_t>(decimals), w), number);
    return at;
}

}  // namespace sluice::io
