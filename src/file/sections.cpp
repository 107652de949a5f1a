// sections.cpp -- a model file taken apart and put together.
#include "sections.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice::file {

namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

using core::kModelFileMagic;
using core::kSectionEntry;
using core::kSectionName;
using core::kSectionTable;

constexpr std::uint32_t kVersion = 1;

std::uint64_t checksum(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

void append(std::vector<std::byte>& out, const void* from, std::size_t bytes) {
    const std::size_t at = out.size();
    out.resize(at + bytes);
    if (bytes > 0) {
        std::memcpy(out.data() + at, from, bytes);
    }
}

template <typename T>
T read_at(std::span<const std::byte> file, std::size_t at) {
    T value{};
    std::memcpy(&value, file.data() + at, sizeof(T));
    return value;
}

}  // namespace

void require(bool holds, const std::string& reason) {
    if (!holds) {
        throw StateError("model file refused: " + reason);
    }
}

std::vector<std::byte> join_sections(const std::vector<Section>& sections) {
    std::size_t size = kSectionTable + (sections.size() * kSectionEntry) + sizeof(std::uint64_t);
    for (const auto& [name, bytes] : sections) {
        size += bytes.size();
    }
    std::vector<std::byte> out;
    out.reserve(size);
    const auto count = static_cast<std::uint32_t>(sections.size());
    append(out, kModelFileMagic.data(), kModelFileMagic.size());
    append(out, &kVersion, sizeof(kVersion));
    append(out, &count, sizeof(count));
    for (const auto& [name, bytes] : sections) {
        assert(name.size() <= kSectionName);
        std::array<char, kSectionName> padded{};
        std::ranges::copy(name, padded.begin());
        const std::uint64_t length = bytes.size();
        const std::uint64_t sum = checksum(bytes);
        append(out, padded.data(), kSectionName);
        append(out, &length, sizeof(length));
        append(out, &sum, sizeof(sum));
    }
    const std::uint64_t sum = checksum(out);
    append(out, &sum, sizeof(sum));
    for (const auto& [name, bytes] : sections) {
        append(out, bytes.data(), bytes.size());
    }
    return out;
}

SectionView::SectionView(std::span<const std::byte> file) {
    const SavedKind kind = saved_kind(file);
    if (kind != SavedKind::model_file && kind != SavedKind::fit_file) {
        throw WrongKindError(kind);
    }
    require(file.size() >= kSectionTable + sizeof(std::uint64_t), "it was cut short");
    const auto version = read_at<std::uint32_t>(file, kModelFileMagic.size());
    const auto count = read_at<std::uint32_t>(file, kModelFileMagic.size() + sizeof(version));
    require(count <= core::kMostSections, "its header is damaged");
    const std::size_t header = kSectionTable + (count * kSectionEntry);
    require(file.size() >= header + sizeof(std::uint64_t), "it was cut short");
    require(read_at<std::uint64_t>(file, header) == checksum(file.first(header)), "its header is damaged");
    require(version <= kVersion, "it was written by a newer Sluice (format " + std::to_string(version) +
                                     ", this one knows up to " + std::to_string(kVersion) + ")");
    require(version == kVersion,
            "its format number is " + std::to_string(version) + ", which no version of Sluice writes");

    auto rest = file.subspan(header + sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t entry = kSectionTable + (i * kSectionEntry);
        std::array<char, kSectionName + 1> name{};
        std::memcpy(name.data(), file.data() + entry, kSectionName);
        const auto length = read_at<std::uint64_t>(file, entry + kSectionName);
        require(length <= rest.size(), "it was cut short");
        const auto bytes = rest.first(length);
        require(read_at<std::uint64_t>(file, entry + kSectionName + sizeof(length)) == checksum(bytes),
                std::string("its section \"") + name.data() + "\" is damaged");
        sections_.emplace_back(name.data(), bytes);
        rest = rest.subspan(length);
    }
    require(rest.empty(), "bytes follow after its last section");
}

bool SectionView::has(std::string_view name) const {
    return std::ranges::any_of(sections_, [&](const auto& s) { return s.first == name; });
}

std::span<const std::byte> SectionView::operator[](std::string_view name) const {
    const auto at = std::ranges::find_if(sections_, [&](const auto& s) { return s.first == name; });
    require(at != sections_.end(), "it has no section \"" + std::string(name) + "\"");
    return at->second;
}

}  // namespace sluice::file
