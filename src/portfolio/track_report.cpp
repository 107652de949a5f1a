#include "track_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "csv_text.hpp"
#include "json_text.hpp"

namespace sluice::portfolio {

namespace {

constexpr double kPercent = 100.0;
constexpr std::size_t kNotesShown = 5;

std::string fixed(double number, int digits) {
    return std::isfinite(number) ? fmt::format("{:.{}f}", number, digits) : "-";
}
std::string percent(double share, int digits = 1) {
    return fixed(kPercent * share, digits);
}

std::string index_table(const TrackResult& result, std::size_t k) {
    std::string out =
        fmt::format("{:<15} {:>9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>9} {:>8} {:>7} {:>9} {:>8}\n", "",
                    "error/var", "gross", "te %/yr", "ret %/yr", "excess", "o.target", "info", "drawdn %", "turnover",
                    "cost %/yr", "names", "effective", "invested");
    for (const StrategyResult& strategy : result.strategies) {
        const IndexPerformance& one = strategy.performance.indices[k];
        out +=
            fmt::format("{:<15} {:>9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>9} {:>8} {:>7} {:>9} {:>8}\n",
                        strategy.name, fixed(one.net.error_over_variance, 4), fixed(one.gross.error_over_variance, 4),
                        percent(one.net.tracking_error), percent(one.net.annual_return), percent(one.net.annual_excess),
                        percent(one.net.annual_excess_over_target), fixed(one.net.information_ratio, 2),
                        percent(one.net.maximum_drawdown), fixed(one.trading.turnover_per_period, 3),
                        percent(one.trading.costs_per_year, 2), fixed(one.trading.names, 1),
                        fixed(one.trading.effective_names, 1), fixed(one.trading.invested, 2));
        if (!strategy.spread.empty()) {
            const Figures& spread = strategy.spread[k];
            out += fmt::format("{:<15} {:>9} {:>7} {:>8} {:>8} {:>8}\n", "   +/-", fixed(spread.error_over_variance, 4),
                               "", percent(spread.tracking_error), percent(spread.annual_return),
                               percent(spread.annual_excess));
        }
    }
    return out;
}

// No stock has this name.
std::string name_of_cash(const Market& market) {
    return std::ranges::find(market.stocks, "cash") == market.stocks.end() ? "cash" : "(cash)";
}

// 1 less what is invested, without the rounding of a sum of weights.
double cash_of(double invested) {
    constexpr double kSumRounding = 1e-12;
    const double cash = 1.0 - invested;
    return std::abs(cash) < kSumRounding ? 0.0 : cash;
}

// "strategy,date,index,"
std::string line_begin(const StrategyResult& strategy, const Market& market, const PeriodResult& one) {
    std::string out = strategy.name + ",";
    io::append_cell(out, market.dates[one.period]);
    out += ',';
    io::append_cell(out, market.indices[one.index]);
    return out + ",";
}

// Of the weights to hold next: the cash of each index.
std::vector<double> cash_next(const std::vector<Reason>& next, const Market& market) {
    std::vector<double> invested(market.indices.size(), 0.0);
    for (const Reason& one : next) {
        invested[one.index] += one.weight;
    }
    std::ranges::transform(invested, invested.begin(), cash_of);
    return invested;
}

std::string to_hold_next(const std::vector<Reason>& next, const Market& market) {
    std::string out = fmt::format("{:<16} {:<12} {:>8}  {:<14} {:>10} {:>6} {:>12} {:>15}\n", "to hold next", "for",
                                  "weight %", "held since", "% of time", "beta", "correlation", "err. without it");
    for (const Reason& one : next) {
        out += fmt::format("{:<16} {:<12} {:>8}  {:<14} {:>10} {:>6} {:>12} {:>15}\n", market.stocks[one.stock],
                           market.indices[one.index], percent(one.weight), one.since ? market.dates[*one.since] : "new",
                           percent(one.share_of_time, 0), fixed(one.beta, 2), fixed(one.correlation, 2),
                           fmt::format("{} -> {}", fixed(one.error, 3), fixed(one.error_without, 3)));
    }
    const std::vector<double> cash = cash_next(next, market);
    for (std::size_t k = 0; k < cash.size(); ++k) {
        out += fmt::format("{:<16} {:<12} {:>8}\n", name_of_cash(market), market.indices[k], percent(cash[k]));
    }
    return out;
}

void append_notes(std::string& out, const std::string& whose, const std::vector<std::string>& notes) {
    for (std::size_t n = 0; n < std::min(notes.size(), kNotesShown); ++n) {
        out += fmt::format("note ({}): {}\n", whose, notes[n]);
    }
    if (notes.size() > kNotesShown) {
        out += fmt::format("note ({}): and {} more; all are in the JSON\n", whose, notes.size() - kNotesShown);
    }
}

template <typename Struct, typename Fields>
void append_members(io::JsonWriter& json, const Struct& values, const Fields& fields) {
    for (const auto& field : fields) {
        json.member(field.name, values.*field.value);
    }
}

void append_reason(io::JsonWriter& json, const Reason& one, const Market& market) {
    json.begin_object()
        .member("stock", market.stocks[one.stock])
        .member("index", market.indices[one.index])
        .member("weight", one.weight)
        .member("since", one.since ? std::optional(market.dates[*one.since]) : std::nullopt)
        .member("share_of_time", one.share_of_time)
        .member("beta", one.beta)
        .member("correlation", one.correlation)
        .member("error", one.error)
        .member("error_without", one.error_without)
        .end_object();
}

void append_strategy(io::JsonWriter& json, const StrategyResult& strategy, const Market& market) {
    const Performance& all = strategy.performance;
    json.begin_object().member("name", strategy.name).member("about", strategy.about).key("indices").begin_list();
    for (std::size_t k = 0; k < all.indices.size(); ++k) {
        const IndexPerformance& one = all.indices[k];
        json.begin_object().member("name", one.name);
        append_members(json, one.net, kFigures);
        append_members(json, one.trading, kTrading);
        append_members(json.key("gross").begin_object(), one.gross, kFigures);
        json.end_object();
        if (!strategy.spread.empty()) {
            append_members(json.key("spread").begin_object(), strategy.spread[k], kFigures);
            json.end_object();
        }
        json.end_object();
    }
    json.end_list()
        .member("names_changed_per_period", all.names_changed_per_period)
        .member("names_held", all.names_held)
        .member("most_names", all.most_names)
        .member("costs", all.costs)
        .key("next")
        .begin_list();
    for (const Reason& one : strategy.next) {
        append_reason(json, one, market);
    }
    json.end_list().key("next_cash").begin_object();
    if (!strategy.next.empty()) {
        const std::vector<double> cash = cash_next(strategy.next, market);
        for (std::size_t k = 0; k < cash.size(); ++k) {
            json.member(market.indices[k], cash[k]);
        }
    }
    json.end_object().key("notes").list(strategy.notes).end_object();
}

void append_settings(io::JsonWriter& json, const TrackOptions& options) {
    json.begin_object()
        .member("names", options.names)
        .member("enhance", options.enhance)
        .member("warmup", options.warmup)
        .member("rebalance", options.rebalance.text())
        .member("costs", options.costs)
        .member("long_only", options.long_only)
        .member("fully_invested", options.fully_invested)
        .member("max_weight", options.max_weight)
        .member("turnover_budget", options.turnover_budget)
        .member("hold_bonus", options.hold_bonus)
        .member("shortlist", options.shortlist)
        .member("forgetting", options.model.forgetting)
        .member("shrinkage", options.model.shrinkage)
        .member("window", options.window)
        .end_object();
}

}  // namespace

std::string track_table(const TrackResult& result, const Market& market, const TrackOptions& options) {
    std::string out = fmt::format(
        "{} stocks, {} scored of {} periods ({} to {}), {:g} a year; {} names in all, costs {:g} basis points, "
        "rebalance {}\n",
        market.stocks.size(), result.scored, market.index_returns.cols(), market.dates[options.warmup],
        market.dates.back(), market.periods_per_year, options.names, options.costs, options.rebalance.text());
    out += "Weights set with data up to a period earn the return of the next; figures are net of costs.\n";
    for (std::size_t k = 0; k < market.indices.size(); ++k) {
        out += fmt::format("\n{}\n{}", market.indices[k], index_table(result, k));
    }
    out += fmt::format("\n{:<15} {:>18} {:>11} {:>11}   {}\n", "", "names changed/per.", "names held", "at most",
                       "what it is");
    for (const StrategyResult& strategy : result.strategies) {
        const Performance& all = strategy.performance;
        out += fmt::format("{:<15} {:>18} {:>11} {:>11}   {}\n", strategy.name, fixed(all.names_changed_per_period, 2),
                           fixed(all.names_held, 1), fixed(all.most_names, 0), strategy.about);
    }
    const auto ours = std::ranges::find(result.strategies, "sluice", &StrategyResult::name);
    if (ours != result.strategies.end()) {
        out += fmt::format("\n{}", to_hold_next(ours->next, market));
    }
    append_notes(out, "market", market.notes);
    for (const StrategyResult& strategy : result.strategies) {
        append_notes(out, strategy.name, strategy.notes);
    }
    return out;
}

std::string track_json(const TrackResult& result, const Market& market, const TrackOptions& options) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::spaced);
    json.begin_object().key("strategies").begin_list();
    for (const StrategyResult& strategy : result.strategies) {
        append_strategy(json, strategy, market);
    }
    append_settings(json.end_list().key("settings"), options);
    json.member("stocks", market.stocks.size())
        .member("periods", market.index_returns.cols())
        .member("scored", result.scored)
        .member("periods_per_year", market.periods_per_year)
        .member("first_scored", market.dates[options.warmup])
        .member("last_scored", market.dates.back())
        .key("warnings")
        .list(market.warnings)
        .key("notes")
        .list(market.notes)
        .end_object();
    return out + "\n";
}

