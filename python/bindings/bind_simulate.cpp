// bind_simulate.cpp -- the simulated streams as tables, with their truth. Names and defaults are in sluice/datasets.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>

#include "arrays.hpp"
#include "bind.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

// A table of rows that is filled one row after the other.
class NewTable {
  public:
    NewTable(std::size_t rows, std::size_t width) : rows_(rows), width_(width), values_(checked_size(rows, width)) {}
    [[nodiscard]] std::span<double> row(std::size_t row) { return {values_.data() + (row * width_), width_}; }
    [[nodiscard]] NewArray release() { return values_.release({rows_, width_}); }

  private:
    static std::size_t checked_size(std::size_t rows, std::size_t width) {
        if (width > 0 && rows > std::numeric_limits<std::size_t>::max() / sizeof(double) / width) {
            throw OptionError({"rows = " + std::to_string(rows) + ": a table of " + std::to_string(width) +
                               " columns and that number of rows does not fit into memory"});
        }
        return rows * width;
    }

    std::size_t rows_;
    std::size_t width_;
    Filled values_;
};

// Phases: the row in which each begins, and which groups of inputs matter in it.
nb::tuple simulate_paper(bool switching, bool by_text, std::size_t rows, std::uint64_t seed) {
    NewTable x(rows, PaperStream::inputs);
    NewTable y(rows, 1);
    struct Phase {
        std::size_t start;
        int large;
        int small;
    };
    std::vector<Phase> phases;
    {
        const nb::gil_scoped_release released;
        PaperStream stream(switching ? PaperStream::Kind::switching : PaperStream::Kind::constant, seed,
                           by_text ? ThirdPhase::text : ThirdPhase::caption);
        for (std::size_t t = 0; t < rows; ++t) {
            const PaperStream::Row now = stream.next();
            std::ranges::copy(now.x, x.row(t).begin());
            y.row(t)[0] = now.y;
            if (phases.empty() || phases.back().large != now.large || phases.back().small != now.small) {
                phases.push_back({.start = t, .large = now.large, .small = now.small});
            }
        }
    }
    nb::list list;
    for (const Phase& phase : phases) {
        list.append(nb::make_tuple(phase.start, phase.large, phase.small));
    }
    return nb::make_tuple(x.release(), y.release(), list);
}

nb::tuple simulate_factors(const nb::dict& values, std::size_t rows, std::uint64_t seed) {
    const FactorOptions options{.inputs = nb::cast<std::size_t>(values["inputs"]),
                                .outputs = nb::cast<std::size_t>(values["outputs"]),
                                .groups = nb::cast<std::size_t>(values["groups"]),
                                .drift = nb::cast<double>(values["drift"]),
                                .missing_share = nb::cast<double>(values["missing_share"]),
                                .break_every = nb::cast<std::size_t>(values["break_every"])};
    NewTable x(rows, options.inputs);
    NewTable y(rows, options.outputs);
    FactorStream stream(options, seed);
    {
        const nb::gil_scoped_release released;
        for (std::size_t t = 0; t < rows; ++t) {
            stream.next(x.row(t), y.row(t));
        }
    }
    return nb::make_tuple(x.release(), y.release());
}

nb::tuple as_tuple(std::size_t start, const SelectionStream::Truth& truth) {
    return nb::make_tuple(start, truth.drivers, truth.coefficients, truth.signal_variance, truth.noise_variance);
}

nb::tuple simulate_selection(const nb::dict& values, std::size_t rows, std::uint64_t seed) {
    SelectionOptions options{.inputs = nb::cast<std::size_t>(values["inputs"]),
                             .drivers = nb::cast<std::size_t>(values["drivers"]),
                             .drivers_after = std::nullopt,
                             .correlation = nb::cast<double>(values["correlation"]),
                             .signal_to_noise = nb::cast<double>(values["signal_to_noise"]),
                             .change_at = nb::cast<std::size_t>(values["change_at"])};
    if (const nb::object after = values["drivers_after"]; !after.is_none()) {
        options.drivers_after = nb::cast<std::size_t>(after);
    }
    NewTable x(rows, options.inputs);
    NewTable y(rows, 1);
    SelectionStream stream(options, seed);
    nb::list phases;
    for (std::size_t t = 0; t < rows; ++t) {
        y.row(t)[0] = stream.next(x.row(t));
        if (t == 0 || t == options.change_at) {
            phases.append(as_tuple(t, stream.truth()));
        }
    }
    return nb::make_tuple(x.release(), y.release(), phases);
}

nb::tuple simulate_market(const nb::dict& values, std::size_t rows, std::uint64_t seed) {
    const MarketOptions options{.stocks = nb::cast<std::vector<std::size_t>>(values["stocks"]),
                                .volatility = nb::cast<std::vector<double>>(values["volatility"]),
                                .yearly_trend = nb::cast<std::vector<double>>(values["yearly_trend"]),
                                .sectors = nb::cast<std::size_t>(values["sectors"]),
                                .regime_periods = nb::cast<double>(values["regime_periods"]),
                                .periods_per_year = nb::cast<double>(values["periods_per_year"])};
    MarketStream stream(options, seed);
    NewTable x(rows, stream.stocks());
    NewTable y(rows, stream.indices());
    std::vector<std::size_t> regimes;
    {
        const nb::gil_scoped_release released;
        for (std::size_t t = 0; t < rows; ++t) {
            if (stream.next(x.row(t), y.row(t)) || t == 0) {
                regimes.push_back(t);
            }
        }
    }
    return nb::make_tuple(x.release(), y.release(), regimes);
}

}  // namespace

void bind_simulate(nb::module_& module) {
    module.def("simulate_paper", &simulate_paper, "switching"_a, "by_text"_a, "rows"_a, "seed"_a);
    module.def("simulate_factors", &simulate_factors, "options"_a, "rows"_a, "seed"_a);
    module.def("simulate_selection", &simulate_selection, "options"_a, "rows"_a, "seed"_a);
    module.def("simulate_market", &simulate_market, "options"_a, "rows"_a, "seed"_a);
}

}  // namespace sluice::python
