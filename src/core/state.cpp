// state.cpp -- the frame around a model's saved state.
#include "state.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice::core {

namespace {

constexpr std::size_t kChecksum = sizeof(std::uint64_t);

}  // namespace

void StateWriter::append(const void* from, std::size_t bytes) {
    if (bytes > 0) {
        const std::size_t at = payload_.size();
        payload_.resize(at + bytes);
        std::memcpy(payload_.data() + at, from, bytes);
    }
}

void StateWriter::put_list(const std::vector<std::size_t>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    put_all(values);
}

void StateWriter::put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
}

void StateWriter::put_raw(std::span<const double> values) {
    append(values.data(), values.size_bytes());
}

std::vector<std::byte> StateWriter::framed(std::uint32_t version) const {
    StateWriter out;
    out.append(kStateMagic.data(), kStateMagic.size());
    out.put(version);
    out.put(static_cast<std::uint64_t>(payload_.size()));
    out.append(payload_.data(), payload_.size());
    out.put(std::uint64_t{XXH3_64bits(out.payload_.data(), out.payload_.size())});
    return std::move(out.payload_);
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
    require(version_ >= kOldestVersion && version_ <= kVersionWithFirstRows,
            "it was written by another version of Sluice");
    require(length == framed.size() - kStateHeader - kChecksum, "it was cut short");
    std::uint64_t stored = 0;
    std::memcpy(&stored, framed.data() + framed.size() - kChecksum, kChecksum);
    require(stored == XXH3_64bits(framed.data(), framed.size() - kChecksum), "its checksum does not hold");
    payload_ = framed.subspan(kStateHeader, length);
}

void StateReader::take(void* to, std::size_t bytes) {
    require(bytes <= payload_.size(), "it ends too early");
    if (bytes > 0) {
        std::memcpy(to, payload_.data(), bytes);
        payload_ = payload_.subspan(bytes);
    }
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
