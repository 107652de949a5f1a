// inspect.cpp -- `sluice inspect`: what is in a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decision_text.hpp"
#include "describe.hpp"
#include "error_table.hpp"
#include "exit_code.hpp"
#include "label_options.hpp"
#include "model_commands.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t kTargetsShown = 4;
constexpr std::size_t kDecisionsShown = 5;
constexpr double kLeastPercent = 0.5;
constexpr double kMegabyte = 1e6;

struct InspectArguments {
    std::string file;
    OutputFlags output;
};

std::string speed_words(double speed) {
    return speed == 1.0 ? "fixed" : speed == 0.0 ? "last error" : fmt::format("{:.4g}", speed);
}

std::string number_words(double number) {
    return fmt::format("{:.4g}", number);
}

// The memory since the last break, where there is one, comes last and forgets as little as the first.
bool has_memory_since_break(const AdaptiveModel::Shares& shares) {
    return shares.memories.size() > 1 && shares.memories.back().value == shares.memories.front().value;
}

// "    forgetting   1: 62 %  0.998: 30 %": those that round to at least 1 %, the largest first. `last`: of the last one.
void print_shares(const char* name, std::span<const AdaptiveModel::Share> shares, std::string (*words)(double),
                  const char* last = "") {
    std::vector<std::pair<double, std::string>> parts;
    for (const AdaptiveModel::Share& share : shares) {
        const double percent = 100.0 * share.weight;
        if (percent >= kLeastPercent) {
            parts.emplace_back(percent, words(share.value) + (&share == &shares.back() ? last : ""));
        }
    }
    if (parts.empty()) {
        return;
    }
    std::ranges::stable_sort(parts, std::ranges::greater{}, [](const auto& part) { return part.first; });
    fmt::print("    {:<11}", name);
    for (const auto& [percent, value] : parts) {
        fmt::print("  {}: {:.0f} %", value, percent);
    }
    fmt::print("\n");
}

void print_tuning(const AdaptiveModel& model, const std::vector<std::string>& names) {
    const AdaptiveModel::Shares shares = model.shares();
    fmt::print("  how the forecast is mixed\n");
    print_shares("forgetting", shares.memories, number_words, has_memory_since_break(shares) ? " since the break" : "");
    print_shares("shrinkage", shares.shrinkages, number_words);
    print_shares("names", shares.sizes, number_words);
    print_shares("intercept", shares.speeds, speed_words);
    print_shares("discount", shares.discounts, number_words);
    const auto decisions = model.decisions();
    if (!decisions.empty()) {
        fmt::print("  the last decisions\n");
    }
    for (const Decision& decision : decisions.last(std::min(decisions.size(), kDecisionsShown))) {
        fmt::print("    row {}: {}\n", grouped(decision.row + 1), job::decision_line(decision, names[decision.input]));
    }
}

std::string columns_and_lags(const job::ModelFile& file) {
    std::string out = fmt::format("{} columns", file.roles.inputs.size());
    if (file.layout.lags.size() > 1) {
        out += fmt::format(" at {} lags", file.layout.lags.size());
    }
    if (!file.layout.target_lags.empty()) {
        out += fmt::format(", {} targets at target lags {}", file.roles.targets.size(),
                           fmt::join(file.layout.target_lags, ","));
    }
    return out;
}

void print_targets(const std::vector<std::string>& targets) {
    for (std::size_t j = 0; j < targets.size() && j < kTargetsShown; ++j) {
        fmt::print(" {:>16}", "for " + fitted(targets[j], 12));
    }
    fmt::print("\n");
}

void print_numbers(const std::vector<double>& of_targets) {
    for (std::size_t j = 0; j < of_targets.size() && j < kTargetsShown; ++j) {
        fmt::print(" {:>16.6g}", of_targets[j]);
    }
    fmt::print("\n");
}

void print_components(const job::Description& model, const std::vector<std::string>& targets) {
    fmt::print("{} {:>10} {:>10}", fitted("selected", kNameWidth), "component", "weight");
    print_targets(targets);
    for (std::size_t r = 0; r < model.components.size(); ++r) {
        for (const job::SelectedVariable& variable : model.components[r]) {
            fmt::print("{} {:>10} {:>10.4f}", fitted(variable.name, kNameWidth), r + 1, variable.weight);
            print_numbers(variable.coefficients);
        }
    }
    fmt::print("{} {:>10} {:>10}", fitted("intercept", kNameWidth), "", "");
    print_numbers(model.intercept);
}

