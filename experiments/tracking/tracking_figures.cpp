#include "experiments/tracking/tracking_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/common/heatmap.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/text.hpp"
#include "experiments/common/track_record.hpp"

namespace sluice::experiments {

namespace {

Panel panel_of(const Tracked& all, std::size_t index, const std::string& version, std::size_t from,
               std::vector<Line> portfolios) {
    const PaperMarket& market = all.market;
    const auto target = cumulative(target_returns(market, index, from));
    constexpr double kRoom = 1.5;  // for lines above the target; those of a ruinous leverage would flatten all others
    Panel panel{.title = fmt::format("{}: {}", market.index_names[index], version),
                .scale = Scale::growth,
                .lines = {{.name = market.index_names[index],
                           .mean = cumulative(index_returns(market, index, from)),
                           .style = 0},
                          {.name = "+15 %", .mean = target, .style = 1}},
                .across = from == 0 ? "week" : fmt::format("week after the {}nd", from),
                .ceiling = kRoom * std::ranges::max(target)};
    for (Line& line : portfolios) {
        line.style = panel.lines.size();
        panel.lines.push_back(std::move(line));
    }
    return panel;
}

// Stocks that either of two backtests ever holds: market by market, those held longest first.
struct EverHeld {
    std::vector<std::size_t> stocks;
    std::vector<MapGroup> groups;
};

EverHeld ever_held(const Tracked& all, const std::vector<const Backtest*>& backtests) {
    std::map<std::size_t, std::size_t> weeks;
    for (const Backtest* backtest : backtests) {
        for (const auto& names : backtest->names) {
            for (const std::size_t stock : names) {
                ++weeks[stock];
            }
        }
    }
    EverHeld out;
    for (std::size_t k = 0; k < all.market.index_names.size(); ++k) {
        const std::size_t before = out.stocks.size();
        for (const auto& entry : weeks) {
            if (market_of(all.market, entry.first) == k) {
                out.stocks.push_back(entry.first);
            }
        }
        std::stable_sort(out.stocks.begin() + static_cast<std::ptrdiff_t>(before), out.stocks.end(),
                         [&](std::size_t a, std::size_t b) { return weeks.at(a) > weeks.at(b); });
        if (out.stocks.size() > before) {
            out.groups.push_back({.name = all.market.index_names[k], .variables = out.stocks.size() - before});
        }
    }
    return out;
}

Layer layer_of(const Backtest& backtest, const EverHeld& held, const char* style) {
    Layer layer{.style = style, .marked = std::vector<std::vector<std::size_t>>(backtest.from)};
    for (const auto& names : backtest.names) {
        layer.marked.emplace_back();
        for (const std::size_t stock : names) {
            layer.marked.back().push_back(
                static_cast<std::size_t>(std::ranges::find(held.stocks, stock) - held.stocks.begin()));
        }
        std::ranges::sort(layer.marked.back());
    }
    return layer;
}

std::string names_csv(const Tracked& all, const std::vector<const Backtest*>& backtests) {
    std::string out = "week,portfolio,names\n";
    for (const Backtest* backtest : backtests) {
        for (std::size_t i = 0; i < backtest->names.size(); ++i) {
            std::vector<std::string> names;
            for (const std::size_t stock : backtest->names[i]) {
                names.push_back(all.market.market.stocks[stock]);
            }
            out += fmt::format("{},{},{}\n", backtest->from + i + 1, backtest->key, fmt::join(names, " "));
        }
    }
    return out;
}

}  // namespace

std::string ratio(double value) {
    return value < 1e-20 ? "0" : value < 100.0 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

Figure curves_figure(const Tracked& all) {
    std::vector<Panel> panels;
    for (std::size_t k = 0; k < all.market.index_names.size(); ++k) {
        panels.push_back(panel_of(all, k, "the paper's, in-sample", 0,
                                  {{.name = "iSB-PLS", .mean = cumulative(all.paper_in_sample.returns[k])},
                                   {.name = "random", .mean = all.random[k].in_sample.mean}}));
        panels.push_back(panel_of(all, k, "the same, walked forward", kWarmup,
                                  {{.name = "iSB-PLS", .mean = cumulative(all.paper_forward.returns[k])},
                                   {.name = "random", .mean = all.random[k].forward.mean}}));
        panels.push_back(panel_of(all, k, "ours, net", kWarmup,
                                  {{.name = "ours", .mean = cumulative(all.ours.returns[k])},
                                   {.name = "LARS", .mean = cumulative(all.lars.returns[k])}}));
    }
    return {.name = "tracking",
            .caption = fmt::format("Cumulative returns, reinvested. Left, as in the paper: the weights of a week earn "
                                   "that same week. Middle: they earn the "
                                   "next week. Right: scaled outputs, refit, weights that are positive and sum to one "
                                   "at most, net of {} basis points of what "
                                   "is traded; window LARS beside it. Random: mean of the random portfolios with "
                                   "recursive least squares weights. Lines "
                                   "that leave a picture at the top go on above it; at -100 % everything is lost. {}",
                                   kNetCosts, all.market.source),
            .svg = draw(Plot{
                .about = "Cumulative returns of two indices, their targets and portfolios of ten names, three versions",
                .panels = std::move(panels)})};
}

Figure holdings_figure(const Tracked& all) {
    const EverHeld held = ever_held(all, {&all.paper_in_sample, &all.ours});
    const auto title = [&](const Backtest& backtest, const char* name) {
        return fmt::format("{}: {:.2f} new names a week", name, backtest.changed);
    };
    return {
        .name = "tracking-holdings",
        .caption = fmt::format("Which names are held in which week: the {} stocks that either portfolio ever holds, "
                               "those held longest on top. Ours "
                               "begins after {} weeks.",
                               held.stocks.size(), kWarmup),
        .svg = draw(Heatmap{.about = "Names held week by week, by the paper's portfolio and by ours",
                            .groups = held.groups,
                            .panels = {{.title = title(all.paper_in_sample, "The paper's"),
                                        .layers = {layer_of(all.paper_in_sample, held, "f0")}},
                                       {.title = title(all.ours, "Ours"), .layers = {layer_of(all.ours, held, "f1")}}},
                            .cell = std::clamp(400.0 / static_cast<double>(held.stocks.size()), 2.0, 8.0),
                            .across = "week"})};
}

Table tracking_table(const Tracked& all) {
    Table table{
        .title = fmt::format(
            "Portfolios of ten names in all, target +15 % a year. In-sample: all {} weeks; walked forward: after {}",
            all.market.periods(), kWarmup),
        .head = {"portfolio"},
        .rows = {}};
    for (const std::string& name : all.market.index_names) {
        table.head.push_back(name + ": over it, a year");
        table.head.push_back(name + ": error / variance");
    }
    for (const char* head : {"largest stake, times the capital", "new names a week", "costs a year"}) {
        table.head.emplace_back(head);
    }
    for (const Backtest* backtest : all.backtests()) {
        std::vector<std::string> row{backtest->name};
        for (std::size_t k = 0; k < backtest->returns.size(); ++k) {
            const TrackRecord record = record_of(all.market, k, backtest->returns[k], backtest->from);
            row.push_back(signed_percent(record.over_index));
            row.push_back(ratio(record.error_over_variance));
        }
        row.push_back(fmt::format("{:.3g}", backtest->most_invested));
        row.push_back(fmt::format("{:.2f}", backtest->changed));
        row.push_back(backtest->costs_per_year == 0.0 ? "-"
                                                      : fmt::format("{:.2f} %", 100.0 * backtest->costs_per_year));
        table.rows.push_back(std::move(row));
    }
    for (const bool forward : {false, true}) {
        std::vector<std::string> row{forward ? "mean of the random portfolios, walked forward"
                                             : "mean of the random portfolios, in-sample"};
        for (const RandomPortfolios& random : all.random) {
            row.push_back(signed_percent(forward ? random.forward_over_index : random.in_sample_over_index));
            row.push_back(ratio(forward ? random.forward_error : random.in_sample_error));
        }
        row.insert(row.end(), {"-", "0.00", "-"});
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<Series> tracking_series(const Tracked& all) {
    std::vector<Column> seen;
    std::vector<Column> ahead;
    for (std::size_t k = 0; k < all.market.index_names.size(); ++k) {
        for (const std::size_t from : {std::size_t{0}, kWarmup}) {
            auto& columns = from == 0 ? seen : ahead;
            columns.push_back(
                {.name = fmt::format("index_{}", k + 1), .values = cumulative(index_returns(all.market, k, from))});
            columns.push_back(
                {.name = fmt::format("target_{}", k + 1), .values = cumulative(target_returns(all.market, k, from))});
        }
        for (const Backtest* backtest : all.backtests()) {
            (backtest->from == 0 ? seen : ahead)
                .push_back(
                    {.name = fmt::format("{}_{}", backtest->key, k + 1), .values = cumulative(backtest->returns[k])});
        }
        seen.push_back({.name = fmt::format("random_{}_mean", k + 1), .values = all.random[k].in_sample.mean});
        ahead.push_back({.name = fmt::format("random_{}_mean", k + 1), .values = all.random[k].forward.mean});
    }
    return {{.name = "tracking-in-sample", .csv = csv(seen)},
            {.name = "tracking-forward", .csv = csv(ahead)},
            {.name = "tracking-names", .csv = names_csv(all, {&all.paper_in_sample, &all.ours, &all.calm, &all.lars})}};
}

}  // namespace sluice::experiments
