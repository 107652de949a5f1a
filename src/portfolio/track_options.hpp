// track_options.hpp -- all settings of a track, with defaults and ranges.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/options.hpp"

namespace sluice::portfolio {

/// Costs are given in basis points.
constexpr double kBasisPoint = 1e-4;

/// When held weights are brought to the weights that a strategy wants.
struct Rebalance {
    enum class Kind {
        every,  ///< each period
        nth,    ///< each `periods` periods
        band,   ///< when some weight is further than `band` from its target
    };
    Kind kind = Kind::every;
    std::size_t periods = 1;  ///< nth: 1 or more
    double band = 0.02;       ///< band: above 0, a share of the portfolio

    /// "every", "4", "band" or "band:0.05". Throws OptionError.
    [[nodiscard]] static Rebalance parse(std::string_view text);
    [[nodiscard]] std::string text() const;
    friend bool operator==(const Rebalance&, const Rebalance&) = default;
};

struct TrackOptions {
    /// Stocks held over all indices together. 1 or more.
    std::size_t names = 10;
    /// Per year, above each index: the target of a period is its return plus enhance / periods per year. Above -1, below 10.
    double enhance = 0.0;
    /// Periods that are learnt from and not scored. At least 2.
    std::size_t warmup = 52;
    Rebalance rebalance = {};
    /// Of each trade's value, in basis points (hundredths of a percent). 0 to below 10000.
    double costs = 10.0;

    bool long_only = true;        ///< no weight below zero, and no borrowing: the sum of weights is at most one
    bool fully_invested = false;  ///< weights add up to one; otherwise the rest is cash, which earns nothing
    /// Of one stock in one portfolio, above 0. Left empty: no such limit.
    std::optional<double> max_weight = std::nullopt;
    /// Sum of |weight - held weight| that one rebalancing may trade in one portfolio, above 0; the first purchase does not count,
    /// and stocks whose sale would exceed it are kept. Left empty: no such limit.
    std::optional<double> turnover_budget = std::nullopt;
    /// A held name is given up only where that lowers the error over variance by more than this share of it. 0 or more.
    double hold_bonus = 0.05;
    /// Candidates that the model keeps for each name; the exact step chooses among them. 1 or more.
    std::size_t shortlist = 4;

    /// forgetting and shrinkage apply to the model, which lists the candidates, and to the exact step.
    StreamOptions model = tracking_model();

    /// Of the other strategies: rows in the window of LARS and lasso; random portfolios, their seed, threads for them.
    std::size_t window = 104;
    std::size_t random_portfolios = 1000;
    std::size_t seed = 1;
    std::size_t threads = 1;

    /// The model's part of the settings: through the origin, memory of a hundred periods, twenty rows' worth of shrinkage.
    [[nodiscard]] static StreamOptions tracking_model();
    /// `tracking`: the smallest error measured. `calm`: few changes, where trades are expensive. Throws OptionError.
    [[nodiscard]] static TrackOptions preset(std::string_view name);
    [[nodiscard]] static const std::vector<std::string>& presets();

    /// Limits that leave money uninvested whatever the market does, in a sentence; empty where there are none.
    [[nodiscard]] std::string uninvested(std::size_t indices) const;

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems(std::size_t stocks, std::size_t indices, std::size_t periods) const;
};

}  // namespace sluice::portfolio
