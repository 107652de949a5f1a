#include "stream.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "disk.hpp"
#include "error_table.hpp"
#include "exit_code.hpp"
#include "history_json.hpp"
#include "interrupt.hpp"
#include "interval_table.hpp"
#include "label_options.hpp"
#include "lags.hpp"
#include "live_history.hpp"
#include "live_view.hpp"
#include "output_file.hpp"
#include "page.hpp"
#include "progress.hpp"
#include "remedy_words.hpp"
#include "report_page.hpp"
#include "run_remarks.hpp"
#include "sluice/error.hpp"
#include "stream_fleet.hpp"
#include "stream_job.hpp"
#include "summary.hpp"
#include "usage.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t kImportancesShown = 12;
constexpr std::size_t kLongestStaysShown = 12;
constexpr double kDefaultSecondsBetweenCheckpoints = 30.0;
constexpr std::size_t kDefaultPort = 8765;

struct StreamArguments {
    job::StreamSettings settings;
    OutputFlags output;
    ReadingArguments reading;
    RoleArguments roles;
    ModelArguments model;
    bool paper = false;
    std::string lags;
    std::string target_lags;
    std::string horizon;
    std::string interval;
    std::string on_bad_row = "stop";
    std::string out_format = "auto";
    std::string summary;
    std::string report;
    bool serve = false;
    std::optional<std::size_t> port;
    std::string checkpoint_every;
    FleetArguments fleet;
};

// "500" rows or "30s".
void set_checkpoint_every(const std::string& text, job::StreamSettings& settings) {
    if (text.empty()) {
        settings.checkpoint_seconds = kDefaultSecondsBetweenCheckpoints;
        return;
    }
    const bool seconds = text.back() == 's';
    const char* end = text.data() + text.size() - (seconds ? 1 : 0);
    double number = 0.0;
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    const bool whole = seconds || number == std::floor(number);
    if (problem != std::errc() || stop != end || !(number > 0.0) || number > 1e15 || !whole) {
        throw job::UsageError(fmt::format(
            "--checkpoint-every {}: give a number of rows, such as 1000, or of seconds, such as 30s", text));
    }
    if (seconds) {
        settings.checkpoint_seconds = number;
    } else {
        settings.checkpoint_rows = static_cast<std::uint64_t>(number);
    }
}

job::RecordFormat record_format(const std::string& wanted, const std::string& path) {
    const bool csv = wanted == "csv" || (wanted == "auto" && path.ends_with(".csv"));
    return csv ? job::RecordFormat::csv : job::RecordFormat::ndjson;
}

double interval_of(const std::string& text) {
    double coverage = 0.0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, coverage);
    if (problem != std::errc() || stop != end || !IntervalOptions{.coverage = coverage}.problems().empty()) {
        throw job::UsageError(fmt::format(
            "--interval {}: give the share of outputs that the intervals shall contain, 0.1 to 0.999", text));
    }
    return coverage;
}

job::StreamSettings settings_of(const StreamArguments& arguments) {
    job::StreamSettings settings = arguments.settings;
    settings.dialect = arguments.reading.dialect();
    settings.roles = arguments.roles.request();
    if (arguments.paper) {
        settings.options = paper_options();
    }
    arguments.model.apply(settings.options, settings.options_given);
    if (!arguments.lags.empty()) {
        settings.lags = job::parse_lags(arguments.lags);
    }
    if (!arguments.target_lags.empty()) {
        settings.target_lags = job::parse_target_lags(arguments.target_lags);
    }
    if (!arguments.horizon.empty()) {
        std::size_t horizon = 0;
        const char* end = arguments.horizon.data() + arguments.horizon.size();
        const auto [stop, problem] = std::from_chars(arguments.horizon.data(), end, horizon);
        if (problem != std::errc() || stop != end || horizon > 1'000'000) {
            throw job::UsageError(fmt::format("--horizon {}: give rows ahead, 0 to 1000000", arguments.horizon));
        }
        settings.horizon = horizon;
    }
    if (!arguments.interval.empty()) {
        settings.interval = interval_of(arguments.interval);
    }
    settings.skip_bad_rows = arguments.on_bad_row == "skip";
    settings.out_format = record_format(arguments.out_format, settings.out);
    if (!settings.checkpoint.empty() || !arguments.fleet.state.empty()) {
        set_checkpoint_every(arguments.checkpoint_every, settings);
    }
    if (settings.out == "-" && arguments.summary == "-") {
        throw job::UsageError("--out - and --summary - cannot both go to standard output");
    }
    if (arguments.report == "-" && (settings.out == "-" || arguments.summary == "-")) {
        throw job::UsageError("--report - cannot go to standard output beside --out - or --summary -");
    }
    if (arguments.port && !arguments.serve) {
        throw job::UsageError("--port is that of the page: give --serve too");
    }
    if (settings.weights && settings.out.empty()) {
        throw job::UsageError("--weights adds to the records, and there are none: give their file with --out FILE");
    }
    settings.other_files = {{.setting = "summary", .path = arguments.summary},
                            {.setting = "report", .path = arguments.report}};
    if (settings.follow && settings.input == "-") {
        throw job::UsageError("--follow needs a file; standard input is waited for anyway");
    }
    return settings;
}

