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

    /// Throws OptionError where the text is not a valid value, or contradicts a field that was set before. A number for
    /// forgetting or shrinkage turns its tuning off. A number for components or keep gives the structure of the model:
    /// its variables are then not found one by one.
    void set(AdaptiveOptions& options, std::string_view text) const;
    /// Text that set() accepts.
    [[nodiscard]] std::string get(const AdaptiveOptions& options) const;

    const OptionField* plain = nullptr;  ///< the field of StreamOptions that it is; null for those of Tuning
    // Null where plain->set and plain->get are used.
    void (*set_adaptive)(AdaptiveOptions& options, std::string_view text) = nullptr;
    std::string (*get_adaptive)(const AdaptiveOptions& options) = nullptr;
};

[[nodiscard]] std::span<const AdaptiveField> adaptive_fields();

/// An option of an earlier version.
struct RemovedField {
    std::string_view name;
    std::string_view sentence;  ///< "dwell is gone: " and what to use instead
};
[[nodiscard]] std::span<const RemovedField> removed_fields();

/// Whether the variables are found one by one: Tuning::variables is on, and the options of the model give no structure
/// (components, keep, gamma, a penalty, groups or deflation = project).
[[nodiscard]] bool finds_variables(const AdaptiveOptions& options) noexcept;

}  // namespace sluice
