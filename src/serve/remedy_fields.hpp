// remedy_fields.hpp -- what can be done about an error, in the words of the service: which field of a model to give.
#pragma once

#include <string>

#include "remedy.hpp"

namespace sluice::serve {

/// "correct the row, or create the model with \"on_bad_row\": \"skip\""; empty without remedies that a client has.
/// `column` and `value` are those that are reported, if any.
[[nodiscard]] std::string remedy_text(const io::Remedies& remedies, const std::string& column,
                                      const std::string& value);

}  // namespace sluice::serve