// What predicts now, where it is known how much each variable does.
void print_importances(std::FILE* to, const job::StreamJob& job) {
    const AdaptiveModel& model = job.learner().model();
    if (!model.options().tuning.any()) {
        return;
    }
    const auto importances = model.importances();
    if (importances.empty()) {
        fmt::print(to, "\nselected: no input\n");
        return;
    }
    fmt::print(to, "\n{} {:>14} {:>14}\n", fitted("selected, by importance", kNameWidth), "contribution", "gain");
    for (const Importance& one : importances.first(std::min(importances.size(), kImportancesShown))) {
        fmt::print(to, "{} {:>14.4f} {:>14.4f}\n", fitted(job.input_names()[one.input], kNameWidth), one.contribution,
                   one.gain);
    }
    if (importances.size() > kImportancesShown) {
        fmt::print(to, "and {} others\n", grouped(importances.size() - kImportancesShown));
    }
}

// "2 drift, 1 column_vanished"; nothing where there were no events.
void print_event_counts(std::FILE* to, const job::EventLog& events) {
    std::string line;
    for (std::size_t k = 0; k < job::kEventKinds; ++k) {
        const auto kind = static_cast<job::EventKind>(k);
        if (events.count(kind) > 0) {
            line += fmt::format("{}{} {}", line.empty() ? "" : ", ", grouped(events.count(kind)), name_of(kind));
        }
    }
    if (!line.empty()) {
        fmt::print(to, "events: {}\n\n", line);
    }
}

void print_table(std::FILE* to, const job::StreamJob& job, double rows_per_second) {
    const job::Tally& tally = job.tally();
    fmt::print(to, "{} rows", grouped(tally.rows()));
    if (tally.skipped() > 0) {
        fmt::print(to, ", {} bad ones skipped", grouped(tally.skipped()));
    }
    fmt::print(to, ", {} inputs, {} rows/s; {:.2f} variables entered per row\n\n", grouped(job.input_names().size()),
               grouped(static_cast<std::uint64_t>(rows_per_second)), tally.mean_turnover());
    print_event_counts(to, job.events());
    if (job.late_labels() != nullptr) {
        fmt::print(to, "{}\n\n", label_line(*job.late_labels()));
    }
    print_error_table(to, job::target_errors(tally, job.roles().targets, job.learner()),
                      {.horizon = job.learner().layout().horizon, .late_labels = job.late_labels() != nullptr});
    if (job.intervals() != nullptr) {
        print_interval_table(to, *job.intervals(), job.roles().targets);
    }
    print_importances(to, job);
    const auto stays = tally.stays();
    fmt::print(to, "\n{} {:>10}   {}\n", fitted("selected longest", kNameWidth), "of the time",
               "when, from first to last row");
    for (std::size_t k = 0; k < stays.size() && k < kLongestStaysShown; ++k) {
        fmt::print(to, "{} {:>9.1f} %   {}\n", fitted(job.input_names()[stays[k].input], kNameWidth),
                   100.0 * stays[k].share, bar(stays[k].when));
    }
    if (stays.size() > kLongestStaysShown) {
        fmt::print(to, "and {} others\n", grouped(stays.size() - kLongestStaysShown));
    }
}

