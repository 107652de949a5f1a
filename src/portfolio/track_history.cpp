#include "track_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "walk_forward.hpp"

namespace sluice::portfolio {

namespace {

constexpr double kInPercent = 100.0;
constexpr double kLeastTrade = 1e-12;  // less is rounding

// "2008-10-22: X did not trade": the sentence of each note by its date.
std::multimap<std::string, std::string> notes_by_date(const std::vector<std::string>& notes) {
    std::multimap<std::string, std::string> out;
    for (const std::string& note : notes) {
        if (const std::size_t end = note.find(": "); end != std::string::npos) {
            out.emplace(note.substr(0, end), note.substr(end + 2));
        }
    }
    return out;
}

// The names of `now` that are not in `before`; both ascend.
std::vector<std::string> names_without(const std::vector<std::size_t>& now, const std::vector<std::size_t>& before,
                                       const Market& market) {
    std::vector<std::string> out;
    for (const std::size_t stock : now) {
        if (!std::ranges::binary_search(before, stock)) {
            out.push_back(market.stocks[stock]);
        }
    }
    return out;
}

std::string what_was_traded(std::span<const PeriodResult> periods, const Market& market) {
    std::string out;
    for (const PeriodResult& one : periods) {
        if (one.traded > kLeastTrade) {
            out += fmt::format("{}{:.1f} % of the portfolio for {}", out.empty() ? "traded " : ", ",
                               kInPercent * one.traded, market.indices[one.index]);
        }
    }
    return out;
}

// Feeds the periods one by one.
class Feeder {
  public:
    Feeder(const StrategyResult& strategy, const Market& market, const TrackOptions& options)
        : strategy_(strategy),
          market_(market),
          options_(options),
          notes_(notes_by_date(strategy.notes)),
          history_({.targets = targets(market), .warmup = options.warmup}) {}

    report::History run() {
        for (std::size_t t = 0; t < market_.index_returns.cols(); ++t) {
            add(t);
        }
        return std::move(history_);
    }

  private:
    static std::vector<std::string> targets(const Market& market) {
        std::vector<std::string> out;
        out.reserve(market.indices.size());
        for (const std::string& index : market.indices) {
            out.push_back(index + ", return in %");
        }
        return out;
    }

    void add(std::size_t t) {
        const std::size_t indices = market_.indices.size();
        std::vector<double> observed(indices);
        for (std::size_t k = 0; k < indices; ++k) {
            observed[k] = kInPercent * target_return(market_, k, t, options_);
        }
        const std::span<const PeriodResult> periods = take_periods(t);
        std::vector<double> earned(indices, report::kUnknown);
        for (const PeriodResult& one : periods) {
            earned[one.index] = kInPercent * one.net;
        }
        const std::vector<report::Use> uses = take_holdings(t);
        const std::vector<report::StreamEvent> events = events_of(t, periods);
        history_.add({.row = t + 1,
                      .time = market_.dates[t],
                      .predicted = earned,
                      .observed = observed,
                      .uses = uses,
                      .events = events});
    }

    std::span<const PeriodResult> take_periods(std::size_t t) {
        const std::size_t begin = next_period_;
        while (next_period_ < strategy_.periods.size() && strategy_.periods[next_period_].period == t) {
            ++next_period_;
        }
        return std::span(strategy_.periods).subspan(begin, next_period_ - begin);
    }

    // The largest weights first.
    std::vector<report::Use> take_holdings(std::size_t t) {
        held_before_ = std::exchange(held_, {});
        std::vector<report::Use> uses;
        for (; next_holding_ < strategy_.holdings.size() && strategy_.holdings[next_holding_].period == t;
             ++next_holding_) {
            const Holding& one = strategy_.holdings[next_holding_];
            uses.push_back({.variable = history_.variable(market_.stocks[one.stock]),
                            .component = one.index,
                            .weight = kInPercent * std::abs(one.weight)});
            held_.push_back(one.stock);
        }
        std::ranges::stable_sort(uses, std::ranges::greater(), &report::Use::weight);
        std::ranges::sort(held_);
        held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
        return uses;
    }

    std::vector<report::StreamEvent> events_of(std::size_t t, std::span<const PeriodResult> periods) const {
        std::vector<report::StreamEvent> out;
        const auto event = [&](const char* kind, std::string text) {
            return report::StreamEvent{
                .kind = kind, .row = t + 1, .last_row = t + 1, .time = market_.dates[t], .text = std::move(text)};
        };
        if (std::string traded = what_was_traded(periods, market_); !traded.empty()) {
            report::StreamEvent rebalanced = event("rebalanced", std::move(traded));
            rebalanced.entered = names_without(held_, held_before_, market_);
            rebalanced.left = names_without(held_before_, held_, market_);
            if (options_.rebalance.kind != Rebalance::Kind::every || !rebalanced.entered.empty() ||
                !rebalanced.left.empty()) {
                out.push_back(std::move(rebalanced));
            }
        }
        const auto [begin, end] = notes_.equal_range(market_.dates[t]);
        for (auto note = begin; note != end; ++note) {
            out.push_back(event("note", note->second));
        }
        return out;
    }

    const StrategyResult& strategy_;
    const Market& market_;
    const TrackOptions& options_;
    std::multimap<std::string, std::string> notes_;
    report::History history_;
    std::size_t next_period_ = 0;
    std::size_t next_holding_ = 0;
    std::vector<std::size_t> held_ = {};  // stocks, ascending
    std::vector<std::size_t> held_before_ = {};
};

}  // namespace

const StrategyResult* shown_strategy(const TrackResult& result) {
    const auto known = [](const StrategyResult& one) { return !one.periods.empty(); };
    for (const StrategyResult& one : result.strategies) {
        if (one.name == "sluice" && known(one)) {
            return &one;
        }
    }
    const auto first = std::ranges::find_if(result.strategies, known);
    return first != result.strategies.end() ? &*first : nullptr;
}

report::History track_history(const StrategyResult& strategy, const Market& market, const TrackOptions& options) {
    return Feeder(strategy, market, options).run();
}

report::ReportText track_text(const StrategyResult& strategy, const Market& market, const TrackOptions& options,
                              std::string source) {
    const std::string who = strategy.name == "sluice" || strategy.name == "equal"
                                ? strategy.name
                                : fmt::format("{}, {} names", strategy.name, options.names);
    return {.title = fmt::format("Following {} with stocks ({}): the portfolio's return after costs is the prediction, "
                                 "that of the index is observed",
                                 fmt::join(market.indices, " and "), who),
            .source = std::move(source),
            .inputs = market.stocks.size()};
}

}  // namespace sluice::portfolio
