// label_options.hpp -- the options of `sluice stream` for labels that come late, and the line about them.
#pragma once

#include <string>

#include "command_line.hpp"
#include "stream_job.hpp"

namespace sluice::cli {

void add_label_options(CommandLine& command, job::StreamSettings& settings);

/// "labels: 120 learnt, 3 late, ..."
[[nodiscard]] std::string label_line(const job::LateLabels& labels);

}  // namespace sluice::cli
