// picture.cpp -- `sluice picture`: what a stream selected over time, as an SVG file.
#include <fmt/format.h>

#include <memory>

#include "disk.hpp"
#include "distinct_files.hpp"
#include "exit_code.hpp"
#include "model_commands.hpp"
#include "output_file.hpp"
#include "selection_picture.hpp"

namespace sluice::cli {

namespace {

struct PictureArguments {
    std::string log;
    std::string out = "-";
    job::PictureOptions options;
};

int run_picture(const PictureArguments& arguments) {
    job::check_files_differ(
        {{.setting = "input", .path = arguments.log, .written = false}, {.setting = "out", .path = arguments.out}});
    const job::SelectionLog log = job::read_selection_log(io::open_source(arguments.log));
    io::OutputFile out(io::real_disk(), arguments.out);
    out.text() = job::selection_svg(log, arguments.options);
    out.flush();
    return kDone;
}

}  // namespace

Command add_picture(CommandLine& app) {
    CommandLine command = app.add_subcommand("picture", "Draw which inputs were selected when, as an SVG file");
    auto arguments = std::make_shared<PictureArguments>();
    command.add_option("LOG", arguments->log, "Records that `stream --out` has written, NDJSON; - is standard input")
        .values("")
        .required();
    command.add_option("-o,--out", arguments->out, "Where to write [standard output]").values("FILE|-");
    command.add_option("--title", arguments->options.title, "Title [names the targets]").values("TEXT");
    command
        .add_option("--most", arguments->options.variables,
                    "Show at most N inputs: those that were selected in most rows")
        .values("N")
        .positive()
        .shows_default();
    command.footer(R"(Example:
  sluice stream data.csv --targets y --time date --out log.ndjson
  sluice picture log.ndjson --out selection.svg)");
    return [arguments] { return run_picture(*arguments); };
}

}  // namespace sluice::cli
