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

std::string to_hold_next(const std::vector<Reason>& next, const Market& market) {
    std::string out = fmt::format("{:<16} {:<12} {:>8}  {:<14} {:>10} {:>6} {:>12} {:>15}\n", "to hold next", "for",
                                  "weight %", "held since", "% of time", "beta", "correlation", "err. without it");
    for (const Reason& one : next) {
        out += fmt::format("{:<16} {:<12} {:>8}  {:<14} {:>10} {:>6} {:>12} {:>15}\n", market.stocks[one.stock],
                           market.indices[one.index], percent(one.weight), one.since ? market.dates[*one.since] : "new",
                           percent(one.share_of_time, 0), fixed(one.beta, 2), fixed(one.correlation, 2),
                           fmt::format("{} -> {}", fixed(one.error, 3), fixed(one.error_without, 3)));
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
std::string members(const Struct& values, const Fields& fields) {
    std::string out;
    for (const auto& field : fields) {
        out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", field.name, io::json(values.*field.value));
    }
    return out;
}

std::string json_of(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) {
        out += out.empty() ? "" : ", ";
        io::append_json(out, text);
    }
    return fmt::format("[{}]", out);
}

std::string json_of(const Reason& one, const Market& market) {
    return fmt::format(
        "{{\"stock\": {}, \"index\": {}, \"weight\": {}, \"since\": {}, \"share_of_time\": {}, \"beta\": {}, "
        "\"correlation\": {}, "
        "\"error\": {}, \"error_without\": {}}}",
        io::json(market.stocks[one.stock]), io::json(market.indices[one.index]), io::json(one.weight),
        one.since ? io::json(market.dates[*one.since]) : "null", io::json(one.share_of_time), io::json(one.beta),
        io::json(one.correlation), io::json(one.error), io::json(one.error_without));
}

std::string json_of(const StrategyResult& strategy, const Market& market) {
    const Performance& all = strategy.performance;
    std::string indices;
    for (std::size_t k = 0; k < all.indices.size(); ++k) {
        const IndexPerformance& one = all.indices[k];
        indices +=
            fmt::format("{}{{\"name\": {}, {}, {}, \"gross\": {{{}}}", k == 0 ? "" : ", ", io::json(one.name),
                        members(one.net, kFigures), members(one.trading, kTrading), members(one.gross, kFigures));
        indices += strategy.spread.empty()
                       ? "}"
                       : fmt::format(", \"spread\": {{{}}}}}", members(strategy.spread[k], kFigures));
    }
    std::string next;
    for (const Reason& one : strategy.next) {
        next += (next.empty() ? "" : ", ") + json_of(one, market);
    }
    return fmt::format(
        "{{\"name\": {}, \"about\": {}, \"indices\": [{}], \"names_changed_per_period\": {}, \"names_held\": {}, "
        "\"most_names\": {}, \"costs\": {}, \"next\": [{}], \"notes\": {}}}",
        io::json(strategy.name), io::json(strategy.about), indices, io::json(all.names_changed_per_period),
        io::json(all.names_held), io::json(all.most_names), io::json(all.costs), next, json_of(strategy.notes));
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
    std::string strategies;
    for (const StrategyResult& strategy : result.strategies) {
        strategies += (strategies.empty() ? "" : ", ") + json_of(strategy, market);
    }
    return fmt::format(
        "{{\"strategies\": [{}], \"settings\": {{\"names\": {}, \"enhance\": {}, \"warmup\": {}, \"rebalance\": {}, "
        "\"costs\": {}, "
        "\"long_only\": {}, \"fully_invested\": {}, \"max_weight\": {}, \"turnover_budget\": {}, \"hold_bonus\": {}, "
        "\"shortlist\": {}, \"forgetting\": {}, \"shrinkage\": {}, \"window\": {}}}, \"stocks\": {}, \"periods\": {}, "
        "\"scored\": {}, "
        "\"periods_per_year\": {}, \"first_scored\": {}, \"last_scored\": {}, \"notes\": {}}}\n",
        strategies, options.names, io::json(options.enhance), options.warmup, io::json(options.rebalance.text()),
        io::json(options.costs), options.long_only, options.fully_invested,
        options.max_weight ? io::json(*options.max_weight) : "null",
        options.turnover_budget ? io::json(*options.turnover_budget) : "null", io::json(options.hold_bonus),
        options.shortlist, io::json(options.model.forgetting), io::json(options.model.shrinkage), options.window,
        market.stocks.size(), market.index_returns.cols(), result.scored, io::json(market.periods_per_year),
        io::json(market.dates[options.warmup]), io::json(market.dates.back()), json_of(market.notes));
}

std::string holdings_csv(const TrackResult& result, const Market& market) {
    std::string out = "strategy,date,index,stock,weight\n";
    for (const StrategyResult& strategy : result.strategies) {
        for (const Holding& holding : strategy.holdings) {
            out += strategy.name + ",";
            io::append_cell(out, market.dates[holding.period]);
            out += ',';
            io::append_cell(out, market.indices[holding.index]);
            out += ',';
            io::append_cell(out, market.stocks[holding.stock]);
            out += fmt::format(",{}\n", holding.weight);
        }
    }
    return out;
}

}  // namespace sluice::portfolio
