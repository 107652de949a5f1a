#include "sections.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "sluice/error.hpp"

namespace sluice::io {

namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

constexpr std::string_view kMagic = "SLUICEMF";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostSections = 64;
constexpr std::size_t kName = 8;
constexpr std::size_t kEntry = kName + (2 * sizeof(std::uint64_t));
constexpr std::size_t kBegin = kMagic.size() + (2 * sizeof(std::uint32_t));

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

void require(bool kept, const std::string& reason) {
    if (!kept) {
        throw StateError("model file refused: " + reason);
    }
}

}  // namespace

std::vector<std::byte> join_sections(const std::vector<Section>& sections) {
    std::size_t size = kBegin + (sections.size() * kEntry) + sizeof(std::uint64_t);
    for (const auto& [name, bytes] : sections) {
        size += bytes.size();
    }
    std::vector<std::byte> out;
    out.reserve(size);
    const auto count = static_cast<std::uint32_t>(sections.size());
    append(out, kMagic.data(), kMagic.size());
    append(out, &kVersion, sizeof(kVersion));
    append(out, &count, sizeof(count));
    for (const auto& [name, bytes] : sections) {
        assert(name.size() <= kName);
        std::array<char, kName> padded{};
        std::ranges::copy(name, padded.begin());
        const std::uint64_t length = bytes.size();
        const std::uint64_t sum = checksum(bytes);
        append(out, padded.data(), kName);
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
    require(file.size() >= kMagic.size() && std::memcmp(file.data(), kMagic.data(), kMagic.size()) == 0,
            "it was not written by Sluice");
    require(file.size() >= kBegin + sizeof(std::uint64_t), "it was cut short");
    const auto version = read_at<std::uint32_t>(file, kMagic.size());
    const auto count = read_at<std::uint32_t>(file, kMagic.size() + sizeof(version));
    require(count <= kMostSections, "its header is damaged");
    const std::size_t header = kBegin + (count * kEntry);
    require(file.size() >= header + sizeof(std::uint64_t), "it was cut short");
    require(read_at<std::uint64_t>(file, header) == checksum(file.first(header)), "its header is damaged");
    require(version <= kVersion, "it was written by a newer Sluice (format " + std::to_string(version) +
                                     ", this one knows up to " + std::to_string(kVersion) + ")");
    require(version == kVersion, "its format is none that was ever written");

    auto rest = file.subspan(header + sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t entry = kBegin + (i * kEntry);
        std::array<char, kName + 1> name{};
        std::memcpy(name.data(), file.data() + entry, kName);
        const auto length = read_at<std::uint64_t>(file, entry + kName);
        require(length <= rest.size(), "it was cut short");
        const auto bytes = rest.first(length);
        require(read_at<std::uint64_t>(file, entry + kName + sizeof(length)) == checksum(bytes),
                std::string("its section \"") + name.data() + "\" is damaged");
        sections_.emplace_back(name.data(), bytes);
        rest = rest.subspan(length);
    }
    require(rest.empty(), "there is something after its end");
}

bool SectionView::has(std::string_view name) const {
    return std::ranges::any_of(sections_, [&](const auto& s) { return s.first == name; });
}

std::span<const std::byte> SectionView::operator[](std::string_view name) const {
    const auto at = std::ranges::find_if(sections_, [&](const auto& s) { return s.first == name; });
    require(at != sections_.end(), "it has no section \"" + std::string(name) + "\"");
    return at->second;
}

}  // namespace sluice::io
