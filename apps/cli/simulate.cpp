#include "simulate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "disk.hpp"
#include "exit_code.hpp"
#include "market_csv.hpp"
#include "output_file.hpp"
#include "sluice/simulate.hpp"
#include "synthetic_market.hpp"

namespace sluice::cli {

namespace {

struct SimulateArguments {
    std::string kind;
    std::uint64_t rows = 400;
    std::uint64_t seed = 1;
    std::string third_phase = "caption";
    FactorOptions factors;
    std::string out = "-";
};

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

int run_simulate(const SimulateArguments& arguments) {
    io::OutputFile out(io::real_disk(), arguments.out);
    if (arguments.kind == "market") {
        out.text() = portfolio::weekly_prices_csv(portfolio::synthetic_market({}, arguments.rows, arguments.seed));
    } else if (arguments.kind == "factors") {
        FactorStream stream(arguments.factors, arguments.seed);
        std::vector<double> x(arguments.factors.inputs);
        std::vector<double> y(arguments.factors.outputs);
        append_header(out.text(), x.size(), y.size());
        for (std::uint64_t row = 0; row < arguments.rows; ++row) {
            stream.next(x, y);
            append_row(out.text(), x, y);
            out.flush_if_large();
        }
    } else {
        PaperStream stream(arguments.kind == "static" ? PaperStream::Kind::constant : PaperStream::Kind::switching,
                           arguments.seed, arguments.third_phase == "text" ? ThirdPhase::text : ThirdPhase::caption);
        append_header(out.text(), PaperStream::inputs, 1);
        for (std::uint64_t row = 0; row < arguments.rows; ++row) {
            const PaperStream::Row now = stream.next();
            append_row(out.text(), now.x, {&now.y, 1});
            out.flush_if_large();
        }
    }
    out.flush();
    return kDone;
}

}  // namespace

Command add_simulate(CommandLine& app) {
    CommandLine command = app.add_subcommand("simulate", "Write a stream whose truth is known, as CSV");
    auto arguments = std::make_shared<SimulateArguments>();
    command
        .add_option("KIND", arguments->kind,
                    "static or switching (the paper's: 60 inputs, one output), factors (wide, drifting, with gaps), or "
                    "market (weekly prices of two indices and their 98 + 225 stocks)")
        .values("")
        .required()
        .only({"static", "switching", "factors", "market"});
    command.add_option("--rows", arguments->rows, "Rows; switching repeats its phases after 400")
        .values("N")
        .shows_default();
    command.add_option("--seed", arguments->seed, "The same seed gives the same bits").values("S").shows_default();
    command.add_option("-o,--out", arguments->out, "Where to write [standard output]").values("FILE|-");
    command
        .add_option("--third-phase", arguments->third_phase, "switching, from row 301: as the caption or the text says")
        .only({"caption", "text"})
        .shows_default();
    const char* group = "factors";
    command.add_option("--inputs", arguments->factors.inputs, "Input columns x1, x2, ...")
        .values("P")
        .shows_default()
        .group(group);
    command.add_option("--outputs", arguments->factors.outputs, "Output columns y1, y2, ...")
        .values("Q")
        .shows_default()
        .group(group);
    command.add_option("--groups", arguments->factors.groups, "Hidden factors, each with a block of inputs")
        .values("G")
        .shows_default()
        .group(group);
    command.add_option("--drift", arguments->factors.drift, "How far each weight moves from row to row")
        .values("SD")
        .shows_default()
        .group(group);
    command
        .add_option("--break-every", arguments->factors.break_every,
                    "All weights are drawn again after N rows; 0: never")
        .values("N")
        .shows_default()
        .group(group);
    command
        .add_option("--missing,--missing-share", arguments->factors.missing_share,
                    "Share of cells that are empty, 0 to below 1")
        .values("SHARE")
        .shows_default()
        .group(group);
    command.footer(R"(Examples:
  sluice simulate switching --rows 400 --seed 2 | sluice stream - --targets y1 --paper
  sluice simulate factors --inputs 2000 --groups 50 --drift 0.01 --missing 0.02 --rows 5000 > wide.csv
  sluice simulate market --rows 290 --out prices.csv)");
    return [arguments] { return run_simulate(*arguments); };
}

}  // namespace sluice::cli
