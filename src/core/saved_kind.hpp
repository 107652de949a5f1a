// saved_kind.hpp -- the first bytes of everything that Sluice saves.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::core {

using namespace std::string_view_literals;

inline constexpr std::string_view kStateMagic = "SLUICE\n\0"sv;     ///< a model's state: state.hpp
inline constexpr std::string_view kModelFileMagic = "SLUICEMF"sv;   ///< a model file: src/file/sections.hpp
inline constexpr std::size_t kStateHeader = 8 + 4 + 8;              ///< magic, version, length of the payload
inline constexpr std::size_t kSectionTable = 8 + 4 + 4;             ///< magic, version, number of sections
inline constexpr std::size_t kSectionName = 8;                      ///< padded with zeros
inline constexpr std::size_t kSectionEntry = kSectionName + 8 + 8;  ///< name, length, checksum
inline constexpr std::size_t kMostSections = 64;
inline constexpr std::string_view kFitSection = "fit";  ///< only a fitted model has it

/// The payload of an adaptive model's state begins with the second of these numbers; with the first, where it was written
/// before memories were mixed. The payload of a plain model's state begins with the number of its inputs, which is never
/// that large.
inline constexpr unsigned long long kFollowedMark = ~0ULL;
inline constexpr unsigned long long kAdaptiveMark = ~0ULL - 1;
/// Instead of the second, where inputs were added to an adaptive model; the number that it was made with follows.
inline constexpr unsigned long long kWidenedMark = ~0ULL - 3;
/// The payload of an interval tracker's state begins with it.
inline constexpr unsigned long long kIntervalMark = ~0ULL - 2;
/// The same of BatchMoments.
inline constexpr unsigned long long kMomentsMark = ~0ULL - 4;

}  // namespace sluice::core
