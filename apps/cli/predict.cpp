// predict.cpp -- `sluice predict`: a model that was learnt before, applied to rows.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "disk.hpp"
#include "distinct_files.hpp"
#include "exit_code.hpp"
#include "model_commands.hpp"
#include "predict_job.hpp"
#include "sluice/error.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

struct PredictArguments {
    job::PredictSettings settings;
    OutputFlags output;
    ReadingArguments reading;
    std::string ignore;
    std::string on_bad_row = "stop";
    std::string out_format = "auto";
};

int run_predict_command(const PredictArguments& arguments) {
    job::PredictSettings settings = arguments.settings;
    settings.dialect = arguments.reading.dialect();
    settings.ignore = split(arguments.ignore);
    settings.skip_bad_rows = arguments.on_bad_row == "skip";
    const bool csv =
        arguments.out_format == "csv" || (arguments.out_format == "auto" && settings.out.ends_with(".csv"));
    settings.out_format = csv ? job::RecordFormat::csv : job::RecordFormat::ndjson;
    job::check_files_differ({{.setting = "model", .path = settings.model, .written = false},
                             {.setting = "input", .path = settings.input, .written = false},
                             {.setting = "out", .path = settings.out}});
    const job::PredictResult result = job::run_predict(settings, io::real_disk());
    if (result.rows == 0 && result.skipped == 0) {
        throw DataError((settings.input == "-" ? "standard input" : settings.input) + ": has a header and no rows");
    }
    if (!arguments.output.quiet) {
        fmt::print(stderr, "{} rows predicted", grouped(result.rows));
        if (result.skipped > 0) {
            fmt::print(stderr, ", {} bad ones skipped", grouped(result.skipped));
        }
        if (result.without_lags > 0) {
            fmt::print(stderr, ", {} without all of their lags", grouped(result.without_lags));
        }
        fmt::print(stderr, "\n");
        for (std::size_t j = 0; j < result.scores.size(); ++j) {
            fmt::print(stderr, "{} R2 {}\n", fitted(result.targets[j], kNameWidth), fixed(result.scores[j].r2(), 4));
        }
    }
    return kDone;
}

}  // namespace

Command add_predict(CommandLine& app, bool& errors_as_json) {
    CommandLine command = app.add_subcommand("predict", "Apply a model to rows without learning from them");
    auto arguments = std::make_shared<PredictArguments>();
    command.add_option("MODEL", arguments->settings.model, "A checkpoint of `stream` or a model of `fit`")
        .values("")
        .required();
    command.add_option("FILE", arguments->settings.input, "Rows; - is standard input").values("").shows_default();
    command.add_option("-o,--out", arguments->settings.out, "One record per row [standard output]").values("FILE|-");
    command.add_option("--out-format", arguments->out_format, "Format of the records")
        .one_of({"auto", "ndjson", "csv"});
    command.add_flag("--new-rows", arguments->settings.new_rows,
                     "The rows do not follow those of the stream that learnt the model: their lags begin as missing");
    command.add_option("--ignore", arguments->ignore, "Columns that the model does not need")
        .values("COL[,COL...]")
        .joined_by(',');
    command.add_option("--on-bad-row", arguments->on_bad_row, "Stop, or skip and count").one_of({"stop", "skip"});
    arguments->reading.add_to(command);
    add_output_flags(command, arguments->output, "Errors as JSON");
    command.footer(R"(Columns are found by name, in any order. Where the file has the targets too, R2 is printed.
A model that was learnt with --target-lags needs the targets, for their earlier values; a cell may be empty.

The rows continue the stream that wrote the model: lags begin with its last rows, and with --horizon the first
predictions are its last forecasts. Where they do not follow, say --new-rows. A model with lags adds missing_lags to
each record: how many earlier rows the lags of the row need and do not have.

Example:
  sluice predict plant.sluice today.csv --out today-predicted.csv)");
    return [arguments, &errors_as_json] {
        errors_as_json = arguments->output.json;
        return run_predict_command(*arguments);
    };
}

}  // namespace sluice::cli
