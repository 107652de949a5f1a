// engine.cpp -- which engine stores C: what each costs and needs.
//
// The cost model estimates the mean nanoseconds per row on one core. Its constants are of the right size only, enough to
// find the cheapest engine. Measured (forgetting 0.98, means in microseconds, few inputs matter / all alike; Intel Xeon, *: AMD
// EPYC):
//
//   inputs, q, R, keep       dense       screened    columns*
//   323, 2, 1, 10            4.3 / 4.8   5.2 / 7.5
//   500, 2, 1, 10            7.2 / 8.3   5.9 / 9.4
//   700, 5, 3, 20            22 / 32     22 / 51
//   1,000, 5, 3, 20          31 / 47     22 / 59
//   1,000, 5, 3, 50          77 / 116    76 / 183
//   1,500, 5, 3, 20          62 / 84     31 / 59
//   1,000, 5, 5, 4, refit    50 / 71     45 / 92     127 / 134
//   1,500, 5, 5, 4, refit    81 / 135    62 / 129
//   2,000, 5, 5, 4, refit*   140 / 222   92 / 158    386 / 431
//   5,000, 5, 5, 4, refit*   706 / 1,055 372 / 554   1,633 / 2,717
#include "engine.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "block_gram.hpp"
#include "buffer.hpp"
#include "byte_text.hpp"
#include "column_gram.hpp"
#include "dense_gram.hpp"
#include "history.hpp"
#include "narrowing.hpp"
#include "packed_gram.hpp"
#include "refit_screen.hpp"
#include "single_gram.hpp"
#include "sluice/report.hpp"
#include "text.hpp"

