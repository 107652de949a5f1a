// other_program.hpp -- commands that are programs of their own, built by themselves, beside the tool.
#pragma once

#include <string>
#include <vector>

namespace sluice::cli {

/// Path of a program that is built beside this one. Throws std::runtime_error where it is not there.
[[nodiscard]] std::string other_program(const std::string& name);

/// Does not return: the program beside this one takes its place. Throws std::runtime_error where it is not there, with
/// the command that builds it, or cannot be started.
[[noreturn]] void start_other_program(const std::string& name, std::vector<std::string> words);

}  // namespace sluice::cli
