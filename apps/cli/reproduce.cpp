#include "reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "disk.hpp"
#include "exit_code.hpp"
#include "experiments/catalogue.hpp"
#include "experiments/common/report.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "progress_bar.hpp"
#include "published_folder.hpp"
#include "suggest.hpp"
#include "usage.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

using experiments::Experiment;

struct ReproduceArguments {
    std::vector<std::string> names;
    std::optional<std::size_t> runs;
    std::uint64_t seed = 1;
    std::uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
    std::string third_phase = "caption";
    std::string data;
    std::uint64_t portfolios = 1000;
    std::string out;
    std::string json;
    bool quiet = false;
};

constexpr const char* kUsualFolder = "sluice-report";

std::vector<std::string> known_names() {
    std::vector<std::string> names;
    for (const Experiment& experiment : experiments::catalogue()) {
        names.emplace_back(experiment.name);
    }
    names.emplace_back("all");
    return names;
}

// "Simulated streams for each curve [500; selection: 100]; with all, N/500 of these numbers, ..."
std::string runs_help() {
    std::string fewer;
    for (const Experiment& experiment : experiments::catalogue()) {
        if (experiment.usual_runs != experiments::kUsualRuns) {
            fewer += fmt::format("; {}: {}", experiment.name, experiment.usual_runs);
        }
    }
    return fmt::format(
        "Simulated streams for each curve [{0}{1}]; with all, N/{0} of these numbers, and none where that is below 1",
        experiments::kUsualRuns, fewer);
}

std::uint64_t in_range(const char* option, std::uint64_t value, std::uint64_t most) {
    if (value < 1 || value > most) {
        throw job::UsageError(fmt::format("{} {}: must be 1 to {}", option, value, most));
    }
    return value;
}

struct Wanted {
    const Experiment* experiment = nullptr;
    std::size_t runs = 0;
};

// What `all` means with that many runs: of an experiment that costs more, a share of them. One with none is left out.
std::vector<Wanted> wanted_of_all(std::size_t runs) {
    std::vector<Wanted> out;
    for (const Experiment& experiment : experiments::catalogue()) {
        const std::size_t share = runs * experiment.usual_runs / experiments::kUsualRuns;
        if (experiment.figure && share > 0) {
            out.push_back({.experiment = &experiment, .runs = share});
        }
    }
    return out;
}

// In the order in which they were asked for, each once.
std::vector<Wanted> wanted(const std::vector<std::string>& names, std::optional<std::size_t> runs) {
    std::vector<Wanted> out;
    const auto add = [&](const Wanted& one) {
        if (std::ranges::find(out, one.experiment, &Wanted::experiment) == out.end()) {
            out.push_back(one);
        }
    };
    for (const std::string& name : names.empty() ? std::vector<std::string>{"all"} : names) {
        const Experiment* one = experiments::find_experiment(name);
        if (one == nullptr && name != "all") {
            const auto known = known_names();
            throw job::UsageError(fmt::format("there is no experiment {}{}\nKnown: {}", name,
                                              io::did_you_mean(name, known), fmt::join(known, ", ")));
        }
        if (one != nullptr) {
            add({.experiment = one, .runs = runs.value_or(one->usual_runs)});
            continue;
        }
        std::ranges::for_each(wanted_of_all(runs.value_or(experiments::kUsualRuns)), add);
    }
    return out;
}

// A file that appears when it is whole; standard output and devices are written as they are.
class JsonLines {
  public:
    explicit JsonLines(const std::string& path) : path_(path) {
        std::error_code ignored;
        const bool device =
            std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored);
        if (path != "-" && !device) {
            const std::string folder = path_.parent_path().string();
            folder_.emplace(io::real_disk(), folder.empty() ? "." : folder);
        }
    }
    void write(const std::string& lines) {
        if (folder_) {
            folder_->add(path_.filename().string(), lines);
            folder_->publish();
            return;
        }
        io::OutputFile out(io::real_disk(), path_.string());
        out.text() = lines;
        out.flush();
    }

  private:
    std::filesystem::path path_;
    std::optional<io::PublishedFolder> folder_;
};

void print_claims(std::FILE* to, const std::vector<experiments::Result>& results) {
    for (const experiments::Result& result : results) {
        for (const experiments::Claim& claim : all_claims(result)) {
            fmt::print(to, "{:<16} {:<13}  {}: {}\n{:<16} {:<13}  measured: {}\n", result.name, word_of(claim.verdict),
                       claim.ours ? "ours" : "paper", claim.claim, "", "", claim.measured);
        }
        if (!result.notice.empty()) {
            fmt::print(to, "{:<16} {}\n", result.name, result.notice);
        }
    }
}