namespace sluice::core {

namespace {

constexpr std::array kEngines = {Engine::dense, Engine::screened, Engine::columns};

// The longest history, of a forgetting factor of 0.99996: above that the engines with a history are not offered.
constexpr std::size_t kMostRows = std::size_t{1} << 20U;

// Bytes that stay in the cache from one row to the next, for the cost model: half of what a server's last level has.
constexpr double kCached = 16e6;

// With `deflation = refit` a history longer than this takes more memory than all of C would for some thousand inputs: it
// is used only where it is asked for.
constexpr std::size_t kLongHistory = 4096;

std::size_t kept_in_all(std::size_t inputs, const StreamOptions& options) {
    std::size_t sum = 0;
    for (std::size_t r = 0; r < options.components_for(inputs); ++r) {
        sum += options.keep_for(r, inputs);
    }
    return sum;
}

// Inputs in the block of the screened engine: the candidates of a row, and half as many that were candidates recently. It
// depends on the inputs only where the components hold them all, and is then more than there are.
std::size_t most_in_block(std::size_t inputs, const StreamOptions& options) {
    const std::size_t candidates = kept_in_all(inputs, options) + options.components_for(inputs);
    return candidates + (candidates / 2) + 48;
}

std::size_t block_room(std::size_t inputs, const StreamOptions& options) {
    return std::min(inputs, most_in_block(inputs, options));
}

std::size_t history_rows(const StreamOptions& options) {
    return options.history == HistoryKind::none || options.forgetting >= 1.0
               ? 0
               : std::min(History::rows_for(options.forgetting), kMostRows);
}

// Room for the columns in use in this row and in the row before.
std::size_t least_columns(std::size_t inputs, const StreamOptions& options) {
    return std::min(inputs, (2 * kept_in_all(inputs, options)) + 8);
}

// Up to this number of inputs all of C fits the nearest caches, 128 kB: rows are added two at a time.
constexpr std::size_t kFewInputs = 128;
// Of the dense engine with more inputs, where a fixed gamma bounds nothing. Larger requests cost more.
constexpr std::size_t kUsualColumns = 64;

std::size_t columns_in_use(std::size_t inputs, const StreamOptions& options) {
    return options.gamma ? std::min(inputs, kUsualColumns) : least_columns(inputs, options);
}

// Inputs whose entries of C the dense engine keeps at hand where products are asked for at few inputs: those of this row,
// and about as many that were candidates recently.
std::size_t dense_block_room(std::size_t inputs, const StreamOptions& options) {
    return may_be_screened(options) ? least_columns(inputs, options) : 0;
}

// Room for these and, as far as memory allows, for the columns that were in use within four lengths of the history.
std::size_t column_room(std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    const std::size_t least = least_columns(inputs, options);
    const std::size_t needed = engine_bytes(Engine::columns, inputs, outputs, options);
    const std::size_t left = options.memory_limit > needed ? options.memory_limit - needed : 0;
    const std::size_t wanted = std::max(least, std::min(inputs, 4 * history_rows(options)));
    return std::min(wanted, least + (left / ColumnGram::bytes_for(inputs, 1)));
}

// What engine `screened` looks for candidates with where deflation needs products with C at all inputs.
std::optional<SingleGram> make_single(std::size_t inputs, const StreamOptions& options) {
    if (options.deflation != Deflation::refit) {
        return std::nullopt;
    }
    return SingleGram(inputs, least_columns(inputs, options), history_rows(options));
}

std::optional<History> make_history(std::size_t inputs, const StreamOptions& options) {
    if (options.history == HistoryKind::none) {
        return std::nullopt;
    }
    return History(inputs, history_rows(options), options.history == HistoryKind::single_precision);
}

// Whether C in single precision shows which inputs count, and the history has the digits of their entries.
bool refit_may_be_screened(const StreamOptions& options) {
    return options.forgetting >= SingleGram::kLeastForgetting && options.ridge <= RefitScreen::kMostRidge &&
           options.history == HistoryKind::double_precision;
}

// Nanoseconds per row.
double engine_cost(Engine engine, std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    const auto p = static_cast<double>(inputs);
    const auto q = static_cast<double>(outputs);
    const auto kept = static_cast<double>(kept_in_all(inputs, options));
    const auto rows = static_cast<double>(history_rows(options));
    // Inputs per row that enter the block, and columns that are rebuilt: the mean of few relevant inputs and of inputs
    // that are all alike. What the step itself costs, some 200 for each variable kept, is the same for all engines.
    const double new_inputs = 0.3 + (0.06 * kept);
    constexpr double kNewColumns = 1.0;
    const double per_product = inputs > kFewInputs ? 0.4 : 0.15;
    switch (engine) {
        case Engine::dense:
            if (inputs > kFewInputs && may_be_screened(options)) {  // products at few inputs
                return (0.026 * p * p) + (2000.0 * new_inputs);
            }
            return (0.05 * p * p) + (per_product * p * kept);
        case Engine::screened: {
            if (options.deflation == Deflation::refit) {
                // C in single precision, passes over it and M, and entries of new inputs from the history.
                return history_rows(options) > kLongHistory
                           ? std::numeric_limits<double>::infinity()
                           : 10'000.0 + (0.0135 * p * p) + (0.9 * p * (q + kept)) + (0.7 * kept * rows);
            }
            const auto room = static_cast<double>(block_room(inputs, options));
            // Entries of new inputs, or the scores of the rows and the products with them, in which the history of the
            // variables kept is read from a cache where it fits one.
            const double per_row = kept * rows * sizeof(double) < kCached ? 0.19 : 0.6;
            const double history = std::min(new_inputs * 0.04 * room, per_row * kept) * rows;
            return 2500.0 + (p * (3.0 + q)) * 0.2 + (0.1 * room * room) + history;
        }
        case Engine::columns: {
            const auto room = static_cast<double>(least_columns(inputs, options));
            return 500.0 + (0.1 * p * (room + (kept * q))) + (kNewColumns * 0.15 * rows * p);
        }
        case Engine::automatic:
            break;
    }
    return 0.0;
}

Engine cheapest(std::span<const Engine> engines, std::size_t inputs, std::size_t outputs,
                const StreamOptions& options) {
    Engine best = Engine::automatic;
    for (const Engine engine : engines) {
        if (engine_suits(engine, inputs, options) &&
            engine_bytes(engine, inputs, outputs, options) <= options.memory_limit &&
            (best == Engine::automatic ||
             engine_cost(engine, inputs, outputs, options) < engine_cost(best, inputs, outputs, options))) {
            best = engine;
        }
    }
    return best;
}

}  // namespace

bool engine_suits(Engine engine, std::size_t inputs, const StreamOptions& options) {
    if (engine == Engine::dense) {
        return true;
    }
    // The others need a bound on the variables kept, and a history of bounded length or none.
    const bool bounded_keep = !options.gamma;
    const bool bounded_history = options.history == HistoryKind::none ||
                                 (options.forgetting < 1.0 && History::rows_for(options.forgetting) <= kMostRows);
    if (engine == Engine::screened) {
        return bounded_keep && bounded_history && options.penalty != Penalty::group_lasso &&
               options.hold_bonus == 0.0 &&  // the screen does not take the bonus into account
               (options.deflation == Deflation::project || refit_may_be_screened(options));
    }
    return bounded_keep && bounded_history && inputs > 0;
}

std::size_t step_bytes(std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    const std::size_t components = options.components_for(inputs);
    const bool refit = options.deflation == Deflation::refit;
    const std::size_t vectors = 10 + (components * (refit ? 2 : 4)) + (refit ? outputs : 0);
    return inputs * vectors * sizeof(double);
}

std::size_t engine_bytes(Engine engine, std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    const std::size_t common =
        (inputs * ((outputs + 4) * sizeof(double) + sizeof(int))) + step_bytes(inputs, outputs, options);
    const std::size_t rows =
        History::bytes_for(inputs, history_rows(options), options.history == HistoryKind::single_precision);
    switch (engine) {
        case Engine::dense:
            return common + (inputs <= kFewInputs ? DenseGram::bytes_for(inputs)
                                                  : PackedGram::bytes_for(inputs, columns_in_use(inputs, options),
                                                                          dense_block_room(inputs, options)));
        case Engine::screened:
            return common + rows + BlockGram::bytes_for(inputs, block_room(inputs, options)) +
                   (options.deflation == Deflation::refit
                        ? SingleGram::bytes_for(inputs, least_columns(inputs, options))
                        : 0);
        default:
            return common + rows + ColumnGram::bytes_for(inputs, least_columns(inputs, options)) +
                   (options.history == HistoryKind::none ? 0 : ColumnGram::late_bytes_for(inputs));
    }
}

Engine plan_engine(std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    return options.engine != Engine::automatic ? options.engine : cheapest(kEngines, inputs, outputs, options);
}

Engine plan_engine_with_products(std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    constexpr std::array kWithProducts = {Engine::dense, Engine::columns};
    return options.engine != Engine::automatic || options.deflation == Deflation::project
               ? plan_engine(inputs, outputs, options)
               : cheapest(kWithProducts, inputs, outputs, options);
}

std::string engine_problem(std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    if (options.engine != Engine::automatic && !engine_suits(options.engine, inputs, options)) {
        std::vector<std::string> rules;
        if (options.gamma) {
            rules.emplace_back("keep instead of gamma");
        }
        if (options.history != HistoryKind::none &&
            (options.forgetting >= 1.0 || History::rows_for(options.forgetting) > kMostRows)) {
            rules.emplace_back("forgetting below 1 (0.99996 at most), or history = none");
        }
        if (options.engine == Engine::screened && options.deflation == Deflation::refit &&
            !refit_may_be_screened(options)) {
            rules.emplace_back(
                "deflation = project, or with refit forgetting of 0.8 or more, ridge up to 0.001 and history = double");
        }
        if (options.engine == Engine::screened && options.penalty == Penalty::group_lasso) {
            rules.emplace_back("another penalty than group_lasso");
        }
        if (options.engine == Engine::screened && options.hold_bonus > 0.0) {
            rules.emplace_back("hold_bonus = 0");
        }
        return "engine = " + std::string(name_of(options.engine)) +
               ": must be dense or automatic with these options; it needs " + joined(rules, " and ");
    }
    std::string needs;
    bool fits = false;
    for (const Engine engine : kEngines) {
        if (!engine_suits(engine, inputs, options) ||
            (options.engine != Engine::automatic && options.engine != engine)) {
            continue;
        }
        const std::size_t bytes = engine_bytes(engine, inputs, outputs, options);
        fits = fits || bytes <= options.memory_limit;
        needs += (needs.empty() ? "" : ", ") + std::string(name_of(engine)) + " " +
                 byte_text_in(bytes, byte_unit(options.memory_limit));
    }
    if (fits) {
        return {};
    }
    std::vector<std::string> remedies = {"a larger memory_limit"};
    if (options.gamma) {
        remedies.emplace_back("keep instead of gamma");
    } else if (options.forgetting >= 1.0) {
        remedies.emplace_back("forgetting below 1");
        if (options.history != HistoryKind::none) {
            remedies.emplace_back("history = none");
        }
    } else {
        remedies.emplace_back("a smaller forgetting");
        if (options.history == HistoryKind::double_precision) {
            remedies.emplace_back("history = float");
        }
        if (options.history != HistoryKind::none) {
            remedies.emplace_back("history = none");
        }
    }
    return "memory_limit = " + byte_text_in(options.memory_limit, byte_unit(options.memory_limit)) +
           ": must be enough for one engine (" + needs + "); try " + joined(remedies, " or ");
}

std::unique_ptr<Gram> make_gram(Engine engine, std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    switch (engine) {
        case Engine::screened:
            return std::make_unique<BlockGram>(inputs, most_in_block(inputs, options), make_history(inputs, options),
                                               make_single(inputs, options));
        case Engine::columns:
            return std::make_unique<ColumnGram>(inputs, column_room(inputs, outputs, options),
                                                make_history(inputs, options));
        default:
            if (inputs <= kFewInputs) {
                return std::make_unique<DenseGram>(inputs);
            }
            return std::make_unique<PackedGram>(inputs, columns_in_use(inputs, options),
                                                dense_block_room(inputs, options));
    }
}

std::unique_ptr<Gram> convert_gram(const Gram& from, Engine engine, std::size_t inputs, std::size_t outputs,
                                   const StreamOptions& options, Workers& workers) {
    assert(from.history() != nullptr);
    switch (engine) {
        case Engine::screened: {
            auto single = make_single(inputs, options);
            if (single) {
                single->add_rows_of(*from.history());
            }
            return std::make_unique<BlockGram>(inputs, most_in_block(inputs, options), *from.history(),
                                               std::move(single));
        }
        case Engine::columns:
            return std::make_unique<ColumnGram>(inputs, column_room(inputs, outputs, options), *from.history());
        default: {
            if (inputs <= kFewInputs) {
                auto dense = std::make_unique<DenseGram>(inputs);
                dense->rebuild_from(*from.history(), workers);
                return dense;
            }
            auto packed = std::make_unique<PackedGram>(inputs, columns_in_use(inputs, options),
                                                       dense_block_room(inputs, options));
            packed->rebuild_from(*from.history(), workers);
            return packed;
        }
    }
}

}  // namespace sluice::core
