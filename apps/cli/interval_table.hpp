// interval_table.hpp -- how many outputs their intervals have contained, in the terminal.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "intervals.hpp"

namespace sluice::cli {

/// An empty line and a line for each target.
void print_interval_table(std::FILE* to, const job::Intervals& intervals, const std::vector<std::string>& targets);

}  // namespace sluice::cli
