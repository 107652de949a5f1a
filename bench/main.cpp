// main.cpp -- sluice-bench, which `sluice bench` starts: what a row costs, how accurate a model is that nobody tuned and
// whether intervals contain what was asked, as tables or as JSON. A program of its own, because its peer takes long to
// compile and it counts calls of operator new.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "accuracy.hpp"
#include "allocations.hpp"
#include "break_delay.hpp"
#include "interval_coverage.hpp"
#include "robustness.hpp"
#include "step_cost.hpp"
#include "step_text.hpp"
#include "tuning_cost.hpp"

namespace {

using namespace sluice;

struct Arguments {
    bench::StepCase what;
    std::size_t components = 3;
    std::vector<std::size_t> keep = {20};
    std::string json;
    std::size_t most_inputs = 1'000'000;
    std::vector<std::string> tasks;
    std::vector<std::size_t> names;
    std::vector<std::size_t> at_most;
    std::vector<double> coverage = {0.5, 0.8, 0.9, 0.95, 0.99};
    std::uint64_t interval_seeds = 5;
    std::size_t late = 0;
    bool others = false;
    std::size_t seeds = 50;
    std::size_t starts = 8;
};

// Results go to `file`, or to standard output for "-"; with neither the table is printed there.
class Results {
  public:
    explicit Results(const std::string& file) {
        if (!file.empty()) {
            out_ = file == "-" ? stdout : std::fopen(file.c_str(), "w");
            if (out_ == nullptr) {
                throw std::runtime_error("cannot write " + file);
            }
        }
    }
    ~Results() {
        if (out_ != nullptr && out_ != stdout) {
            (void)std::fclose(out_);
        }
    }
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;

    /// `verdict` ends the line of the table.
    void add(const bench::StepCase& what, const bench::StepCost& cost, const std::string& verdict) {
        if (out_ != nullptr) {
            fmt::print(out_, "{}\n", bench::as_json(what, cost));
            (void)std::fflush(out_);
        }
        if (out_ != stdout) {
            fmt::print("{}{}", std::exchange(heading_, ""), bench::as_line(what, cost, verdict));
            (void)std::fflush(stdout);
        }
    }

