// bench.hpp -- `sluice bench`: what a row costs, as a table or as JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace sluice::cli {

/// Adds the command; the function returned runs it.
std::function<int()> add_bench(CLI::App& app);

}  // namespace sluice::cli
