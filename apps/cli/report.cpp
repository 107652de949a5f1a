// report.cpp -- `sluice report`: the log of a stream as one page that opens in any browser.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "distinct_files.hpp"
#include "exit_code.hpp"
#include "history_json.hpp"
#include "log_reader.hpp"
#include "model_commands.hpp"
#include "model_file.hpp"
#include "output_file.hpp"
#include "page.hpp"
#include "progress_bar.hpp"
#include "report_page.hpp"
#include "usage.hpp"

namespace sluice::cli {

namespace {

struct ReportArguments {
    std::string log;
    std::string out;
    std::string model;
    std::optional<std::size_t> warmup;
    std::string title;
    OutputFlags output;
};

// The model after the last row of the log: how much each input does now, and how many there are.
void add_model(const job::ModelFile& file, const std::string& path, report::History& history,
               report::ReportText& text) {
    if (!file.learner) {
        throw job::UsageError({"model"},
                              fmt::format("{} is a fit of all rows at once: give the file that `sluice stream "
                                          "--checkpoint` wrote",
                                          path));
    }
    if (file.roles.targets != history.targets()) {
        throw job::UsageError({"model"},
                              fmt::format("{} predicts {}, and the log has {}: give the model of this stream", path,
                                          fmt::join(file.roles.targets, ", "), fmt::join(history.targets(), ", ")));
    }
    const std::vector<std::string> names = file.input_names();
    text.inputs = names.size();
    std::vector<report::Use> uses;
    for (const Importance& one : file.learner->model().importances()) {
        uses.push_back({.variable = history.variable(names[one.input]), .weight = one.contribution, .gain = one.gain});
    }
    history.note_weights_now(uses);
}

int run_report(const ReportArguments& arguments) {
    job::check_files_differ({{.setting = "input", .path = arguments.log, .written = false},
                             {.setting = "model", .path = arguments.model, .written = false},
                             {.setting = "out", .path = arguments.out}});
    report::LogSettings settings;
    std::optional<job::ModelFile> model;
    if (!arguments.model.empty()) {
        model = job::read_model_file(arguments.model);
        settings.warmup = model->tally ? model->tally->warmup() : 0;
    }
    settings.warmup = arguments.warmup.value_or(settings.warmup);
    constexpr std::size_t kSteps = 1000;
    std::optional<ProgressBar> bar(std::in_place, kSteps, arguments.output.quiet);
    bar->label("reading " + arguments.log);
    settings.progress = [&, done = std::size_t{0}](double share) mutable {
        const auto now = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kSteps);
        bar->add(now > done ? now - done : 0);
        done = std::max(now, done);
    };
    report::History history = report::read_log(io::open_source(arguments.log), settings);
    bar.reset();
    report::ReportText text{.title = arguments.title,
                            .source = std::filesystem::path(arguments.log).filename().string()};
    if (model) {
        add_model(*model, arguments.model, history, text);
    }
    io::OutputFile out(io::real_disk(), arguments.out);
    out.text() = report::report_html(web::page(), report::snapshot_json(history, text));
    out.flush();
    return kDone;
}

}  // namespace

Command add_report(CommandLine& app, bool& errors_as_json) {
    CommandLine command =
        app.add_subcommand("report", "Show the log of a stream as one page: what was selected, predicted and tuned");
    auto arguments = std::make_shared<ReportArguments>();
    command
        .add_option("LOG", arguments->log,
                    "Records that `stream --out` has written, NDJSON or CSV, plain, gzip or zstd; - is standard input")
        .values("")
        .required();
    command.add_option("-o,--out", arguments->out, "The page: one HTML file that opens without a server")
        .values("FILE|-")
        .required();
    command
        .add_option("--model", arguments->model,
                    "Checkpoint of the same stream: how much each input in use does, and the rows of its warm-up")
        .values("FILE");
    command.add_option("--warmup", arguments->warmup, "Rows at the beginning that are not scored [0, or the model's]")
        .values("N");
    command.add_option("--title", arguments->title, "Title [names the targets]").values("TEXT");
    add_output_flags(command, arguments->output, "Errors as JSON");
    command.footer(
        R"(The weights of the inputs over time are in the page where the log has them (`stream --weights`). The same page
at the end of a stream, without a log: `stream --report FILE`.

Examples:
  sluice stream data.csv --targets y --time date --weights --out log.ndjson
  sluice report log.ndjson --out own.html)");
    return [arguments, &errors_as_json] {
        errors_as_json = arguments->output.json;
        return run_report(*arguments);
    };
}

}  // namespace sluice::cli