  private:
    std::FILE* out_ = nullptr;
    std::string heading_ = bench::step_heading();
};

int run_step(Arguments& arguments) {
    bench::StepCase& what = arguments.what;
    what.options.components = arguments.components;
    what.options.keep = arguments.keep;
    what.options.clip.reset();
    if (what.options.deflation == Deflation::project) {
        what.options.scale_inputs = false;
        what.options.scale_outputs = false;
    }
    Results results(arguments.json);
    results.add(what, bench::measure_step(what, bench::allocations), "");
    return 0;
}

// The self-tuning model that has a goal, within `most_inputs`. False where a goal is missed.
bool run_tuned_suite(std::size_t most_inputs) {
    bool reached = true;
    for (const bench::TuningCase& what : bench::tuning_suite()) {
        if (what.inputs <= most_inputs && what.most_steps > 0.0) {
            const bench::TuningCost cost = bench::measure_tuning(what, bench::allocations);
            reached = bench::within_goals(what, cost) && reached;
            fmt::print(stderr, "self-tuning {}", bench::as_text(what, cost));
        }
    }
    return reached;
}

int run_suite(const Arguments& arguments) {
    Results results(arguments.json);
    bool reached = true;
    for (const bench::NamedCase& one : bench::suite()) {
        if (one.what.inputs > arguments.most_inputs) {
            continue;
        }
        const bench::StepCost cost = bench::measure_step(one.what, bench::allocations);
        const std::vector<std::string> missed = one.missed(cost);
        results.add(one.what, cost, missed.empty() ? "reached" : fmt::format("MISSED: {}", fmt::join(missed, "; ")));
        reached = reached && missed.empty();
    }
    return run_tuned_suite(arguments.most_inputs) && reached ? 0 : 1;
}

// Those asked for; else 20 names, and names found, at most 20 and 10.
std::vector<bench::Budget> budgets_of(const Arguments& arguments) {
    std::vector<bench::Budget> all;
    for (const std::size_t names : arguments.names) {
        all.push_back({.names = names, .found = false});
    }
    for (const std::size_t names : arguments.at_most) {
        all.push_back({.names = names, .found = true});
    }
    if (all.empty()) {
        all = {{.names = 20, .found = false}, {.names = 20, .found = true}, {.names = 10, .found = true}};
    }
    return all;
}

std::vector<std::filesystem::path> folders_of(const Arguments& arguments) {
    std::vector<std::filesystem::path> folders(arguments.tasks.begin(), arguments.tasks.end());
    if (const auto usual = bench::tasks_folder(); folders.empty() && usual) {
        folders.push_back(*usual);
    }
    return folders;
}

int run_accuracy(const Arguments& arguments) {
    const std::vector<std::filesystem::path> folders = folders_of(arguments);
    if (folders.empty()) {
        throw std::runtime_error("no folder of tasks: give FOLDER, or set SLUICE_DATA to the folder beside `tasks`");
    }
    std::FILE* out = nullptr;
    if (!arguments.json.empty()) {
        out = arguments.json == "-" ? stdout : std::fopen(arguments.json.c_str(), "w");
        if (out == nullptr) {
            throw std::runtime_error("cannot write " + arguments.json);
        }
    }
    for (const auto& folder : folders) {
        for (const bench::Budget& budget : budgets_of(arguments)) {
            const auto table = bench::measure_tasks(folder, budget, [](const auto& task) {
                fmt::print(stderr, "  {} {:.3f}\n", task.name, task.model.mean);
            });
            if (out != nullptr) {
                fmt::print(out, "{}\n", bench::as_json(table));
                (void)std::fflush(out);
            }
            if (out != stdout) {
                fmt::print("{}\n", bench::as_text(table));
                (void)std::fflush(stdout);
            }
        }
    }
    if (out != nullptr && out != stdout) {
        (void)std::fclose(out);
    }
    return 0;
}

// Ours, and where asked for the others, over the same streams.
std::vector<bench::IntervalSummary> summaries_of(const std::vector<bench::PredictedStream>& streams, double coverage,
                                                 const Arguments& arguments) {
    const std::size_t late = arguments.late;
    std::vector<bench::IntervalSummary> all = {
        bench::summarize(bench::our_intervals(coverage, late), streams, coverage, late)};
    for (const auto& method : arguments.others ? bench::other_intervals(coverage) : std::vector<bench::NamedMethod>()) {
        all.push_back(bench::summarize(method, streams, coverage, late));
    }
    return all;
}

int run_intervals(const Arguments& arguments) {
    std::vector<bench::PredictedStream> tasks;
    for (const auto& folder : folders_of(arguments)) {
        const auto more = bench::predict_tasks(folder);
        tasks.insert(tasks.end(), more.begin(), more.end());
    }
    std::vector<bench::PredictedStream> factors;
    for (const bench::BreakingFactors& kind : bench::breaking_factors()) {
        for (std::uint64_t seed = 1; seed <= arguments.interval_seeds; ++seed) {
            const auto more = bench::predict_factors(kind, 4000, seed);
            factors.insert(factors.end(), more.begin(), more.end());
        }
    }
    fmt::print(
        "Share of the outputs inside their intervals, after the warm-up and in the worst window of {} rows.\n"
        "Widths are over that of a Gaussian interval with a memory of 100 rows.\n\n",
        bench::kIntervalWindow);
    bool reached = true;
    for (const double coverage : arguments.coverage) {
        if (!tasks.empty()) {
            const auto all = summaries_of(tasks, coverage, arguments);
            fmt::print("{}\n{}\n", bench::intervals_text(tasks, coverage, arguments.late),
                       bench::summaries_text(all, coverage, "real streams"));
            reached = reached && all.front().finite && all.front().beyond_coverage == 0;
        }
        const auto all = summaries_of(factors, coverage, arguments);
        fmt::print("{}\n", bench::summaries_text(all, coverage, "simulated factors with breaks"));
        (void)std::fflush(stdout);
        reached = reached && all.front().finite && all.front().beyond_window == 0;
    }
    if (arguments.late > 0) {
        return 0;  // the goals are for outputs that are known before the next prediction
    }
    fmt::print("{}: within {} on every real stream, within {} in every window of the simulated ones, always finite\n",
               reached ? "reached" : "not reached", bench::kCoverageGoal, bench::kWindowGoal);
    return reached ? 0 : 1;
}

// Every number of inputs and outputs for which docs/selftuning.md states a cost, up to a largest one.
int run_tuning(const Arguments& arguments) {
    for (const bench::TuningCase& what : bench::tuning_suite()) {
        if (what.inputs <= arguments.most_inputs) {
            fmt::print("{}", bench::as_text(what, bench::measure_tuning(what, bench::allocations)));
            (void)std::fflush(stdout);
        }
    }
    return 0;
}

// A simulated stream with known truth, many seeds; then every task of the folders.
int run_robust(const Arguments& arguments) {
    constexpr std::size_t kRows = 305;  // one fault at row 200, at most five rows long, and the 100 rows after it
    std::vector<bench::TaskDamage> streams;
    for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
        streams.push_back(bench::measure_damage(bench::simple_stream(seed, kRows), 0, seed, true));
    }
    fmt::print("{}\n",
               bench::damage_text(
                   fmt::format("two of 30 inputs drive the output, R2 0.997, {} seeds: mean (worst)", arguments.seeds),
                   streams, false));
    std::string delays = bench::delay_heading();
    for (const bench::BrokenStream& stream : bench::broken_streams()) {
        delays += bench::delay_line(stream.name, bench::measure_delay(stream, arguments.seeds));
    }
    fmt::print("{}\n", delays);
    for (const std::string& folder : arguments.tasks) {
        std::vector<bench::TaskDamage> of_tasks;
        std::string after_faults;
        for (const bench::Task& task : bench::read_tasks(folder)) {
            if (const auto rows = bench::read_rows(folder, task)) {
                of_tasks.push_back(bench::measure_damage(*rows, task.warmup, 1, rows->inputs <= 200));
                of_tasks.back().name = task.name;
                of_tasks.back().clean_cost = bench::clean_cost(*rows, task.warmup, arguments.starts);
                if (task.name.starts_with("tep")) {  // the fault of the process begins there
                    const bench::BrokenStream run{
                        .name = task.name, .breaks = {157}, .rows = [&](auto) { return *rows; }};
                    after_faults += bench::delay_line(task.name, bench::measure_delay(run, 1));
                }
            }
        }
        fmt::print("{}\n", bench::damage_text(folder + ": mean (worst) over the tasks", of_tasks, true));
        fmt::print("{}", after_faults.empty() ? "" : bench::delay_heading() + after_faults + "\n");
    }
    return 0;
}

