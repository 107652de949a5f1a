// performance.hpp -- what a walk earned, index by index, before and after costs.
//
// With p the portfolio's return of a period, i the index's, y the target's (i plus what was asked for), n periods, a of them a year:
//     annual return           (prod(1 + p))^(a/n) - 1
//     annual excess           annual return less that of the index; over target: less that of the target
//     error over variance     mean (p - y)^2 / variance of i            1: no better than knowing the mean
//     tracking error          sqrt(a) deviation of (p - y)
//     information ratio       sqrt(a) mean(p - i) / deviation of (p - i)
//     maximum drawdown        largest fall of wealth from an earlier peak, as a share of it
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "walk_forward.hpp"

namespace sluice::portfolio {

struct Figures {
    double error_over_variance = 0.0;
    double tracking_error = 0.0;
    double annual_return = 0.0;
    double annual_excess = 0.0;
    double annual_excess_over_target = 0.0;
    double information_ratio = 0.0;
    double maximum_drawdown = 0.0;
};

struct Trading {
    double turnover_per_period = 0.0;  ///< sum of |trades|, buys and sells, the first purchase left out
    double costs = 0.0;                ///< paid in all, as a share of the portfolio
    double costs_per_year = 0.0;
    double names = 0.0;            ///< stocks held, on average
    double effective_names = 0.0;  ///< Kish: the number of equal parts that would be as concentrated, on average
    double invested = 0.0;         ///< sum of weights, on average; the rest is cash
};

/// Every number with its name, in the order of the struct: for tables, JSON and averages.
template <typename Struct>
struct Field {
    std::string_view name;
    double Struct::*value;
};
inline constexpr std::array kFigures{Field<Figures>{"error_over_variance", &Figures::error_over_variance},
                                     Field<Figures>{"tracking_error", &Figures::tracking_error},
                                     Field<Figures>{"annual_return", &Figures::annual_return},
                                     Field<Figures>{"annual_excess", &Figures::annual_excess},
                                     Field<Figures>{"annual_excess_over_target", &Figures::annual_excess_over_target},
                                     Field<Figures>{"information_ratio", &Figures::information_ratio},
                                     Field<Figures>{"maximum_drawdown", &Figures::maximum_drawdown}};
inline constexpr std::array kTrading{Field<Trading>{"turnover_per_period", &Trading::turnover_per_period},
                                     Field<Trading>{"costs", &Trading::costs},
                                     Field<Trading>{"costs_per_year", &Trading::costs_per_year},
                                     Field<Trading>{"names", &Trading::names},
                                     Field<Trading>{"effective_names", &Trading::effective_names},
                                     Field<Trading>{"invested", &Trading::invested}};

struct IndexPerformance {
    std::string name = {};
    Figures net = {};
    Figures gross = {};
    Trading trading = {};
};

struct Performance {
    std::vector<IndexPerformance> indices = {};
    double names_changed_per_period = 0.0;  ///< entering, over all indices together
    double names_held = 0.0;                ///< over all indices together, on average
    double most_names = 0.0;                ///< the largest number held at once
    double costs = 0.0;                     ///< paid in all, as a share of a portfolio, on average over the indices
};

[[nodiscard]] Performance measure(const Walk& walk, const Market& market, const TrackOptions& options);

/// Of returns p against an index i and a target y, and the number of periods a year. All of one length, at least 1.
[[nodiscard]] Figures figures(std::span<const double> p, std::span<const double> i, std::span<const double> y,
                              double periods_per_year);

}  // namespace sluice::portfolio
