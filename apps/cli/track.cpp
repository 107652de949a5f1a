#include "track.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "disk.hpp"
#include "distinct_files.hpp"
#include "exit_code.hpp"
#include "output_file.hpp"
#include "page.hpp"
#include "read_market.hpp"
#include "report_page.hpp"
#include "track_history.hpp"
#include "track_report.hpp"
#include "usage.hpp"

namespace sluice::cli {

namespace {

using portfolio::TrackOptions;

// Everything that a preset may set is left empty until it is given.
struct TrackArguments {
    std::vector<std::string> prices;
    std::vector<std::string> returns;
    std::string index;
    std::string date;
    std::string ignore;
    std::optional<double> periods_per_year;
    std::string splits;
    ReadingArguments reading;

    std::string preset = "tracking";
    std::optional<std::size_t> names;
    std::optional<double> enhance;
    std::optional<std::size_t> warmup;
    std::string rebalance;
    std::optional<double> costs;
    std::optional<bool> long_only;
    std::optional<bool> fully_invested;
    std::optional<double> max_weight;
    std::optional<double> turnover_budget;
    std::optional<double> hold_bonus;
    std::optional<std::size_t> shortlist;
    ModelArguments model;

    std::string strategies;
    std::optional<std::size_t> window;
    std::optional<std::size_t> random_portfolios;
    std::optional<std::size_t> seed;
    std::size_t threads = std::max(1U, std::thread::hardware_concurrency());

