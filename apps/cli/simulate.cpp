#include "simulate.hpp"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "disk.hpp"
#include "exit_code.hpp"
#include "format_to.hpp"
#include "market_csv.hpp"
#include "output_file.hpp"
#include "sluice/simulate.hpp"
#include "synthetic_market.hpp"

namespace sluice::cli {

namespace {

struct SimulateArguments {
    std::string kind;
    std::optional<std::size_t> rows;
    std::optional<std::size_t> inputs;
    std::uint64_t seed = 1;
    std::string third_phase = "caption";
    FactorOptions factors;
    SelectionOptions selection;
    std::string out = "-";
};

constexpr std::size_t kRows = 400;
constexpr std::size_t kSelectionRows = 900;

void append_header(std::string& out, std::size_t inputs, std::size_t outputs) {
    for (std::size_t i = 1; i <= inputs; ++i) {
        fmt::format_to(std::back_inserter(out), "{}x{}", i == 1 ? "" : ",", i);
    }
    for (std::size_t j = 1; j <= outputs; ++j) {
        fmt::format_to(std::back_inserter(out), ",y{}", j);
    }
    out += '\n';
}

void append_row(std::string& out, std::span<const double> x, std::span<const double> y) {
    const char* between = "";
    for (const auto cells : {x, y}) {
        for (const double cell : cells) {
            out += between;
            between = ",";
            if (!std::isnan(cell)) {
                fmt::format_to(std::back_inserter(out), "{}", cell);
            }
        }
    }
    out += '\n';
}

// "rows 1 to 450: y1 = 1.20 x3 - 1.71 x9 + noise of variance 0.87"
std::string truth_text(const SelectionStream::Truth& truth, std::size_t first, std::size_t last) {
    std::string text = fmt::format("rows {} to {}: y1 = ", first, last);
    for (std::size_t i = 0; i < truth.drivers.size(); ++i) {
        const double coefficient = truth.coefficients[i];
        const char* sign = coefficient < 0.0 ? "- " : i > 0 ? "+ " : "";
        text += fmt::format("{}{:.2f} x{} ", sign, std::abs(coefficient), truth.drivers[i] + 1);
    }
    return text + fmt::format("{}noise of variance {:.3g}\n", truth.drivers.empty() ? "" : "+ ", truth.noise_variance);
}

// The table goes to `out`; which inputs drive the output, to standard error.
void write_selection(const SelectionOptions& options, std::uint64_t seed, std::size_t rows, io::OutputFile& out) {
    SelectionStream stream(options, seed);
    std::vector<double> x(options.inputs);
    append_header(out.text(), x.size(), 1);
    std::string truth;
    for (std::size_t row = 1, first = 1; row <= rows; ++row) {
        const double y = stream.next(x);
        append_row(out.text(), x, {&y, 1});
        out.flush_if_large();
        if (row == rows || row == options.change_at) {
            truth += truth_text(stream.truth(), first, row);
            first = row + 1;
        }
    }
    fmt::print(stderr, "{}", truth);
}

int run_simulate(const SimulateArguments& arguments) {
    const std::size_t rows = arguments.rows.value_or(arguments.kind == "selection" ? kSelectionRows : kRows);
    io::OutputFile out(io::real_disk(), arguments.out);
    if (arguments.kind == "market") {
        out.text() = portfolio::weekly_prices_csv(portfolio::synthetic_market({}, rows, arguments.seed));
    } else if (arguments.kind == "factors") {
        FactorOptions options = arguments.factors;
        options.inputs = arguments.inputs.value_or(options.inputs);
        FactorStream stream(options, arguments.seed);
        std::vector<double> x(options.inputs);
        std::vector<double> y(options.outputs);
        append_header(out.text(), x.size(), y.size());
        for (std::size_t row = 0; row < rows; ++row) {
            stream.next(x, y);
            append_row(out.text(), x, y);
            out.flush_if_large();
        }
    } else if (arguments.kind == "selection") {
        SelectionOptions options = arguments.selection;
        options.inputs = arguments.inputs.value_or(options.inputs);
        write_selection(options, arguments.seed, rows, out);
    } else {
        PaperStream stream(arguments.kind == "static" ? PaperStream::Kind::constant : PaperStream::Kind::switching,
                           arguments.seed, arguments.third_phase == "text" ? ThirdPhase::text : ThirdPhase::caption);
        append_header(out.text(), PaperStream::inputs, 1);
        for (std::size_t row = 0; row < rows; ++row) {
            const PaperStream::Row now = stream.next();
            append_row(out.text(), now.x, {&now.y, 1});
            out.flush_if_large();
        }
    }
    out.flush();
    return kDone;
}

void add_factor_options(CommandLine& command, FactorOptions& factors) {
    const char* group = "factors";
    command.add_option("--outputs", factors.outputs, "Output columns y1, y2, ...")
        .values("Q")
        .shows_default()
        .group(group);
    command.add_option("--groups", factors.groups, "Hidden factors, each with a block of inputs")
        .values("G")
        .shows_default()
        .group(group);
    command.add_option("--drift", factors.drift, "How far each weight moves from row to row")
        .values("SD")
        .shows_default()
        .group(group);
    command.add_option("--break-every", factors.break_every, "All weights are drawn again after N rows; 0: never")
        .values("N")
        .shows_default()
        .group(group);
    command
        .add_option("--missing,--missing-share", factors.missing_share, "Share of cells that are empty, 0 to below 1")
        .values("SHARE")
        .shows_default()
        .group(group);
}

void add_selection_options(CommandLine& command, SelectionOptions& selection) {
    const char* group = "selection";
    command.add_option("--drivers", selection.drivers, "Inputs that drive the output; 0: the output is noise")
        .values("K")
        .shows_default()
        .group(group);
    command.add_option("--drivers-after", selection.drivers_after, "The same after the change [as many, other inputs]")
        .values("K")
        .group(group);
    command.add_option("--correlation", selection.correlation, "Of any two inputs, from 0 to below 1")
        .values("RHO")
        .shows_default()
        .group(group);
    command
        .add_option("--snr,--signal-to-noise", selection.signal_to_noise,
                    "Variance of the signal over that of the noise, above 0")
        .values("RATIO")
        .shows_default()
        .group(group);
    command.add_option("--change-at", selection.change_at, "Rows before other inputs drive the output; 0: never")
        .values("N")
        .shows_default()
        .group(group);
}

}  // namespace

Command add_simulate(CommandLine& app) {
    CommandLine command = app.add_subcommand("simulate", "Write a stream whose truth is known, as CSV");
    auto arguments = std::make_shared<SimulateArguments>();
    command
        .add_option("KIND", arguments->kind,
                    "static or switching (the paper's: 60 inputs, one output), factors (wide, drifting, with gaps), "
                    "selection (a few of many inputs drive the output, later other ones; standard error says which), "
                    "or market (weekly prices of two indices and their 98 + 225 stocks)")
        .values("")
        .required()
        .only({"static", "switching", "factors", "selection", "market"});
    command
        .add_option(
            "--rows", arguments->rows,
            fmt::format("Rows; switching repeats its phases after 400 [{}; selection: {}]", kRows, kSelectionRows))
        .values("N");
    command.add_option("--seed", arguments->seed, "The same seed gives the same bits").values("S").shows_default();
    command.add_option("-o,--out", arguments->out, "Where to write [standard output]").values("FILE|-");
    command
        .add_option("--third-phase", arguments->third_phase, "switching, from row 301: as the caption or the text says")
        .only({"caption", "text"})
        .shows_default();
    command
        .add_option("--inputs", arguments->inputs,
                    fmt::format("factors, selection: input columns x1, x2, ... [{}; selection: {}]",
                                arguments->factors.inputs, arguments->selection.inputs))
        .values("P");
    add_factor_options(command, arguments->factors);
    add_selection_options(command, arguments->selection);
    command.footer(R"(Examples:
  sluice simulate switching --rows 400 --seed 2 | sluice stream - --targets y1 --paper
  sluice simulate factors --inputs 2000 --groups 50 --drift 0.01 --missing 0.02 --rows 5000 > wide.csv
  sluice simulate selection --inputs 100 --drivers 5 --correlation 0.5 --out few.csv
  sluice simulate market --rows 290 --out prices.csv)");
    return [arguments] { return run_simulate(*arguments); };
}

}  // namespace sluice::cli
