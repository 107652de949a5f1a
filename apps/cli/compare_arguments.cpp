#include "compare_arguments.hpp"

namespace sluice::cli {

void add_compare_options(CommandLine& command, CompareArguments& arguments) {
    command.add_option("FILE", arguments.input, "CSV, TSV or NDJSON, plain, gzip or zstd; - is standard input")
        .values("")
        .shows_default();
    arguments.roles.add_to(command);

    const char* compared = "What is compared";
    command.add_option("--methods", arguments.methods, "Methods, as --list shows them [all]")
        .values("all|NAME[,NAME...]")
        .joined_by(',')
        .group(compared);
    command.add_option("--names", arguments.names, "The most inputs that a method which selects may use [10]")
        .values("N")
        .positive()
        .group(compared);
    command.add_option("--season", arguments.season, "Rows of a season, for the seasonal last value [24]")
        .values("N")
        .positive()
        .group(compared);
    command
        .add_option("--most-seconds", arguments.most_seconds,
                    "Processor time that each method may take; one that takes longer is out [no limit]")
        .values("S")
        .positive()
        .group(compared);
    command
        .add_option("--threads", arguments.threads, "Methods at work at once; the errors do not depend on it [cores]")
        .values("N")
        .positive()
        .group(compared);
    command.add_flag("--list", arguments.list, "List the methods, and end").group(compared);

    const char* shape = "What a row is";
    command.add_option("--lags", arguments.lags, "Inputs of this row and earlier ones, such as 0:15 or 0,1,5")
        .values("FROM:TO")
        .group(shape);
    command
        .add_option("--target-lags", arguments.target_lags,
                    "Known values of the targets as inputs too: 1 is the newest, such as 1:5")
        .values("FROM:TO")
        .group(shape);
    command.add_option("--horizon", arguments.horizon, "Predict N rows ahead; an output is learnt when it arrives")
        .values("N")
        .at_most(1'000'000)
        .group(shape);
    command.add_option("--warmup", arguments.warmup, "Rows that are learnt but not scored").values("N").group(shape);
    command.add_option("--on-bad-row", arguments.on_bad_row, "Stop, or skip and count")
        .group(shape)
        .one_of({"stop", "skip"});
    arguments.reading.add_to(command);

    const char* results = "Results";
    command.add_option("-o,--out", arguments.out, "Errors over time of each method, CSV")
        .values("FILE|-")
        .group(results);
    command
        .add_option("--report", arguments.report,
                    "A page with the errors over time and what each method selected when: one HTML file")
        .values("FILE|-")
        .group(results);
    add_output_flags(command, arguments.output, "The table, and errors, as JSON");
    command.most_used({"--targets", "--inputs", "--ignore", "--time", "--methods", "--names", "--lags", "--horizon",
                       "--warmup", "--report"});
    command.footer(
        R"(Every method predicts each row before it learns from it. The error is the mean squared error over the variance of the
target: 1 is the error of the mean known in hindsight. Time is that of one processor. docs/methods.md describes the
methods. Labels that come late (--labels of sluice stream) cannot be compared.

Examples:
  sluice compare data.csv --targets y
  sluice compare plant.csv.gz -t y1,y2 --time date --lags 0:15 --warmup 100 --names 20 --report methods.html
  sluice compare data.csv -t y --methods sluice,rls,window_lars --json

The methods are in a program of its own, built by: cmake --build build/release --target sluice-compare)");
}

}  // namespace sluice::cli
