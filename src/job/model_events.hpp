// model_events.hpp -- the events that the report of one row has: drift, suspect rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "event_log.hpp"
#include "sluice/report.hpp"

namespace sluice::job {

/// The row that an event belongs to.
struct EventRow {
    std::uint64_t row = 0;  ///< from 1
    std::string_view time;
};

/// `inputs` are the names of the model's inputs, lags included.
void raise_model_events(EventLog& events, const StepReport& report, const EventRow& at,
                        const std::vector<std::string>& inputs, const std::vector<std::string>& targets);

}  // namespace sluice::job