int run_stream(const StreamArguments& arguments) {
    const job::StreamSettings settings = settings_of(arguments);
    if (!arguments.fleet.by.empty()) {
        return run_fleet({.fleet = arguments.fleet,
                          .stream = settings,
                          .paper = arguments.paper,
                          .quiet = arguments.output.quiet,
                          .other_outputs = !arguments.summary.empty() || !arguments.report.empty() || arguments.serve});
    }
    if (!arguments.fleet.state.empty() || !arguments.fleet.sequence.empty()) {
        throw job::UsageError("--state and --sequence are for a fleet: give its key with --by COLUMN");
    }
    const bool reopens = (!settings.out.empty() && settings.out != "-") || !settings.rejects.empty();
    const io::Interrupt interrupt(reopens ? io::Interrupt::Hangup::reopen : io::Interrupt::Hangup::stop);
    const auto say = [&](const job::Message& message) {
        if (!arguments.output.quiet || message.severity == job::Message::Severity::warning) {
            const bool on_progress = isatty(STDERR_FILENO) == 1;  // the line of progress may be there
            fmt::print(stderr, "{}sluice: {}{}\n", on_progress ? "\r\033[K" : "", message.text,
                       remedy_sentence(message.remedies, {}, message.value));
        }
    };
    std::optional<job::StreamJob> opened;
    try {
        opened.emplace(settings, io::real_disk(), &interrupt, say);
    } catch (const job::Stopped& stop) {
        say({.text = stop.what()});
        return kInterrupted;
    }
    job::StreamJob& stream = *opened;
    if (stream.resumed_at() > 0) {
        say({.text = fmt::format("continuing after row {}", grouped(stream.resumed_at()))});
    }
    std::unique_ptr<io::OutputFile> summary;  // opened before the work, which may take days
    if (!arguments.summary.empty()) {
        summary = std::make_unique<io::OutputFile>(io::real_disk(), arguments.summary);
    }
    std::unique_ptr<io::OutputFile> report;
    std::optional<report::LiveHistory> history;
    if (!arguments.report.empty()) {
        report = std::make_unique<io::OutputFile>(io::real_disk(), arguments.report);
        history.emplace(stream.input_names(), stream.roles().targets, stream.tally().warmup());
    }
    std::optional<LiveView> view;
    if (arguments.serve) {
        view.emplace(LiveView::Settings{.port = arguments.port.value_or(kDefaultPort),
                                        .title = std::filesystem::path(settings.input).filename().string(),
                                        .warmup = stream.tally().warmup()},
                     stream.record_names());
        say({.text = "the page is at " + view->address()});
    }
    if (history || view) {
        stream.on_record([&](const job::Record& record) {
            if (history) {
                history->add(record);
            }
            if (view) {
                view->add(record);
            }
        });
    }
    double rows_per_second = 0.0;
    job::StreamJob::End end{};
    {
        Progress progress(stream, arguments.output.quiet);
        end = stream.run([&] { progress.row(); });
        rows_per_second = progress.rows_per_second();
    }
    if (summary) {
        summary->text() =
            job::summary_json(stream.tally(), stream.events(), stream.learner(), stream.roles(), stream.input_names(),
                              rows_per_second, stream.late_labels(), stream.intervals());
        summary->flush();
    }
    if (report) {
        const report::ReportText text{.title = {},
                                      .source = std::filesystem::path(settings.input).filename().string(),
                                      .inputs = stream.input_names().size()};
        report->text() = report::report_html(web::page(), report::snapshot_json(history->history(), text));
        report->flush();
    }
    const job::RunRemarks ended = remarks_on(settings.input, stream.roles(), stream.learner(), stream.tally());
    if (end == job::StreamJob::End::finished && !ended.nothing_learnt.empty() && settings.checkpoint.empty()) {
        throw DataError(ended.nothing_learnt);
    }
    if (!arguments.output.quiet) {
        const bool taken = settings.out == "-" || arguments.summary == "-" || arguments.report == "-";
        print_table(taken ? stderr : stdout, stream, rows_per_second);
    }
    if (!ended.nothing_learnt.empty()) {  // a later run may continue from the checkpoint
        say({.severity = job::Message::Severity::warning, .text = ended.nothing_learnt});
    }
    for (const std::string& remark : ended.remarks) {
        say({.severity = job::Message::Severity::warning, .text = remark});
    }
    if (end == job::StreamJob::End::interrupted) {
        say({.text =
                 fmt::format("interrupted after row {}{}", grouped(stream.tally().rows()),
                             settings.checkpoint.empty() ? "" : "; --resume continues from " + settings.checkpoint)});
        return kInterrupted;
    }
    if (view && view->shown()) {
        say({.text = fmt::format("the stream has ended; the page stays at {} until Ctrl-C", view->address())});
        view->stay(interrupt);
    }
    return kDone;
}

}  // namespace

