// packed_streams.hpp -- what a saved state consists of, by kind, and compressed.
//
// Doubles compress badly as they are: their exponents repeat, their mantissas do not. So each kind of number is kept by itself, and
// numbers of several bytes are stored byte by byte: first the lowest byte of all of them, last the highest. They are turned before, so
// that one of these bytes holds the exponent alone. A number that is close to one that the reader knows is stored as the difference of
// the two bit patterns, in as many bits as it has.
//
//   block     holds                                                                 stored
//   bytes     everything that is not below; the first eight of them as they are     zstd
//   doubles   from cut to cut, eight blocks: bytes of rotl(x - a, 4), a constant    zstd, or as it is where that is not larger
//   floats    four blocks: the bytes of rotl(x, 1)                                  the same
//   widths    bits of each difference, 0 to 64                                      the same
//   bits      the differences without their highest bit, one after the other        as they are
//
// A block is stored in no less than a kMostPacked-th of its size, so that a few bytes cannot ask for much memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::core {

struct Streams {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> doubles;  // bit patterns
    std::vector<std::uint64_t> cuts;     // places among them where numbers of another kind begin, ascending
    std::vector<std::uint32_t> floats;
    std::vector<std::uint8_t> widths;
    std::vector<std::uint64_t> bits;
};

inline constexpr std::uint64_t kMostPacked = 64;
inline constexpr std::size_t kMostCuts = 16;

/// compress: else every block is stored as it is, so that damage can be done to what it holds.
[[nodiscard]] std::vector<std::byte> pack(const Streams& streams, bool compress = true);
/// The same streams again. Throws StateError where the bytes are not those of pack(). Allocates at most kMostPacked times their
/// size, and a little.
[[nodiscard]] Streams unpack(std::span<const std::byte> packed);

}  // namespace sluice::core
