// option_fields.hpp -- every field of StreamOptions by its name, as text: for command lines, keyword arguments and
// readable model descriptions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/options.hpp"

namespace sluice {

struct OptionField {
    std::string_view name;    ///< as in StreamOptions
    std::string_view values;  ///< what may be given: "NUMBER", "yes|no", "trace|raw", ...
    std::string_view help;    ///< one sentence, with symbol and range
    /// Throws OptionError where the text is not a valid value. Ranges are checked when the model is made.
    void (*set)(StreamOptions& options, std::string_view text);
    /// Text that set() accepts; empty where the field is left empty.
    std::string (*get)(const StreamOptions& options);
};

/// In the order of the struct.
[[nodiscard]] std::span<const OptionField> option_fields();

}  // namespace sluice