void print_important(const job::Description& model, const std::vector<std::string>& targets) {
    fmt::print("{} {:>12} {:>10} {:>10}", fitted("selected, by importance", kNameWidth), "contribution", "gain",
               "since row");
    print_targets(targets);
    for (const job::ImportantVariable& variable : model.selected) {
        fmt::print("{} {:>12.4f} {:>10.4f} {:>10}", fitted(variable.name, kNameWidth), variable.contribution,
                   variable.gain, variable.since ? grouped(*variable.since) : "-");
        print_numbers(variable.coefficients);
    }
    fmt::print("{} {:>12} {:>10} {:>10}", fitted("intercept", kNameWidth), "", "", "");
    print_numbers(model.intercept);
}

void print_model(const std::string& path, std::size_t size, const job::ModelFile& file) {
    const job::Description model = job::describe(file);
    fmt::print("{}: {} model, {:.1f} MB on disk\n", path, model.method, static_cast<double>(size) / kMegabyte);
    fmt::print("  {} inputs", grouped(file.input_names().size()));
    if (file.layout.width(1, 1) > 1) {
        fmt::print(" ({})", columns_and_lags(file));
    }
    fmt::print(", targets {}", fmt::join(file.roles.targets, ", "));
    if (file.layout.horizon > 0) {
        fmt::print(", {} rows ahead", file.layout.horizon);
    }
    fmt::print("\n");
    if (file.learner) {
        const AdaptiveModel& whole = file.learner->model();
        const StreamModel& stream = whole.current();
        fmt::print("  {} rows seen, {} learnt, {} skipped; the {} weighs {:.1f} rows\n",
                   grouped(file.tally ? file.tally->rows() : whole.rows_met()),
                   grouped(file.tally ? file.tally->learned() : stream.rows_learned()),
                   grouped(file.tally ? file.tally->skipped() : 0),
                   whole.options().tuning.forgetting ? "memory with the largest share" : "memory", stream.weight());
        fmt::print("  engine {}, {:.1f} MB in memory; ", sluice::name_of(stream.engine()),
                   static_cast<double>(whole.bytes()) / kMegabyte);
        if (file.resume_point) {
            fmt::print("the next row of the input is at line {}\n", file.resume_point->input.at.line);
        } else {
            fmt::print("written by a program: no position in an input\n");
        }
        if (whole.options().tuning.any()) {
            print_tuning(whole, file.input_names());
        }
        if (file.tally) {
            fmt::print("\n");
            if (file.late_labels) {
                fmt::print("{}\n\n", label_line(*file.late_labels));
            }
            print_error_table(stdout, job::target_errors(*file.tally, file.roles.targets, *file.learner),
                              {.horizon = file.layout.horizon, .late_labels = file.late_labels.has_value()});
        }
    } else {
        fmt::print("  fitted on {} rows\n", grouped(file.fitted->rows));
        for (const std::string& note : file.fitted->fit.notes) {
            fmt::print("  note: {}\n", note);
        }
    }
    fmt::print("\noptions\n ");
    std::size_t column = 0;
    for (const auto& [name, value] : model.options) {
        if (!value.empty() && value != "none") {
            fmt::print(" {}={}", name, value.size() > 20 ? value.substr(0, 20) + "..." : value);
            if (++column % 6 == 0) {
                fmt::print("\n ");
            }
        }
    }
    fmt::print("\n\n");
    if (model.components.empty()) {
        print_important(model, file.roles.targets);
    } else {
        print_components(model, file.roles.targets);
    }
}

int run_inspect(const InspectArguments& arguments) {
    const job::ModelFile file = job::read_model_file(arguments.file);
    if (arguments.output.json) {
        fmt::print("{}", job::description_json(file));
    } else {
        print_model(arguments.file, std::filesystem::file_size(arguments.file), file);
    }
    return kDone;
}

}  // namespace

Command add_inspect(CommandLine& app, bool& errors_as_json) {
    CommandLine command = app.add_subcommand("inspect", "Show what is in a model file");
    auto arguments = std::make_shared<InspectArguments>();
    command.add_option("MODEL", arguments->file, "A checkpoint of `stream` or a model of `fit`").values("").required();
    add_output_flags(command, arguments->output, "The model, and errors, as JSON");
    command.footer(R"(Example:
  sluice inspect plant.sluice --json | jq .selected)");
    return [arguments, &errors_as_json] {
        errors_as_json = arguments->output.json;
        return run_inspect(*arguments);
    };
}

}  // namespace sluice::cli
