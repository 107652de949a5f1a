// sections.hpp -- the frame of a model file: named sections, each with its length and its XXH3, under a header with a
// checksum of its own. Every bit of the file is covered. A length is used only after its checksum was verified and
// only where it lies within the file.
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

namespace sluice::file {

/// Names have at most 8 characters.
using Section = std::pair<std::string, std::vector<std::byte>>;

[[nodiscard]] std::vector<std::byte> join_sections(const std::vector<Section>& sections);

/// Checked views into the bytes of a model file. Throws WrongKindError or StateError with the reason.
class SectionView {
  public:
    explicit SectionView(std::span<const std::byte> file);
    [[nodiscard]] bool has(std::string_view name) const;
    /// Throws StateError where there is no section of that name.
    [[nodiscard]] std::span<const std::byte> operator[](std::string_view name) const;

  private:
    std::vector<std::pair<std::string, std::span<const std::byte>>> sections_;
};

/// Throws StateError with "model file refused: " and the reason unless `holds`.
void require(bool holds, const std::string& reason);

}  // namespace sluice::file
