// static_portfolio.cpp -- figure 5: what ten names with weights set once amount to, in-sample and out of it.
#include "experiments/static_portfolio/static_portfolio.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "experiments/common/paper_market.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/text.hpp"
#include "experiments/common/track_record.hpp"
#include "experiments/static_portfolio/held_portfolio.hpp"

namespace sluice::experiments {

namespace {

constexpr double kCosts = 10.0;  // basis points, for ours

// One way to choose, once with all weeks known and once with the first half alone.
struct TriedPortfolio {
    const char* name;
    const char* key;
    HeldPortfolio in_sample;
    HeldPortfolio halfway;
    std::vector<double> in_sample_returns;
    std::vector<double> forward_returns;  // of the second half
};

TriedPortfolio tried(const PaperMarket& market, const char* name, const char* key,
                     HeldPortfolio (*choose)(const PaperMarket&, std::size_t), double costs) {
    const std::size_t half = market.periods() / 2;
    TriedPortfolio out{.name = name,
                       .key = key,
                       .in_sample = choose(market, market.periods()),
                       .halfway = choose(market, half),
                       .in_sample_returns = {},
                       .forward_returns = {}};
    out.in_sample_returns = earned(market, out.in_sample, 0, costs);
    out.forward_returns = earned(market, out.halfway, half, costs);
    return out;
}

Panel panel_of(const PaperMarket& market, const std::string& title, std::size_t from,
               const std::vector<std::pair<std::string, std::vector<double>>>& portfolios) {
    Panel panel{
        .title = title,
        .scale = Scale::growth,
        .lines = {{.name = market.index_names[0], .mean = cumulative(index_returns(market, 0, from)), .style = 0},
                  {.name = "+15 %", .mean = cumulative(target_returns(market, 0, from)), .style = 1}},
        .across = from == 0 ? "week" : fmt::format("week after the {}th", from)};
    for (const auto& [name, returns] : portfolios) {
        panel.lines.push_back({.name = name, .mean = cumulative(returns), .style = panel.lines.size()});
    }
    return panel;
}

Figure figure_of(const PaperMarket& market, const std::vector<TriedPortfolio>& all) {
    const std::size_t half = market.periods() / 2;
    return {
        .name = "static-portfolio",
        .caption =
            fmt::format("Cumulative returns, reinvested. Left, as in the paper: weights from all weeks, earned "
                        "over the same weeks. Middle: "
                        "weights from the first {} weeks, earned afterwards. Right: the same for our method, net "
                        "of {} basis points of "
                        "what is traded. {}",
                        half, kCosts, market.source),
        .svg = draw(Plot{
            .about =
                "Cumulative returns of the index, of the index plus 15 % a year, and of static portfolios of ten names",
            .panels = {panel_of(market, "As in the paper: in-sample", 0,
                                {{"LARS", all[0].in_sample_returns}, {"SB-PLS", all[1].in_sample_returns}}),
                       panel_of(market, "The same, out of sample", half,
                                {{"LARS", all[0].forward_returns}, {"SB-PLS", all[1].forward_returns}}),
                       panel_of(market, "Ours, out of sample, net", half, {{"ours", all[2].forward_returns}})}})};
}

Table table_of(const PaperMarket& market, const std::vector<TriedPortfolio>& all) {
    Table table{.title = "Static portfolios of ten names",
                .head = {"portfolio", "names", "invested", "cumulative return", "less that of the index", "a year",
                         "over the index", "over the target", "error / variance"},
                .rows = {}};
    const std::size_t half = market.periods() / 2;
    const auto add = [&](const std::string& name, const HeldPortfolio& held, const std::vector<double>& returns,
                         std::size_t from) {
        const TrackRecord record = record_of(market, 0, returns, from);
        table.rows.push_back({name, fmt::format("{}", held.names.size()), percent(held.invested()),
                              signed_percent(record.total), signed_percent(record.total_over_index),
                              signed_percent(record.annual_return), signed_percent(record.over_index),
                              signed_percent(record.over_target), fmt::format("{:.3f}", record.error_over_variance)});
    };
    for (const TriedPortfolio& one : all) {
        add(fmt::format("{}, in-sample", one.name), one.in_sample, one.in_sample_returns, 0);
    }
    for (const TriedPortfolio& one : all) {
        add(fmt::format("{}, weights of week {}, weeks after", one.name, half), one.halfway, one.forward_returns, half);
    }
    return table;
}

void add_claims(Result& result, const PaperMarket& market, const std::vector<TriedPortfolio>& all) {
    const TrackRecord lars = record_of(market, 0, all[0].in_sample_returns);
    const TrackRecord bridge = record_of(market, 0, all[1].in_sample_returns);
    const int below = (lars.total_over_index < 0.0 ? 1 : 0) + (bridge.total_over_index < 0.0 ? 1 : 0);
    const auto verdict = [&](int count) {
        return !market.real ? Verdict::not_tested
               : count == 2 ? Verdict::holds
               : count == 1 ? Verdict::in_part
                            : Verdict::fails;
    };
    result.claims.push_back(
        {.claim = "With a static portfolio of ten names, even in-sample, both LARS and SB-PLS underperform the index.",
         .measured = fmt::format(
             "cumulative return {} with LARS and {} with SB-PLS, {} of the index, {} of the target{}",
             signed_percent(lars.total), signed_percent(bridge.total),
             signed_percent(cumulative(index_returns(market, 0)).back()),
             signed_percent(cumulative(target_returns(market, 0)).back()), market.real ? "" : " (synthetic market)"),
         .verdict = verdict(below)});
    const int poor = (lars.over_target < 0.0 ? 1 : 0) + (bridge.over_target < 0.0 ? 1 : 0);
    result.claims.push_back(
        {.claim = "Using a static portfolio for a long period leads to poor tracking performance.",
         .measured = fmt::format("return a year less that of the target: {} with LARS, {} with SB-PLS; invested are {} "
                                 "and {} of the capital",
                                 signed_percent(lars.over_target), signed_percent(bridge.over_target),
                                 percent(all[0].in_sample.invested()), percent(all[1].in_sample.invested())),
         .verdict = verdict(poor)});
}

std::string summary_of(const PaperMarket& market, const std::vector<TriedPortfolio>& all) {
    const std::size_t half = market.periods() / 2;
    const TrackRecord bridge = record_of(market, 0, all[1].in_sample_returns);
    const TrackRecord late = record_of(market, 0, all[1].forward_returns, half);
    const TrackRecord ours = record_of(market, 0, all[2].forward_returns, half);
    return fmt::format(
        "The coefficients of LARS and SB-PLS, fitted through the origin, sum to {} and {} only. The rest is cash, and "
        "this "
        "keeps them from the index's gains more than changes of the market do. With weights set halfway, the return of "
        "SB-PLS in the second half, minus that of the index, is {} a year; in-sample it is {}. For weights that are "
        "positive and sum to one it is {}, net of costs, with an error over variance of {:.2f} (SB-PLS: {:.2f}). No "
        "static portfolio here earns 15 % a year more than the index. A regression on returns can follow an index; it "
        "cannot produce the enhancement, a constant that no stock pays.",
        percent(all[0].in_sample.invested()), percent(all[1].in_sample.invested()), signed_percent(late.over_index),
        signed_percent(bridge.over_index), signed_percent(ours.over_index), ours.error_over_variance,
        late.error_over_variance);
}

std::string portfolios_json(const PaperMarket& market, const std::vector<TriedPortfolio>& all) {
    const std::size_t half = market.periods() / 2;
    std::string out =
        fmt::format(R"("data":"{}","index":{},"target":{},"portfolios":[)", market.real ? "indtrack4" : "synthetic",
                    json(cumulative(index_returns(market, 0))), json(cumulative(target_returns(market, 0))));
    for (const TriedPortfolio& one : all) {
        const TrackRecord record = record_of(market, 0, one.in_sample_returns);
        const TrackRecord forward = record_of(market, 0, one.forward_returns, half);
        out += fmt::format(
            R"({}{{"name":"{}","names":{},"invested":{},"in_sample":{},"forward":{},"annual_excess":[{},{}],"error_over_variance":[{},{}]}})",
            &one == all.data() ? "" : ",", one.key, one.in_sample.names.size(), one.in_sample.invested(),
            json(cumulative(one.in_sample_returns)), json(cumulative(one.forward_returns)), record.over_index,
            forward.over_index, record.error_over_variance, forward.error_over_variance);
    }
    return out + "]";
}

}  // namespace

std::size_t static_portfolio_rows(const Plan& /*plan*/) {
    return 3 * kMarketWeeks;
}

Result run_static_portfolio(const Plan& plan) {
    const PaperMarket market = first_index_of(paper_market(plan));
    std::vector<TriedPortfolio> all;
    const auto add = [&](const char* name, const char* key, HeldPortfolio (*choose)(const PaperMarket&, std::size_t),
                         double costs) {
        all.push_back(tried(market, name, key, choose, costs));
        report_progress(plan, kMarketWeeks);
    };
    add("LARS", "lars", by_lars, 0.0);
    add("SB-PLS", "sparse_bridge", by_sparse_bridge, 0.0);
    add("ours, net", "ours", by_constrained_refit, kCosts);

    Result result{.name = "static-portfolio",
                  .title = fmt::format("Figure 5: ten of {} stocks, held throughout", market.market.stocks.size()),
                  .question = "Can ten names with weights set once follow the index plus 15 % a year? " + market.source,
                  .settings = {{"seed", fmt::format("{}", plan.seed)},
                               {"data", market.real ? R"("indtrack4")" : R"("synthetic")"},
                               {"stocks", fmt::format("{}", market.market.stocks.size())},
                               {"weeks", fmt::format("{}", market.periods())},
                               {"names", fmt::format("{}", kHeld)},
                               {"enhance", fmt::format("{}", kEnhance)},
                               {"costs", fmt::format("{}", kCosts)}}};
    result.section = Section::markets;
    result.notice = market.real ? "" : market.source;
    result.summary.push_back(summary_of(market, all));
    add_claims(result, market, all);
    result.figures.push_back(figure_of(market, all));
    result.tables.push_back(table_of(market, all));

    std::vector<Column> columns = {{.name = "index", .values = cumulative(index_returns(market, 0))},
                                   {.name = "target", .values = cumulative(target_returns(market, 0))}};
    for (const TriedPortfolio& one : all) {
        columns.push_back({.name = fmt::format("{}_in_sample", one.key), .values = cumulative(one.in_sample_returns)});
    }
    result.series.push_back({.name = "static-portfolio", .csv = csv(columns)});
    result.differs = {
        "The target is the index's weekly return plus 0.15/52; the paper does not say how the 15 % are compounded.",
        "Both fits go through the origin. Their coefficients are the weights: they need not sum to one, and what is "
        "missing is "
        "held as cash that earns nothing. That alone pulls the return down, and up where the index falls.",
        "Ours chooses by refit deflation, and its weights are positive and sum to one: a portfolio that can be bought. "
        "It pays costs.",
        "The weights of the right panels are set halfway and earn what comes after: what the paper does not show."};
    result.json = json_line(result, 1, market.periods(), portfolios_json(market, all));
    return result;
}

}  // namespace sluice::experiments
