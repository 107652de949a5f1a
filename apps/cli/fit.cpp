// fit.cpp -- `sluice fit`: the off-line methods on a whole file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "describe.hpp"
#include "disk.hpp"
#include "durable.hpp"
#include "exit_code.hpp"
#include "fit_job.hpp"
#include "lags.hpp"
#include "model_commands.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t kVariablesShown = 12;

struct FitArguments {
    job::FitSettings settings;
    OutputFlags output;
    ReadingArguments reading;
    RoleArguments roles;
    ModelArguments model;
    std::string lags = "0";
    std::string target_lags;
    std::string method = "sparse-bridge";
    std::string on_bad_row = "stop";
    std::string model_file;
};

Method method_named(const std::string& name) {
    for (const Method method : {Method::pls2, Method::bridge, Method::sparse_bridge, Method::pcr}) {
        if (job::name_of(method) == name) {
            return method;
        }
    }
    return Method::sparse_bridge;  // the parser lets no other name through
}

void print_fit(const job::FitResult& result) {
    const FittedModel& fitted_model = *result.file.fitted;
    const Fit& fit = fitted_model.fit;
    fmt::print("{} of {} rows and {} inputs, {} components", job::name_of(fit.method), grouped(fitted_model.rows),
               grouped(fit.weights.rows()), fit.components());
    if (result.skipped > 0) {
        fmt::print("; {} bad rows skipped", grouped(result.skipped));
    }
    fmt::print("\n\n{} {:>14}\n", fitted("fitted, not predicted", kNameWidth), "in-sample R2");
    for (std::size_t j = 0; j < result.scores.size(); ++j) {
        fmt::print("{} {:>14}\n", fitted(result.file.roles.targets[j], kNameWidth), fixed(result.scores[j].r2(), 4));
    }
    const job::Description model = job::describe(result.file);
    fmt::print("\n{:<12} {:>18} {:>18}   {}\n", "component", "of inputs", "of outputs", "largest weights");
    for (std::size_t r = 0; r < fit.components(); ++r) {
        std::string names;
        const auto& variables = model.components[r];
        for (std::size_t k = 0; k < variables.size() && k < kVariablesShown; ++k) {
            names += (k == 0 ? "" : " ") + variables[k].name;
        }
        if (variables.size() > kVariablesShown) {
            names += fmt::format(" and {} others", variables.size() - kVariablesShown);
        }
        fmt::print("{:<12} {:>16.1f} % {:>16.1f} %   {}\n", r + 1, 100.0 * fit.explained_inputs[r],
                   100.0 * fit.explained_outputs[r], names);
    }
    for (const std::string& note : fit.notes) {
        fmt::print("note: {}\n", note);
    }
}

int run_fit_command(const FitArguments& arguments) {
    job::FitSettings settings = arguments.settings;
    settings.dialect = arguments.reading.dialect();
    settings.roles = arguments.roles.request();
    settings.lags = job::parse_lags(arguments.lags);
    if (!arguments.target_lags.empty()) {
        settings.target_lags = job::parse_target_lags(arguments.target_lags);
    }
    settings.method = method_named(arguments.method);
    settings.skip_bad_rows = arguments.on_bad_row == "skip";
    settings.options.forgetting = 1.0;  // by default all rows count the same
    arguments.model.apply_plain(settings.options);
    const job::FitResult result = job::run_fit(settings);
    if (!arguments.model_file.empty()) {
        io::replace_durably(
            io::real_disk(), arguments.model_file,
            pack_fit({.fitted = *result.file.fitted, .roles = result.file.roles, .layout = result.file.layout}));
    }
    if (arguments.output.json) {
        fmt::print("{}", job::description_json(result.file));
    } else if (!arguments.output.quiet) {
        print_fit(result);
    }
    return kDone;
}

}  // namespace

Command add_fit(CommandLine& app, bool& errors_as_json) {
    CommandLine command = app.add_subcommand("fit", "Fit all rows of a file at once");
    auto arguments = std::make_shared<FitArguments>();
    command
        .add_option("FILE", arguments->settings.input, "CSV, TSV or NDJSON, plain, gzip or zstd; - is standard input")
        .values("")
        .required();
    command.add_option("--method", arguments->method, "How to fit")
        .shows_default()
        .one_of({"pls2", "bridge", "sparse-bridge", "pcr"});
    command.add_option("-m,--model", arguments->model_file, "File to write the model to").values("FILE");
    command.add_option("--lags", arguments->lags, "Inputs of this row and earlier ones").values("FROM:TO");
    command
        .add_option("--target-lags", arguments->target_lags,
                    "Known values of the targets as inputs too: 1 is the newest, such as 1:5")
        .values("FROM:TO");
    command.add_option("--horizon", arguments->settings.horizon, "Inputs explain the outputs N rows later")
        .values("N")
        .at_most(1'000'000);
    command.add_option("--on-bad-row", arguments->on_bad_row, "Stop, or skip and count").one_of({"stop", "skip"});
    arguments->roles.add_to(command);
    arguments->reading.add_to(command);
    arguments->model.add_plain_to(command);
    command.add_option("--group-file", arguments->settings.group_file, "Group lasso: lines of column,group")
        .values("FILE")
        .group("The model");
    add_output_flags(command, arguments->output, "The model, and errors, as JSON");
    command.most_used({"--targets", "--inputs", "--ignore", "--missing", "--method", "--components", "--keep", "--lags",
                       "--horizon", "--model"});
    command.footer(R"(All rows count alike: forgetting is 1 here unless given.

Examples:
  sluice fit tablets.csv --targets API --method sparse-bridge --components 3 --keep 20 --model api.sluice
  sluice predict api.sluice new.csv)");
    return [arguments, &errors_as_json] {
        errors_as_json = arguments->output.json;
        return run_fit_command(*arguments);
    };
}

}  // namespace sluice::cli