void add_step(CLI::App& app, Arguments& arguments) {
    CLI::App* step = app.add_subcommand("step", "One case");
    bench::StepCase& what = arguments.what;
    what.options.forgetting = 0.98;
    what.options.deflation = Deflation::project;
    step->add_option("--inputs", what.inputs, "p")->capture_default_str();
    step->add_option("--outputs", what.outputs, "q")->capture_default_str();
    step->add_option("--components", arguments.components, "R")->capture_default_str();
    step->add_option("--keep", arguments.keep, "Variables of each component")->delimiter(',')->capture_default_str();
    step->add_option("--forgetting", what.options.forgetting, "lambda")->capture_default_str();
    step->add_option("--ridge", what.options.ridge, "alpha")->capture_default_str();
    step->add_option("--deflation", what.options.deflation, "project (unscaled) or refit (scaled)")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Deflation>{{"project", Deflation::project}, {"refit", Deflation::refit}}));
    step->add_option("--data", what.data, "separated: few inputs matter; adverse: all are alike")
        ->transform(CLI::CheckedTransformer(std::map<std::string, bench::Data>{{"separated", bench::Data::separated},
                                                                               {"adverse", bench::Data::adverse}}));
    step->add_option("--engine", what.options.engine, "automatic, dense, screened or columns")
        ->transform(CLI::CheckedTransformer(std::map<std::string, Engine>{{"automatic", Engine::automatic},
                                                                          {"dense", Engine::dense},
                                                                          {"screened", Engine::screened},
                                                                          {"columns", Engine::columns}}));
    step->add_option("--history", what.options.history, "double, float or none")
        ->transform(
            CLI::CheckedTransformer(std::map<std::string, HistoryKind>{{"double", HistoryKind::double_precision},
                                                                       {"float", HistoryKind::single_precision},
                                                                       {"none", HistoryKind::none}}));
    step->add_option("--threads", what.options.threads, "Threads of ours")->capture_default_str();
    step->add_option("--rows", what.rows, "Rows timed [by the number of inputs: 100,000 to 300]");
    step->add_option("--repeats", what.repeats, "Rounds in which both take turns")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    step->add_option("--peer-seconds", what.peer_seconds, "Time for the plain transcription; 0 leaves it out")
        ->capture_default_str();
    step->add_option("--seed", what.seed, "Seed of the data")->capture_default_str();
    step->add_option("--json", arguments.json, "Results as JSON to this file, - for standard output");
}

