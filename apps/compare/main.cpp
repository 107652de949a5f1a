// main.cpp -- sluice-compare, which `sluice compare` starts. A program of its own, because its methods take long to compile.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "compare_arguments.hpp"
#include "compare_job.hpp"
#include "compare_page.hpp"
#include "compare_table.hpp"
#include "disk.hpp"
#include "distinct_files.hpp"
#include "exit_code.hpp"
#include "help_format.hpp"
#include "interrupt.hpp"
#include "lags.hpp"
#include "output_file.hpp"
#include "progress_bar.hpp"
#include "remedy_words.hpp"
#include "result.hpp"
#include "sluice/version.hpp"
#include "trouble.hpp"
#include "usage.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

compare::CompareSettings settings_of(const CompareArguments& arguments) {
    compare::CompareSettings settings;
    settings.input = arguments.input;
    settings.dialect = arguments.reading.dialect();
    settings.roles = arguments.roles.request();
    settings.layout.lags = job::parse_lags(arguments.lags);
    if (!arguments.target_lags.empty()) {
        settings.layout.target_lags = job::parse_target_lags(arguments.target_lags);
    }
    settings.layout.horizon = arguments.horizon;
    settings.warmup = arguments.warmup;
    settings.skip_bad_rows = arguments.on_bad_row == "skip";
    settings.entries = compare::entries_named(split(arguments.methods));
    settings.names = arguments.names;
    settings.season = arguments.season;
    settings.threads = arguments.threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
    settings.most_seconds = arguments.most_seconds.value_or(0.0);
    settings.pictures = !arguments.report.empty();
    const auto to_output = static_cast<int>(arguments.out == "-") + static_cast<int>(arguments.report == "-") +
                           static_cast<int>(arguments.output.json);
    if (to_output > 1) {
        throw job::UsageError("only one of --out -, --report - and --json can go to standard output");
    }
    job::check_files_differ({{.setting = "input", .path = settings.input, .written = false},
                             {.setting = "out", .path = arguments.out},
                             {.setting = "report", .path = arguments.report}});
    return settings;
}

std::unique_ptr<io::OutputFile> opened(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<io::OutputFile>(io::real_disk(), path);
}

// Shows how much of the input is read.
compare::CompareJob::End run_with_progress(compare::CompareJob& job, bool quiet) {
    constexpr std::size_t kParts = 1000;
    ProgressBar progress(kParts, quiet);
    std::size_t shown = 0;
    return job.run([&] {
        const double share = std::max(job.share_read(), 0.0);
        const auto now = static_cast<std::size_t>(share * static_cast<double>(kParts));
        progress.label(grouped(job.rows()) + " rows");
        progress.add(now > shown ? now - shown : 0);
        shown = std::max(shown, now);
    });
}

int run_compare(const CompareArguments& arguments) {
    if (arguments.list) {
        print_methods(stdout);
        return kDone;
    }
    const compare::CompareSettings settings = settings_of(arguments);
    const io::Interrupt interrupt(io::Interrupt::Hangup::stop);
    const auto say = [&](const job::Message& message) {
        if (!arguments.output.quiet || message.severity == job::Message::Severity::warning) {
            fmt::print(stderr, "{}sluice: {}{}\n", isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "", message.text,
                       remedy_sentence(message.remedies, {}, message.value));
        }
    };
    std::optional<compare::CompareJob> job;
    try {
        job.emplace(settings, &interrupt, say);
    } catch (const job::Stopped& stop) {
        say({.text = stop.what()});
        return kInterrupted;
    }
    const auto out = opened(arguments.out);  // before the work, which may take long
    const auto report = opened(arguments.report);
    const compare::CompareJob::End end = run_with_progress(*job, arguments.output.quiet);
    const compare::CompareResult result = compare::result_of(*job);
    if (out) {
        out->text() = compare::curves_csv(*job);
        out->flush();
    }
    if (report) {
        report->text() = compare_html(*job, result);
        report->flush();
    }
    if (arguments.output.json) {
        fmt::print("{}", compare::result_json(result));
    } else if (!arguments.output.quiet) {
        print_compare_table(arguments.out == "-" || arguments.report == "-" ? stderr : stdout, result);
    }
    if (end == compare::CompareJob::End::interrupted) {
        say({.text = fmt::format("interrupted after row {}", grouped(job->rows()))});
        return kInterrupted;
    }
    const bool all_failed =
        std::ranges::none_of(result.methods, [](const compare::MethodResult& m) { return m.failure.empty(); });
    if (all_failed) {
        throw std::runtime_error("every method failed; the first: " + result.methods.front().failure);
    }
    return kDone;
}

int run(int argc, char** argv) {
    bool errors_as_json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    try {
        CLI::App app("Compares Sluice with other methods on one stream: see sluice compare --help.", "sluice-compare");
        app.set_version_flag("--version", "sluice-compare " SLUICE_VERSION);
        use_our_help(app);
        CommandLine command(app);
        CompareArguments arguments;
        add_compare_options(command, arguments);
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& asked) {
            return app.exit(asked);
        } catch (const CLI::ParseError& error) {
            throw job::UsageError(std::string(error.what()) + "\nSee sluice compare --help");
        }
        errors_as_json = arguments.output.json;
        return run_compare(arguments);
    } catch (...) {
        return tell_trouble(std::current_exception(), errors_as_json);
    }
}

}  // namespace

}  // namespace sluice::cli

int main(int argc, char** argv) {
    return sluice::cli::run(argc, argv);
}
