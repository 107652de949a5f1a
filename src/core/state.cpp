// state.cpp -- the frame around a model's saved state.
#include "state.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cassert>

#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice::core {

namespace {

constexpr std::size_t kChecksum = sizeof(std::uint64_t);
constexpr std::size_t kWordBits = 64;

}  // namespace

void StateWriter::append(const void* from, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    streams_.bytes.insert(streams_.bytes.end(), first, first + bytes);
}

void StateWriter::append_numbers(std::span<const double> values) {
    const std::size_t at = streams_.doubles.size();
    streams_.doubles.resize(at + values.size());
    std::ranges::transform(values, streams_.doubles.begin() + static_cast<std::ptrdiff_t>(at),
                           [](double value) { return std::bit_cast<std::uint64_t>(value); });
}

void StateWriter::append_numbers(std::span<const float> values) {
    const std::size_t at = streams_.floats.size();
    streams_.floats.resize(at + values.size());
    std::ranges::transform(values, streams_.floats.begin() + static_cast<std::ptrdiff_t>(at),
                           [](float value) { return std::bit_cast<std::uint32_t>(value); });
}

// The difference of the bit patterns, with its sign in the lowest bit: a small number of either sign has few bits.
void StateWriter::put_near(double value, double known, unsigned unused) {
    if (!packed_) {
        put(value);
        return;
    }
    assert((std::bit_cast<std::uint64_t>(value) >> unused) << unused == std::bit_cast<std::uint64_t>(value));
    const std::uint64_t difference =
        (std::bit_cast<std::uint64_t>(value) >> unused) - (std::bit_cast<std::uint64_t>(known) >> unused);
    const std::uint64_t folded = (difference << 1U) ^ (0 - (difference >> 63U));
    const auto width = static_cast<unsigned>(std::bit_width(folded));
    streams_.widths.push_back(static_cast<std::uint8_t>(width));
    if (width < 2) {
        return;
    }
    const std::uint64_t stored = folded ^ (std::uint64_t{1} << (width - 1));  // the highest bit is known from the width
    const std::size_t place = bits_ % kWordBits;
    if (place == 0) {
        streams_.bits.push_back(stored);
    } else {
        streams_.bits.back() |= stored << place;
        if (place + width - 1 > kWordBits) {
            streams_.bits.push_back(stored >> (kWordBits - place));
        }
    }
    bits_ += width - 1;
}

void StateWriter::put_list(const std::vector<std::size_t>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    put_all(values);
}

void StateWriter::put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
}

std::vector<std::byte> StateWriter::framed() const {
    StateWriter out;
    const std::vector<std::byte> packed = packed_ ? pack(streams_) : std::vector<std::byte>();
    const std::vector<std::byte>& payload = packed_ ? packed : streams_.bytes;
    out.streams_.bytes.reserve(kStateHeader + payload.size() + kChecksum);
    out.append(kStateMagic.data(), kStateMagic.size());
    out.put(packed_ ? kPackedVersion : kPlainVersion);
    out.put(static_cast<std::uint64_t>(payload.size()));
    out.put_bytes(payload);
    out.put(std::uint64_t{XXH3_64bits(out.streams_.bytes.data(), out.streams_.bytes.size())});
    return std::move(out).unframed();
}

StateReader::StateReader(std::span<const std::byte> framed) : payload_(framed) {
    const SavedKind kind = saved_kind(framed);
    if (kind != SavedKind::stream_state && kind != SavedKind::adaptive_state) {
        throw WrongKindError(kind);
    }
    check_frame(framed);
}

StateReader StateReader::of_kind(SavedKind kind, std::span<const std::byte> framed) {
    if (const SavedKind found = saved_kind(framed); found != kind) {
        throw WrongKindError(found);
    }
    StateReader reader = unframed(framed);
    reader.check_frame(framed);
    return reader;
}

StateReader StateReader::of_intervals(std::span<const std::byte> framed) {
    return of_kind(SavedKind::interval_state, framed);
}

StateReader StateReader::of_moments(std::span<const std::byte> framed) {
    return of_kind(SavedKind::moments_state, framed);
}

