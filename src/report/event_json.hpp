// event_json.hpp -- the events of a record, read from its JSON.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "stream_row.hpp"

namespace sluice::report {

/// Appends the events of a list. False where it is no list of events.
[[nodiscard]] bool read_events(simdjson::dom::element list, std::vector<StreamEvent>& out);

/// Appends the names of a list of texts. False where it is none.
[[nodiscard]] bool read_names(simdjson::dom::element list, std::vector<std::string>& out);

}  // namespace sluice::report
