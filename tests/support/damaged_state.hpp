// damaged_state.hpp -- a model's saved state taken apart, and put together again after damage was done to it.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "packed_streams.hpp"

namespace sluice::test {

inline constexpr std::size_t kStateHead = 20;  // magic, version, length
inline constexpr std::size_t kStateSum = 8;

inline void make_checksum_right(std::span<std::byte> framed) {
    const std::uint64_t sum = XXH3_64bits(framed.data(), framed.size() - kStateSum);
    std::memcpy(framed.data() + framed.size() - kStateSum, &sum, sizeof(sum));
}

inline core::Streams streams_of(std::span<const std::byte> framed) {
    return core::unpack(framed.subspan(kStateHead, framed.size() - kStateHead - kStateSum));
}

/// The frame of a state around another payload, with the right length and checksum.
inline std::vector<std::byte> framed_again(std::span<const std::byte> framed, std::span<const std::byte> payload) {
    std::vector<std::byte> out(framed.begin(), framed.begin() + kStateHead);
    const std::uint64_t length = payload.size();
    std::memcpy(out.data() + 12, &length, sizeof(length));
    out.insert(out.end(), payload.begin(), payload.end());
    out.resize(out.size() + kStateSum);
    make_checksum_right(out);
    return out;
}

/// The same state with nothing compressed: a byte that is changed is a byte of a number.
inline std::vector<std::byte> uncompressed(std::span<const std::byte> framed) {
    return framed_again(framed, core::pack(streams_of(framed), false));
}

}  // namespace sluice::test