Command add_stream(CommandLine& app, bool& errors_as_json) {
    CommandLine command = app.add_subcommand("stream", "Predict each row of a stream, then learn from it");
    auto arguments = std::make_shared<StreamArguments>();
    job::StreamSettings& settings = arguments->settings;
    command.add_option("FILE", settings.input, "CSV, TSV or NDJSON, plain, gzip or zstd; - is standard input")
        .values("")
        .shows_default();
    arguments->roles.add_to(command);

    const char* shape = "What a row is";
    command.add_option("--lags", arguments->lags, "Inputs of this row and earlier ones, such as 0:15 or 0,1,5")
        .values("FROM:TO")
        .group(shape);
    command
        .add_option("--target-lags", arguments->target_lags,
                    "Known values of the targets as inputs too: 1 is the newest (the row before; with --horizon, this "
                    "row), such as 1:5")
        .values("FROM:TO")
        .group(shape);
    command.add_option("--horizon", arguments->horizon, "Predict N rows ahead; an output is learnt when it arrives")
        .values("N")
        .group(shape);
    command.add_option("--warmup", settings.warmup, "Rows that are learnt but not scored").values("N").group(shape);
    command.add_flag("--follow", settings.follow, "At the end of the file, wait for more").group(shape);
    command.add_option("--on-bad-row", arguments->on_bad_row, "Stop, or skip and count")
        .group(shape)
        .one_of({"stop", "skip"});
    command
        .add_option("--rejects", settings.rejects,
                    "File for skipped rows: line, column, value, reason, and the row itself")
        .values("FILE")
        .group(shape);
    add_label_options(command, settings);
    add_fleet_options(command, arguments->fleet);
    arguments->reading.add_to(command);

    const char* results = "Results";
    command.add_option("-o,--out", settings.out, "One record per row, NDJSON (or CSV if the name ends in .csv)")
        .values("FILE|-")
        .group(results);
    command.add_option("--out-format", arguments->out_format, "Format of the records")
        .group(results)
        .one_of({"auto", "ndjson", "csv"});
    command
        .add_option("--interval", arguments->interval,
                    "With each prediction an interval that shall contain this share of the outputs, such as 0.9")
        .values("SHARE")
        .group(results);
    command.add_option("--summary", arguments->summary, "JSON at the end: rows, errors per target, turnover, shares")
        .values("FILE|-")
        .group(results);
    command
        .add_option("--report", arguments->report,
                    "At the end, a page that shows what was selected, predicted and tuned: one HTML file")
        .values("FILE|-")
        .group(results);
    command
        .add_flag("--serve", arguments->serve,
                  "A page that shows the stream while it runs, on this machine alone; it stays until Ctrl-C")
        .group(results);
    command.add_option("--port", arguments->port, "Port of that page; 0 is any that is free [8765]")
        .values("N")
        .at_most(65535)
        .group(results);
    command.add_flag("--weights", settings.weights, "Records have the weight of each selected input too")
        .group(results);
    command
        .add_option(
            "--on-event", settings.monitor.on_event,
            "Command for each event (drift, suspect rows, columns, checkpoints), whose JSON is its standard "
            "input. It is started without a shell: words are separated by blanks, and quotes keep blanks together")
        .values("COMMAND")
        .group(results);
    command
        .add_option("--metrics", settings.monitor.metrics,
                    "Rows, errors and events as text for Prometheus, replaced every 10 s: the name should end in .prom")
        .values("FILE")
        .group(results);

    const char* keeping = "Checkpoints";
    command.add_option("--checkpoint", settings.checkpoint, "Model file, replaced at intervals and at the end")
        .values("FILE")
        .group(keeping);
    command.add_option("--checkpoint-every", arguments->checkpoint_every, "Rows, or seconds such as 30s [30s]")
        .values("N|Ns")
        .group(keeping);
    command.add_flag("--resume", settings.resume, "Continue from the checkpoint, if there is one").group(keeping);
    command
        .add_flag("--from-here", settings.from_here,
                  "With --resume: the input starts after the rows of the checkpoint; skip nothing")
        .group(keeping);
    command
        .add_flag("--from-start", settings.from_start,
                  "With --resume: read the input from its beginning, as another series: no lags from the rows before")
        .group(keeping);
    command.add_flag("--new-out", settings.new_out, "With --resume: --out and --rejects are new files").group(keeping);

    command
        .add_flag("--paper", arguments->paper,
                  "Start from the paper's options instead of the defaults: nothing is tuned, and there are no alarms")
        .group("The model");
    arguments->model.add_to(command);
    command
        .add_option("--group-file", settings.group_file,
                    "Group lasso: lines of column,group. Default: the lags of a column are a group")
        .values("FILE")
        .group("The model");
    add_output_flags(command, arguments->output, "Errors as JSON");
    command.most_used({"--targets", "--inputs", "--ignore", "--time", "--missing", "--lags", "--horizon", "--out",
                       "--checkpoint", "--resume"});
    command.footer(R"(Examples:
  sluice stream data.csv --targets y
  sluice stream plant.csv.gz -t y1,y2 --time date --lags 0:15 --out log.ndjson --summary -
  sluice stream plant.csv -t y1,y2 --lags 0:15 --target-lags 1:5
  sluice stream plant.csv --time when --labels laboratory.csv --follow --out -
  tail -n +1 -f feed.csv | sluice stream - -t price --checkpoint price.sluice --resume --out -
  sluice stream farm.csv -t power --by turbine --sequence n --state farm --resume --out answers.ndjson
  sluice stream AirQualityUCI.csv -t CO_GT,NOx_GT --time Date,Time --missing -200)");
    return [arguments, &errors_as_json] {
        errors_as_json = arguments->output.json;
        return run_stream(*arguments);
    };
}

}  // namespace sluice::cli
