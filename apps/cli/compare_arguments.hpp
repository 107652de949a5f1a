// compare_arguments.hpp -- the options of `sluice compare`: declared by the tool, which has the help, and by the program that
// it starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "arguments.hpp"

namespace sluice::cli {

struct CompareArguments {
    std::string input = "-";
    OutputFlags output;
    ReadingArguments reading;
    RoleArguments roles;
    std::string lags = "0";
    std::string target_lags;
    std::size_t horizon = 0;
    std::size_t warmup = 0;
    std::string on_bad_row = "stop";
    std::string methods = "all";
    std::size_t names = 10;
    std::size_t season = 24;
    std::optional<std::size_t> threads;
    std::optional<double> most_seconds;
    bool list = false;
    std::string out;
    std::string report;
};

/// `arguments` must live as long as the parser.
void add_compare_options(CommandLine& command, CompareArguments& arguments);

}  // namespace sluice::cli
