// compare_table.hpp -- a comparison in the terminal: a line for each method, the lowest error first.
#pragma once

#include <cstdio>

#include "result.hpp"

namespace sluice::cli {

void print_compare_table(std::FILE* to, const compare::CompareResult& result);

/// The methods that there are.
void print_methods(std::FILE* to);

}  // namespace sluice::cli