void add_suite(CLI::App& app, Arguments& arguments) {
    CLI::App* all = app.add_subcommand("suite", "Every row of docs/performance.md");
    all->add_option("--most-inputs", arguments.most_inputs, "Leave larger cases out")->capture_default_str();
    all->add_option("--json", arguments.json, "Results as JSON lines to this file, - for standard output");
}

void add_accuracy(CLI::App& app, Arguments& arguments) {
    CLI::App* accuracy = app.add_subcommand("accuracy", "Error on real streams with nothing given but the targets");
    accuracy
        ->add_option("FOLDER,--tasks", arguments.tasks,
                     "Folders with tasks.json and a CSV file for each task [tasks beside the folder SLUICE_DATA]")
        ->type_name("DIR");
    accuracy->add_option("--names", arguments.names, "All of N names are used, a table for each N [20]")
        ->delimiter(',')
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    accuracy->add_option("--at-most", arguments.at_most, "Names are found, at most N, a table for each N [20,10]")
        ->delimiter(',')
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    accuracy->add_option("--json", arguments.json, "A line for each table to this file, - for standard output");
}

void add_intervals(CLI::App& app, Arguments& arguments) {
    CLI::App* intervals =
        app.add_subcommand("intervals", "Share of the outputs inside their intervals, on real streams and breaks");
    intervals
        ->add_option("FOLDER,--tasks", arguments.tasks,
                     "Folders with tasks.json and a CSV file for each task [tasks beside the folder SLUICE_DATA]")
        ->type_name("DIR");
    intervals->add_option("--coverage", arguments.coverage, "Shares that are asked for")
        ->delimiter(',')
        ->check(CLI::Range(IntervalOptions::kLeast, IntervalOptions::kMost))
        ->capture_default_str();
    intervals->add_option("--seeds", arguments.interval_seeds, "Simulated streams of each kind")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    intervals->add_option("--late", arguments.late, "Outputs become known after N more predictions")
        ->type_name("N")
        ->capture_default_str();
    intervals->add_flag("--others", arguments.others, "Other methods too, as published");
}

void add_robust(CLI::App& app, Arguments& arguments) {
    CLI::App* robust = app.add_subcommand("robust", "What wrong values cost in the 100 rows after them");
    robust->add_option("FOLDER,--tasks", arguments.tasks, "Folders with tasks.json and a CSV file for each task")
        ->type_name("DIR");
    robust->add_option("--starts", arguments.starts, "Runs of each task without faults")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    robust->add_option("--seeds", arguments.seeds, "Simulated streams")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
}

void add_tuning(CLI::App& app, Arguments& arguments) {
    CLI::App* tuning = app.add_subcommand("tuning", "A row when nothing is given, beside the same options fixed");
    tuning->add_option("--most-inputs", arguments.most_inputs, "Leave larger cases out")->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measure what a row costs, beside the method written plainly, and accuracy", "sluice bench");
    app.require_subcommand(1);
    Arguments arguments;
    add_step(app, arguments);
    add_suite(app, arguments);
    add_accuracy(app, arguments);
    add_intervals(app, arguments);
    add_robust(app, arguments);
    add_tuning(app, arguments);
    try {
        app.parse(argc, argv);
        const std::string chosen = app.get_subcommands().front()->get_name();
        return chosen == "step"        ? run_step(arguments)
               : chosen == "robust"    ? run_robust(arguments)
               : chosen == "suite"     ? run_suite(arguments)
               : chosen == "tuning"    ? run_tuning(arguments)
               : chosen == "intervals" ? run_intervals(arguments)
                                       : run_accuracy(arguments);
    } catch (const CLI::Success& asked) {  // --help
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "sluice bench: {}\nSee sluice bench --help\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "sluice bench: {}\n", error.what());
        return 1;
    }
}