int run_reproduce(const ReproduceArguments& arguments) {
    constexpr std::uint64_t kMostRuns = 100'000;  // some 10 kB each are kept for every curve
    constexpr std::uint64_t kMostThreads = 256;
    io::Interrupt interrupt;
    const std::size_t runs = in_range("--runs", arguments.runs.value_or(experiments::kUsualRuns), kMostRuns);
    experiments::Plan plan{.runs = runs,
                           .seed = arguments.seed,
                           .threads = in_range("--threads", arguments.threads, kMostThreads),
                           .third_phase = arguments.third_phase == "text" ? ThirdPhase::text : ThirdPhase::caption,
                           .data = arguments.data,
                           .portfolios = in_range("--portfolios", arguments.portfolios, kMostRuns)};
    const std::vector<Wanted> asked = wanted(arguments.names, arguments.runs);
    const std::string out = arguments.out.empty() && arguments.json.empty() ? kUsualFolder : arguments.out;

    // What cannot be written is known before the work begins.
    std::optional<io::PublishedFolder> folder;
    if (!out.empty()) {
        folder.emplace(io::real_disk(), out);
    }
    std::optional<JsonLines> json;
    if (!arguments.json.empty()) {
        json.emplace(arguments.json);
    }
    // The report also tells why the paper is read as it is.
    std::vector<Wanted> to_do = asked;
    const auto is_asked = [&](const Experiment* experiment) {
        return std::ranges::find(asked, experiment, &Wanted::experiment) != asked.end();
    };
    const bool all_figures = std::ranges::all_of(wanted_of_all(runs), is_asked, &Wanted::experiment);
    for (const Experiment& experiment : experiments::catalogue()) {
        if (folder && all_figures && !experiment.figure && !is_asked(&experiment)) {
            to_do.push_back({.experiment = &experiment, .runs = runs});
        }
    }
    const auto plan_of = [&](const Wanted& one) {
        experiments::Plan its = plan;
        its.runs = one.runs;
        return its;
    };
    std::size_t rows = 0;
    for (const Wanted& one : to_do) {
        rows += one.experiment->rows(plan_of(one));
    }
    std::vector<experiments::Result> results;
    try {
        ProgressBar bar(rows, arguments.quiet);
        plan.on_progress = [&](std::size_t learnt) {
            bar.add(learnt);
            return !interrupt.requested();
        };
        for (const Wanted& one : to_do) {
            bar.label(std::string(one.experiment->name));
            results.push_back(one.experiment->run(plan_of(one)));
        }
    } catch (const experiments::Stopped&) {
        fmt::print(stderr, "sluice: interrupted; nothing was written\n");
        return kInterrupted;
    }

    if (folder) {
        for (const experiments::File& file : report_files(results, plan)) {
            folder->add(file.name, file.content);
        }
        folder->publish();
    }
    if (json) {
        std::string lines;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            lines += results[i].json + "\n";
        }
        json->write(lines);
    }
    if (!arguments.quiet) {
        std::FILE* to = arguments.json == "-" ? stderr : stdout;
        print_claims(to, results);
        if (folder) {
            fmt::print(to, "\nThe report: {}\n", (folder->path() / experiments::kReportName).string());
        }
    }
    return kDone;
}

}  // namespace

Command add_reproduce(CommandLine& app, bool& errors_as_json) {
    CommandLine command =
        app.add_subcommand("reproduce", "Run the paper's experiments and write a report with figures");
    auto arguments = std::make_shared<ReproduceArguments>();
    command.add_option("NAME", arguments->names, "Experiments, as listed below [all]")
        .values(fmt::format("{}", fmt::join(known_names(), "|")));
    command.add_option("--runs", arguments->runs, runs_help()).values("N");
    command.add_option("--seed", arguments->seed, "The same seed gives the same numbers").values("S").shows_default();
    command.add_option("--threads", arguments->threads, "The numbers do not depend on it [one for each core]")
        .values("N");
    command
        .add_option("--third-phase", arguments->third_phase,
                    "From row 301 of the switching stream: as the caption of figure 2 or the text says")
        .shows_default()
        .one_of({"caption", "text"});
    command
        .add_option("--data", arguments->data,
                    "Folder with OR-Library's indtrack4.txt and indtrack5.txt, or with a folder indtrack that has "
                    "them; where they are not "
                    "found, a synthetic market is used")
        .environment("SLUICE_DATA")
        .values("DIR");
    command.add_option("--portfolios", arguments->portfolios, "Random portfolios beside those of section 4.2")
        .values("N")
        .shows_default();
    command
        .add_option("-o,--out", arguments->out,
                    fmt::format("Folder for {}, SVG and CSV [{}, unless --json is given]", experiments::kReportName,
                                kUsualFolder))
        .values("DIR");
    command.add_option("--json", arguments->json, "Curves as JSON, one line for each NAME; errors as JSON too")
        .values("FILE|-");
    command.add_flag("-q,--quiet", arguments->quiet, "Print nothing but errors");
    std::string footer = "Experiments:\n";
    for (const Experiment& experiment : experiments::catalogue()) {
        footer += fmt::format("  {:<16} {}\n", experiment.name, experiment.about);
    }
    footer += fmt::format("  {:<16} {}\n", "all", "everything but literal, which the report then has too");
    command.footer(footer + R"(
Examples:
  sluice reproduce --out report
  sluice reproduce switching forgetting --runs 100 --json curves.ndjson
  sluice reproduce all --third-phase text --seed 7 --out report-text)");
    return [arguments, &errors_as_json] {
        errors_as_json = !arguments->json.empty();
        return run_reproduce(*arguments);
    };
}

}  // namespace sluice::cli
