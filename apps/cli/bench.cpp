// bench.cpp -- `sluice bench`: starts sluice-bench, which is built by itself and stands beside the tool.
#include "bench.hpp"

#include "other_program.hpp"

namespace sluice::cli {

Command add_bench(CommandLine& app) {
    CommandLine command =
        app.add_subcommand("bench", "Measure what a row costs, beside the method written plainly, and accuracy");
    command.pass_on_everything();  // --help too is answered by the other program
    command.footer(
        "sluice bench --help lists what it measures. It is built by: cmake --build build/release --target "
        "sluice-bench");
    return [command]() -> int { start_other_program("sluice-bench", command.passed_on()); };
}

}  // namespace sluice::cli
