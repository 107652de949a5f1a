// sections.hpp -- the frame of a model file: named sections, each with its length and its XXH3, under a header with
// one of its own. Every bit of the file is covered; a length is believed only after its checksum and within the file.
//
//     magic "SLUICEMF"  version u32  sections u32  { name 8 bytes, length u64, XXH3 u64 } ...  XXH3 of all before
//     the sections' bytes, one after the other
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::io {

/// Names have up to 8 characters.
using Section = std::pair<std::string, std::vector<std::byte>>;

[[nodiscard]] std::vector<std::byte> join_sections(const std::vector<Section>& sections);

/// Views into `file`, checked. Throws StateError with the reason.
class SectionView {
  public:
    explicit SectionView(std::span<const std::byte> file);
    [[nodiscard]] bool has(std::string_view name) const;
    /// Throws StateError where there is none of that name.
    [[nodiscard]] std::span<const std::byte> operator[](std::string_view name) const;

  private:
    std::vector<std::pair<std::string, std::span<const std::byte>>> sections_;
};

}  // namespace sluice::io
