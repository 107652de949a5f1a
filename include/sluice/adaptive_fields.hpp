// adaptive_fields.hpp -- every field of AdaptiveOptions by its name, as text: those of StreamOptions, of which some
// may be "auto", and those of Tuning.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/option_fields.hpp"
#include "sluice/tuning.hpp"

namespace sluice {

struct AdaptiveField {
    std::string_view name;
    std::string_view values;
    std::string_view help;

    /// Throws OptionError where the text is not a valid value. A value for a tuned setting turns its tuning off.
    void set(AdaptiveOptions& options, std::string_view text) const;
    /// Text that set() accepts.
    [[nodiscard]] std::string get(const AdaptiveOptions& options) const;

    // One of the two kinds.
    const OptionField* plain = nullptr;
    bool Tuning::*automatic = nullptr;  ///< where "auto" is a value of a plain field
    void (*set_tuning)(Tuning& tuning, std::string_view text) = nullptr;
    std::string (*get_tuning)(const Tuning& tuning) = nullptr;
};

[[nodiscard]] std::span<const AdaptiveField> adaptive_fields();

}  // namespace sluice
