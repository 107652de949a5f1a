// bench.cpp -- `sluice bench`: starts sluice-bench, which is built by itself and stands beside the tool.
#include "bench.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::cli {

namespace {

// Does not return: the other program takes this one's place.
[[noreturn]] void start_bench(std::vector<std::string> words) {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "sluice-bench";
    if (!std::filesystem::exists(program)) {
        throw std::runtime_error(program.string() +
                                 " is not there: it is built only on request.\n"
                                 "Build it with: cmake --build build/release --target sluice-bench");
    }
    std::string name = program.string();
    std::vector<char*> arguments = {name.data()};
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    throw std::runtime_error("cannot start " + name + ": " + std::strerror(errno));
}

}  // namespace

Command add_bench(CommandLine& app) {
    CommandLine command =
        app.add_subcommand("bench", "Measure what a row costs, beside the method written plainly, and accuracy");
    command.pass_on_everything();  // --help too is answered by the other program
    command.footer(
        "sluice bench --help lists what it measures. It is built by: cmake --build build/release --target "
        "sluice-bench");
    return [command]() -> int { start_bench(command.passed_on()); };
}

}  // namespace sluice::cli
