// stream_fleet.hpp -- `sluice stream --by`: one model for each value of a column.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "command_line.hpp"
#include "stream_job.hpp"

namespace sluice::cli {

struct FleetArguments {
    std::string by;  ///< a column, or the file of a config; empty: no fleet
    std::string sequence;
    std::string state;
    std::optional<double> memory_gb;  ///< none: half of the memory of the machine
};

void add_fleet_options(CommandLine& command, FleetArguments& fleet);

/// What `sluice stream` was given, of which a fleet takes a part. `paper`: the options started from the paper's.
struct FleetRequest {
    FleetArguments fleet;
    job::StreamSettings stream;
    bool paper = false;
    bool quiet = false;
    bool other_outputs = false;  ///< --summary, --report or --serve
};

/// Runs it to its end. Returns the exit code.
[[nodiscard]] int run_fleet(const FleetRequest& request);

}  // namespace sluice::cli