std::string holdings_csv(const TrackResult& result, const Market& market) {
    std::string out = "strategy,date,index,stock,weight\n";
    const std::string cash = name_of_cash(market);
    for (const StrategyResult& strategy : result.strategies) {
        auto holding = strategy.holdings.begin();
        for (const PeriodResult& one : strategy.periods) {
            const std::string begin = line_begin(strategy, market, one);
            for (; holding != strategy.holdings.end() && holding->period == one.period && holding->index == one.index;
                 ++holding) {
                out += begin;
                io::append_cell(out, market.stocks[holding->stock]);
                out += fmt::format(",{}\n", holding->weight);
            }
            out += fmt::format("{}{},{}\n", begin, cash, cash_of(one.invested));
        }
    }
    return out;
}

std::string periods_csv(const TrackResult& result, const Market& market, const TrackOptions& options) {
    std::string out = "strategy,date,index,net,gross,index_return,target_return,traded,cash\n";
    for (const StrategyResult& strategy : result.strategies) {
        for (const PeriodResult& one : strategy.periods) {
            out +=
                fmt::format("{}{},{},{},{},{},{}\n", line_begin(strategy, market, one), one.net, one.gross,
                            market.index_returns(one.index, one.period),
                            target_return(market, one.index, one.period, options), one.traded, cash_of(one.invested));
        }
    }
    return out;
}

}  // namespace sluice::portfolio
