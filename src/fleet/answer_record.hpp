// answer_record.hpp -- an answer as a line of NDJSON.
//
//     {"key":"T7","sequence":41,"row":41,"time":"...","predicted":{"power":1.5},"observed":{"power":1.25},
//      "outcome":"learned","selected":["wind"],"events":[...]}
// "selected" is there only where it is not as in the row before, "events" only where there are any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "member.hpp"

namespace sluice::fleet {

/// Appends a line. `targets` are the names of the numbers, escaped for JSON.
void append_record(std::string& out, std::string_view key, std::string_view time, const Answer& answer,
                   std::span<const double> observed, const std::vector<std::string>& targets);

/// A row that belongs to no key: it could not be read, or has none.
void append_refusal(std::string& out, std::string_view key, std::uint64_t line, const std::string& text);

}  // namespace sluice::fleet
