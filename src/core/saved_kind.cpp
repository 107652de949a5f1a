// saved_kind.cpp -- the kind of saved bytes.
#include "saved_kind.hpp"

#include <algorithm>
#include <cstring>

#include "sluice/saved_kind.hpp"

namespace sluice {

namespace {

template <typename T>
T read_at(std::string_view bytes, std::size_t at) noexcept {
    T value{};
    if (bytes.size() >= at + sizeof(T)) {
        std::memcpy(&value, bytes.data() + at, sizeof(T));
    }
    return value;
}

bool has_fit_section(std::string_view bytes) noexcept {
    const std::size_t count = std::min<std::size_t>(
        read_at<std::uint32_t>(bytes, core::kSectionTable - sizeof(std::uint32_t)), core::kMostSections);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = core::kSectionTable + (i * core::kSectionEntry);
        if (at + core::kSectionName > bytes.size()) {
            break;
        }
        const std::string_view name = bytes.substr(at, core::kSectionName);
        if (name.substr(0, name.find('\0')) == core::kFitSection) {
            return true;
        }
    }
    return false;
}

// Printable characters, tabs, line ends and whatever UTF-8 uses beyond ASCII.
bool is_text(std::string_view bytes) noexcept {
    constexpr std::size_t kLooked = 256;
    return std::ranges::all_of(bytes.substr(0, kLooked), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return code >= 0x20U ? code != 0x7fU : (c == '\t' || c == '\n' || c == '\r');
    });
}

std::string sentence(SavedKind kind) {
    switch (kind) {
        case SavedKind::empty:
            return "it is empty";
        case SavedKind::text:
            return "it is text, such as CSV, and was not written by Sluice as a model";
        case SavedKind::stream_state:
            return "it is the state of a StreamModel, without column names: StreamModel::load() takes it";
        case SavedKind::adaptive_state:
            return "it is the state of an AdaptiveModel, without column names: AdaptiveModel::load() takes it";
        case SavedKind::interval_state:
            return "it is the state of an IntervalTracker, and no model: IntervalTracker::load() takes it";
        case SavedKind::moments_state:
            return "it is moments of rows, and no model: BatchMoments::load() takes it";
        case SavedKind::model_file:
            return "it is a model file, an on-line model with its column names: unpack_model() takes it";
        case SavedKind::fit_file:
            return "it is a model file of a fit, which does not learn row by row: unpack_fit() takes it";
        case SavedKind::unknown:
            break;
    }
    return "it was not written by Sluice";
}

}  // namespace

SavedKind saved_kind(std::span<const std::byte> bytes) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                bytes.size());  // NOLINT(*-reinterpret-cast)
    if (text.empty()) {
        return SavedKind::empty;
    }
    if (text.starts_with(core::kStateMagic)) {
        const auto mark = read_at<std::uint64_t>(text, core::kStateHeader);
        return mark >= core::kAdaptiveMark || mark == core::kWidenedMark ? SavedKind::adaptive_state
               : mark == core::kIntervalMark                             ? SavedKind::interval_state
               : mark == core::kMomentsMark                              ? SavedKind::moments_state
                                                                         : SavedKind::stream_state;
    }
    if (text.starts_with(core::kModelFileMagic)) {
        return has_fit_section(text) ? SavedKind::fit_file : SavedKind::model_file;
    }
    return is_text(text) ? SavedKind::text : SavedKind::unknown;
}

WrongKindError::WrongKindError(SavedKind found) : StateError("cannot load this: " + sentence(found)), found_(found) {}

}  // namespace sluice