void StateReader::check_frame(std::span<const std::byte> framed) {
    std::uint64_t length = 0;
    require(framed.size() >= kStateHeader + kChecksum, "it is too short");
    payload_ = payload_.subspan(kStateMagic.size());
    get(version_);
    get(length);
    require(version_ >= kOldestVersion && version_ <= kPackedVersion, "it was written by another version of Sluice");
    require(length == framed.size() - kStateHeader - kChecksum, "it was cut short");
    std::uint64_t stored = 0;
    std::memcpy(&stored, framed.data() + framed.size() - kChecksum, kChecksum);
    require(stored == XXH3_64bits(framed.data(), framed.size() - kChecksum), "its checksum does not hold");
    payload_ = framed.subspan(kStateHeader, length);
    if (version_ >= kPackedVersion) {
        packed_ = true;
        streams_ = unpack(payload_);
        payload_ = streams_.bytes;
        doubles_ = streams_.doubles;
        floats_ = streams_.floats;
        widths_ = streams_.widths;
    }
}

std::size_t StateReader::left() const noexcept {
    return payload_.size() + doubles_.size_bytes() + floats_.size_bytes() + (widths_.size() * sizeof(double));
}

void StateReader::take(void* to, std::size_t bytes) {
    require(bytes <= payload_.size(), "it ends too early");
    if (bytes > 0) {
        std::memcpy(to, payload_.data(), bytes);
        payload_ = payload_.subspan(bytes);
    }
}

void StateReader::take_numbers(std::span<double> values) {
    if (!packed_) {
        take(values.data(), values.size_bytes());
        return;
    }
    require(values.size() <= doubles_.size(), "it ends too early");
    std::ranges::transform(doubles_.first(values.size()), values.begin(),
                           [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
    doubles_ = doubles_.subspan(values.size());
}

void StateReader::take_numbers(std::span<float> values) {
    if (!packed_) {
        take(values.data(), values.size_bytes());
        return;
    }
    require(values.size() <= floats_.size(), "it ends too early");
    std::ranges::transform(floats_.first(values.size()), values.begin(),
                           [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
    floats_ = floats_.subspan(values.size());
}

std::uint64_t StateReader::take_bits(unsigned count) {
    require(count <= (streams_.bits.size() * kWordBits) - bits_, "it ends too early");
    if (count == 0) {
        return 0;
    }
    const std::size_t place = bits_ % kWordBits;
    const std::uint64_t* words = streams_.bits.data() + (bits_ / kWordBits);
    std::uint64_t taken = words[0] >> place;
    if (place + count > kWordBits) {
        taken |= words[1] << (kWordBits - place);
    }
    bits_ += count;
    return count < kWordBits ? taken & ((std::uint64_t{1} << count) - 1) : taken;
}

double StateReader::get_near(double known, unsigned unused) {
    double value = 0.0;
    if (!packed_) {
        get(value);
        return value;
    }
    require(!widths_.empty() && widths_.front() <= kWordBits, "a difference is missing or has too many bits");
    const unsigned width = widths_.front();
    widths_ = widths_.subspan(1);
    const std::uint64_t folded = width == 0 ? 0 : take_bits(width - 1) | (std::uint64_t{1} << (width - 1));
    const std::uint64_t difference = (folded >> 1U) ^ (0 - (folded & 1U));
    value = std::bit_cast<double>(((std::bit_cast<std::uint64_t>(known) >> unused) + difference) << unused);
    require(std::isfinite(value), "a number is not finite");
    return value;
}

bool StateReader::get_flag() {
    unsigned char flag = 0;
    get(flag);
    require(flag <= 1, "a flag is neither 0 nor 1");
    return flag == 1;
}

std::vector<std::size_t> StateReader::get_list() {
    std::uint64_t length = 0;
    get(length);
    require(length <= payload_.size() / sizeof(std::size_t), "a list is longer than the state");
    std::vector<std::size_t> values(length);
    get_all(values);
    return values;
}

std::string StateReader::get_text() {
    std::uint64_t length = 0;
    get(length);
    require(length <= payload_.size(), "a text is longer than the state");
    std::string text(length, '\0');
    take(text.data(), length);
    return text;
}

void StateReader::require(bool kept, const char* what) const {
    if (!kept) {
        throw StateError(std::string("saved state refused: ") + what);
    }
}

}  // namespace sluice::core
