// serve.hpp -- `sluice serve`: its options. The server itself is sluice-serve, a program beside the tool.
#pragma once

#include "arguments.hpp"

namespace sluice::cli {

/// Adds the command; the function returned runs it.
Command add_serve(CommandLine& app);

}  // namespace sluice::cli
