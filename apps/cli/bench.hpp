// bench.hpp -- `sluice bench`: starts the program beside the tool that measures.
#pragma once

#include "arguments.hpp"

namespace sluice::cli {

/// Adds the command; the function returned runs it.
Command add_bench(CommandLine& app);

}  // namespace sluice::cli
