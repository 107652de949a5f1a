// compare_table.hpp -- a comparison in the terminal: a line for each method, the lowest error first.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "result.hpp"

namespace sluice::cli {

/// Rows, inputs, targets and settings in two sentences.
[[nodiscard]] std::string about_text(const compare::CompareResult& result);
[[nodiscard]] std::string error_text(double error);       ///< 0.0123, or 1.23e+05
[[nodiscard]] std::string bytes_text(std::size_t bytes);  ///< 12 kB
/// "*": the lowest error of all. "+": of those that select.
[[nodiscard]] std::string mark_of(const compare::MethodResult& method);

void print_compare_table(std::FILE* to, const compare::CompareResult& result);

/// The methods that there are.
void print_methods(std::FILE* to);

}  // namespace sluice::cli