    std::string out;
    std::string out_returns;
    std::string json;
    std::string report;
    bool quiet = false;
};

TrackOptions options_of(const TrackArguments& arguments) {
    TrackOptions options = TrackOptions::preset(arguments.preset);
    const auto take = [](const auto& given, auto& field) {
        if (given) {
            field = *given;
        }
    };
    take(arguments.names, options.names);
    take(arguments.enhance, options.enhance);
    take(arguments.warmup, options.warmup);
    take(arguments.costs, options.costs);
    take(arguments.long_only, options.long_only);
    take(arguments.fully_invested, options.fully_invested);
    take(arguments.max_weight, options.max_weight);
    take(arguments.turnover_budget, options.turnover_budget);
    take(arguments.hold_bonus, options.hold_bonus);
    take(arguments.shortlist, options.shortlist);
    take(arguments.window, options.window);
    take(arguments.random_portfolios, options.random_portfolios);
    take(arguments.seed, options.seed);
    options.threads = arguments.threads;
    if (!arguments.rebalance.empty()) {
        options.rebalance = portfolio::Rebalance::parse(arguments.rebalance);
    }
    arguments.model.apply_plain(options.model);
    return options;
}

// Returns were computed by somebody who may have known of splits: they are kept unless something else is asked for.
portfolio::Splits splits_of(const std::string& word, bool prices) {
    if (word.empty()) {
        return prices ? portfolio::Splits::missing : portfolio::Splits::keep;
    }
    return word == "adjust"    ? portfolio::Splits::adjust
           : word == "missing" ? portfolio::Splits::missing
                               : portfolio::Splits::keep;
}

// What may be wrong is said even where nothing else is printed.
void print_warnings(const std::vector<std::string>& warnings) {
    constexpr std::size_t kShown = 10;
    for (std::size_t i = 0; i < std::min(warnings.size(), kShown); ++i) {
        fmt::print(stderr, "sluice: {}\n", warnings[i]);
    }
    if (warnings.size() > kShown) {
        fmt::print(stderr, "sluice: and {} more such warnings; all are in the JSON\n", warnings.size() - kShown);
    }
}

portfolio::MarketRequest request_of(const TrackArguments& arguments) {
    if (arguments.prices.empty() == arguments.returns.empty()) {
        throw job::UsageError("give files with --prices, or with --returns\nSee sluice track --help");
    }
    const bool prices = !arguments.prices.empty();
    return {.files = prices ? arguments.prices : arguments.returns,
            .quote = prices ? portfolio::Quote::prices : portfolio::Quote::returns,
            .index = split(arguments.index),
            .date = arguments.date,
            .ignore = split(arguments.ignore),
            .periods_per_year = arguments.periods_per_year,
            .splits = splits_of(arguments.splits, prices),
            .dialect = arguments.reading.dialect()};
}

std::vector<std::string> strategies_of(const TrackArguments& arguments) {
    if (!arguments.strategies.empty()) {
        return split(arguments.strategies);
    }
    std::vector<std::string> all;
    for (const portfolio::StrategyName& one : portfolio::strategy_names()) {
        if (one.usual) {
            all.emplace_back(one.name);
        }
    }
    return all;
}

// The names of the market's files, for people.
std::string source_of(const TrackArguments& arguments) {
    std::vector<std::string> names;
    for (const std::string& file : arguments.prices.empty() ? arguments.returns : arguments.prices) {
        names.push_back(std::filesystem::path(file).filename().string());
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

int run_track(const TrackArguments& arguments) {
    std::vector<job::NamedFile> files = {{.setting = "out", .path = arguments.out},
                                         {.setting = "out_returns", .path = arguments.out_returns},
                                         {.setting = "json", .path = arguments.json},
                                         {.setting = "report", .path = arguments.report}};
    if (std::ranges::count(files, "-", &job::NamedFile::path) > 1) {
        throw job::UsageError("only one of --out, --out-returns, --json and --report can go to standard output");
    }
    for (const std::string& file : arguments.prices) {
        files.push_back({.setting = "prices", .path = file, .written = false});
    }
    for (const std::string& file : arguments.returns) {
        files.push_back({.setting = "returns", .path = file, .written = false});
    }
    job::check_files_differ(files);
    const std::vector<std::string> strategies = strategies_of(arguments);
    if (!arguments.report.empty() && strategies == std::vector<std::string>{"random"}) {
        throw job::UsageError(
            "--report shows what one portfolio held, and random is the mean of many: add another strategy");
    }
    const TrackOptions options = options_of(arguments);
    const portfolio::Market market = portfolio::read_market(request_of(arguments));
    print_warnings(market.warnings);
    if (!market.warnings.empty() && arguments.splits.empty()) {
        fmt::print(stderr,
                   "sluice: use --splits adjust to adjust for splits, or --splits keep where these were true moves\n");
    }
    if (const std::string limit = options.uninvested(market.indices.size()); !limit.empty()) {
        print_warnings({limit});
    }
    std::unique_ptr<io::OutputFile> out;  // what cannot be written is known before the work begins
    std::unique_ptr<io::OutputFile> out_returns;
    std::unique_ptr<io::OutputFile> json;
    std::unique_ptr<io::OutputFile> page;
    if (!arguments.out_returns.empty()) {
        out_returns = std::make_unique<io::OutputFile>(io::real_disk(), arguments.out_returns);
    }
    if (!arguments.out.empty()) {
        out = std::make_unique<io::OutputFile>(io::real_disk(), arguments.out);
    }
    if (!arguments.json.empty()) {
        json = std::make_unique<io::OutputFile>(io::real_disk(), arguments.json);
    }
    if (!arguments.report.empty()) {
        page = std::make_unique<io::OutputFile>(io::real_disk(), arguments.report);
    }
    const portfolio::TrackResult result = portfolio::run_track(market, options, strategies);
    if (out) {
        out->text() = holdings_csv(result, market);
        out->flush();
    }
    if (out_returns) {
        out_returns->text() = periods_csv(result, market, options);
        out_returns->flush();
    }
    if (json) {
        json->text() = track_json(result, market, options);
        json->flush();
    }
    if (const portfolio::StrategyResult* shown = page ? portfolio::shown_strategy(result) : nullptr) {
        const report::History history = portfolio::track_history(*shown, market, options);
        const report::ReportText text = portfolio::track_text(*shown, market, options, source_of(arguments));
        page->text() = report::report_html(web::page(), report::snapshot_json(history, text));
        page->flush();
    }
    if (!arguments.quiet) {
        const bool taken = std::ranges::count(files, "-", &job::NamedFile::path) > 0;
        std::FILE* to = taken ? stderr : stdout;
        fmt::print(to, "{}", track_table(result, market, options));
    }
    return kDone;
}

void add_files(CommandLine& command, TrackArguments& arguments) {
    const char* group = "The market";
    command.add_option("--prices", arguments.prices, "OR-Library's indtrack files, or CSV with a column for each name")
        .values("FILE...")
        .group(group);
    command.add_option("--returns", arguments.returns, "CSV of returns, as fractions: 0.01 is one percent")
        .values("FILE...")
        .group(group);
    command.add_option("--index", arguments.index, "Columns to follow; not needed for OR-Library's files")
        .values("NAME[,NAME...]")
        .joined_by(',')
        .group(group);
    command.add_option("--date", arguments.date, "Column of the dates").values("COL").group(group);
    command.add_option("--ignore", arguments.ignore, "Columns to leave out")
        .values("COL[,COL...]")
        .joined_by(',')
        .group(group);
    command
        .add_option(
            "--splits", arguments.splits,
            "A return that looks like a split for which the file is not adjusted [missing; keep with --returns]")
        .group(group)
        .one_of({"missing", "adjust", "keep"});
    command.add_option("--periods-per-year", arguments.periods_per_year, "Default: from the dates, or 52 without dates")
        .values("NUMBER")
        .group(group);
    arguments.reading.add_to(command);
}

void add_rules(CommandLine& command, TrackArguments& arguments) {
    const TrackOptions usual;
    const char* group = "The portfolio";
    const auto add = [&](const char* name, auto& value, const char* type, const std::string& help) {
        command.add_option(name, value, help).values(type).group(group);
    };
    command.add_option("--preset", arguments.preset, "Settings to start from: least error, or few trades [tracking]")
        .group(group)
        .one_of(TrackOptions::presets());
    add("--names", arguments.names, "N", fmt::format("Stocks held over all indices together [{}]", usual.names));
    add("--enhance", arguments.enhance, "NUMBER", "Follow each index plus this return a year, such as 0.15 [0]");
    add("--warmup", arguments.warmup, "N", fmt::format("Periods that are learnt but not scored [{}]", usual.warmup));
    add("--rebalance", arguments.rebalance, "every|N|band[:B]",
        "Trade each period, each N periods, or when a weight is off by more than B [every]");
    add("--costs", arguments.costs, "BPS", fmt::format("Of a trade's value, in basis points [{}]", usual.costs));
    command.add_flag("--long-only,!--allow-short", arguments.long_only, "No weight below zero, no borrowing [yes]")
        .group(group);
    command
        .add_flag("--fully-invested,!--allow-cash", arguments.fully_invested,
                  "Weights add up to one [no: the rest is cash]")
        .group(group);
    add("--max-weight", arguments.max_weight, "NUMBER", "Of one stock in one portfolio");
    add("--turnover-budget", arguments.turnover_budget, "NUMBER",
        "Sum of |trades| in one portfolio and period, after the first purchase");
    add("--hold-bonus", arguments.hold_bonus, "NUMBER",
        fmt::format("A held name leaves only where the error falls by more than this share of it [{}]",
                    usual.hold_bonus));
    add("--shortlist", arguments.shortlist, "N",
        fmt::format("Candidates that the model lists for each name [{}]", usual.shortlist));
}

void add_rivals(CommandLine& command, TrackArguments& arguments) {
    const TrackOptions usual;
    const char* group = "The rivals";
    const auto add = [&](const char* name, auto& value, const char* type, const std::string& help) {
        command.add_option(name, value, help).values(type).group(group);
    };
    add("--strategies", arguments.strategies, "NAME[,NAME...]", "Strategies to run, as listed below [all but one]");
    add("--window", arguments.window, "N", fmt::format("Periods that LARS and lasso use [{}]", usual.window));
    add("--random-portfolios", arguments.random_portfolios, "N",
        fmt::format("How many are drawn [{}]", usual.random_portfolios));
    add("--seed", arguments.seed, "S", "Of the random portfolios: same seed, same numbers [1]");
    add("--threads", arguments.threads, "N",
        "For the random portfolios; the numbers do not depend on it [one for each core]");
}

}  // namespace

Command add_track(CommandLine& app, bool& errors_as_json) {
    CommandLine command =
        app.add_subcommand("track", "Follow indices with few stocks, walked forward, and compare with other methods");
    auto arguments = std::make_shared<TrackArguments>();
    add_files(command, *arguments);
    add_rules(command, *arguments);
    add_rivals(command, *arguments);
    const char* results = "Results";
    command.add_option("-o,--out", arguments->out, "What is held in every period, cash too, CSV")
        .values("FILE|-")
        .group(results);
    command.add_option("--out-returns", arguments->out_returns, "What each portfolio earned in every period, CSV")
        .values("FILE|-")
        .group(results);
    command.add_option("--json", arguments->json, "All figures as JSON; errors as JSON too")
        .values("FILE|-")
        .group(results);
    command
        .add_option("--report", arguments->report,
                    "The back-test of the first strategy as one HTML page that opens without a server")
        .values("FILE|-")
        .group(results);
    command.add_flag("-q,--quiet", arguments->quiet, "Print nothing but errors").group(results);
    // Of the model's options those that mean something else here are left out; `names` follows from --names and --shortlist.
    arguments->model.add_plain_to(command, {"names", "threads", "hold_bonus"}, TrackOptions::tracking_model());
    command.most_used({"--prices", "--returns", "--index", "--names", "--costs", "--rebalance", "--preset",
                       "--strategies", "--out", "--report"});
    std::string footer = "Strategies:\n";
    for (const portfolio::StrategyName& one : portfolio::strategy_names()) {
        footer += fmt::format("  {:<16} {}{}\n", one.name, one.about, one.usual ? "" : " (only if asked for)");
    }
    command.footer(footer + R"(
Examples:
  sluice track --prices indtrack4.txt indtrack5.txt --names 10
  sluice track --prices prices.csv --index SPX --names 20 --costs 5 --preset calm --json -
  sluice track --returns returns.csv --index SP500 --enhance 0.03 --strategies sluice,lars --out holdings.csv)");
    return [arguments, &errors_as_json] {
        errors_as_json = !arguments->json.empty();
        return run_track(*arguments);
    };
}

}  // namespace sluice::cli
