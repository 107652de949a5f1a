#include "track_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sluice/error.hpp"
#include "strategies.hpp"
#include "suggest.hpp"

namespace sluice::portfolio {

namespace {

constexpr std::array kNames{
    StrategyName{.name = "sluice", .about = "the model's short list, exact choice among it, constrained weights"},
    StrategyName{.name = "paper",
                 .about = "section 4.2 as printed, walked forward: R = 1, weights from the last period alone"},
    StrategyName{
        .name = "paper-in-sample",
        .about = "the same, earning the period that it was fitted to: the paper's figure, which needs the future",
        .usual = false},
    StrategyName{.name = "static", .about = "sparse Bridge PLS fitted once, on the warm-up"},
    StrategyName{.name = "lars", .about = "names by LARS on a window, least squares on them"},
    StrategyName{.name = "lasso", .about = "names by the lasso on a window, least squares on them"},
    StrategyName{.name = "rls", .about = "recursive least squares on the stocks closest to the indices in the warm-up"},
    StrategyName{.name = "random", .about = "mean of portfolios drawn at random, recursive least squares weights"},
    StrategyName{.name = "equal", .about = "the same share of every stock"},
};

StrategyPointer make(std::string_view name, const Market& market, const TrackOptions& options) {
    const std::size_t p = market.stocks.size();
    const std::size_t q = market.indices.size();
    if (name == "sluice") {
        return sluice_strategy(p, q, options);
    }
    if (name == "paper" || name == "paper-in-sample") {
        return paper_strategy(p, q, options);
    }
    if (name == "static") {
        return static_strategy(p, q, options);
    }
    if (name == "lars" || name == "lasso") {
        return window_strategy(name == "lars" ? WindowKind::lars : WindowKind::lasso, p, q, options);
    }
    return name == "rls" ? rls_on_closest_strategy(p, q, options) : equal_strategy(p, q);
}

std::vector<PeriodResult> periods_of(const Walk& walk) {
    std::vector<PeriodResult> out;
    for (std::size_t row = 0; row < walk.net.rows(); ++row) {
        for (std::size_t k = 0; k < walk.net.cols(); ++k) {
            out.push_back({.period = walk.first + row,
                           .index = k,
                           .gross = walk.gross(row, k),
                           .net = walk.net(row, k),
                           .traded = walk.traded(row, k),
                           .invested = walk.invested(row, k)});
        }
    }
    return out;
}

StrategyResult run_one(const StrategyName& chosen, const Market& market, const TrackOptions& options) {
    StrategyResult out{.name = std::string(chosen.name), .about = std::string(chosen.about)};
    if (chosen.name == "random") {
        Population population = random_population(market, options);
        out.about = fmt::format("mean of {} portfolios drawn at random, recursive least squares weights",
                                population.portfolios);
        out.performance = std::move(population.mean);
        out.spread = std::move(population.spread);
        return out;
    }
    Walk walk = walk_forward(market, *make(chosen.name, market, options), options, Keep::holdings_too,
                             chosen.name == "paper-in-sample" ? Timing::in_sample : Timing::one_step_ahead);
    out.performance = measure(walk, market, options);
    if (chosen.name == "sluice") {
        out.next = reasons(walk, market, options);
    }
    out.periods = periods_of(walk);
    out.holdings = std::move(walk.holdings);
    out.notes = std::move(walk.notes);
    return out;
}

}  // namespace

std::span<const StrategyName> strategy_names() {
    return kNames;
}

TrackResult run_track(const Market& market, const TrackOptions& options, const std::vector<std::string>& strategies) {
    std::vector<std::string> problems =
        options.problems(market.stocks.size(), market.indices.size(), market.index_returns.cols());
    std::vector<const StrategyName*> chosen;
    for (const std::string& name : strategies) {
        const auto* const found = std::ranges::find(kNames, name, &StrategyName::name);
        if (found == kNames.end()) {
            std::vector<std::string> known;
            std::ranges::transform(kNames, std::back_inserter(known),
                                   [](const StrategyName& one) { return std::string(one.name); });
            problems.push_back(fmt::format("there is no strategy {}{}\nKnown: {}", name, io::did_you_mean(name, known),
                                           fmt::join(known, ", ")));
        } else {
            chosen.push_back(found);
        }
    }
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    TrackResult out{.scored = market.index_returns.cols() - options.warmup};
    for (const StrategyName* one : chosen) {
        out.strategies.push_back(run_one(*one, market, options));
    }
    return out;
}

}  // namespace sluice::portfolio
