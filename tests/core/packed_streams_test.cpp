// Streams of numbers, packed and unpacked: the same bits, no more memory than the bytes allow, and damage is refused.
#include "packed_streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "sluice/error.hpp"

namespace sluice::core::packed_streams_test {
namespace {

void expect_same(const Streams& a, const Streams& b) {
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.doubles, b.doubles);
    EXPECT_EQ(a.cuts, b.cuts);
    EXPECT_EQ(a.floats, b.floats);
    EXPECT_EQ(a.widths, b.widths);
    EXPECT_EQ(a.bits, b.bits);
}

Streams some_streams(std::size_t count, unsigned seed) {
    std::mt19937_64 bits(seed);
    std::normal_distribution<double> normal;
    Streams streams;
    for (std::size_t i = 0; i < count + 8; ++i) {
        streams.bytes.push_back(static_cast<std::byte>(bits() % 5));
    }
    for (std::size_t i = 0; i < count; ++i) {
        streams.doubles.push_back(std::bit_cast<std::uint64_t>(normal(bits)));
        streams.floats.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(normal(bits))));
        streams.widths.push_back(static_cast<std::uint8_t>(bits() % 65));
        streams.bits.push_back(bits());
    }
    streams.cuts = {count / 3, count / 3, count};
    return streams;
}

TEST(PackedStreams, GiveBackTheSameBits) {
    for (const std::size_t count : {0U, 1U, 7U, 100U, 5000U, 50000U}) {
        SCOPED_TRACE(count);
        const Streams streams = some_streams(count, 1);
        expect_same(unpack(pack(streams)), streams);
        expect_same(unpack(pack(streams, false)), streams);
        EXPECT_EQ(pack(unpack(pack(streams))), pack(streams));
    }
    std::mt19937_64 bits(2);
    Streams any;
    any.bytes.resize(8);
    for (std::size_t i = 0; i < 3000; ++i) {  // also NaN, infinities and denormal numbers
        any.doubles.push_back(bits());
        any.floats.push_back(static_cast<std::uint32_t>(bits()));
    }
    expect_same(unpack(pack(any)), any);
}

TEST(PackedStreams, NeedLessRoomForExponentsThatRepeat) {
    Streams streams = some_streams(20000, 3);
    streams.bytes.resize(8);
    streams.floats.clear();
    streams.widths.clear();
    streams.bits.clear();
    // 52 bits of the mantissa and the sign cannot be saved; an exponent of a normal number has an entropy of about 2.1 bits.
    EXPECT_LT(pack(streams).size(), 20000U * 8U * 88U / 100U);
    EXPECT_GT(pack(streams).size(), 20000U * 53U / 8U);
}

TEST(PackedStreams, AreNeverPackedSoTightlyThatAFewBytesAskForMuchMemory) {
    Streams zeros;
    zeros.bytes.resize(1000000);
    zeros.doubles.resize(1000000);
    const auto packed = pack(zeros);
    EXPECT_GE(packed.size(), 9000000U / kMostPacked);
    EXPECT_LE(packed.size(), (9000000U / kMostPacked) + 1000);
    expect_same(unpack(packed), zeros);
    for (std::size_t number = 0; number < 6; ++number) {  // the sizes of the streams, and the number of cuts
        for (const std::uint64_t size : {std::uint64_t{1} << 24U, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
            auto bad = packed;
            std::memcpy(bad.data() + 8 + (8 * number), &size, sizeof(size));
            EXPECT_THROW((void)unpack(bad), StateError) << number << " " << size;
        }
    }
}

TEST(PackedStreams, CutShortOrLongerTheyAreRefused) {
    for (const bool compress : {true, false}) {
        const auto good = pack(some_streams(200, 4), compress);
        for (std::size_t length = 0; length < good.size(); ++length) {
            EXPECT_THROW((void)unpack(std::span(good).first(length)), StateError) << length;
        }
        auto longer = good;
        longer.push_back(std::byte{});
        EXPECT_THROW((void)unpack(longer), StateError);
    }
}

TEST(PackedStreams, DamagedTheyAreRefusedOrOthersOfTheSameSize) {
    const Streams streams = some_streams(300, 5);
    const auto good = pack(streams);
    std::mt19937_64 bits(6);
    std::size_t refused = 0;
    for (std::size_t trial = 0; trial < 3000; ++trial) {
        auto bad = good;
        bad[bits() % bad.size()] ^= std::byte{1} << (bits() % 8);
        try {
            const Streams other = unpack(bad);
            ASSERT_LE(other.doubles.size(), kMostPacked * good.size());
        } catch (const StateError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace sluice::core::packed_streams_test
