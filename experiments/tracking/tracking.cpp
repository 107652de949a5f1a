// tracking.cpp -- figure 6 in three versions, and what of section 4.2 holds.
#include "experiments/tracking/tracking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "experiments/common/text.hpp"
#include "experiments/common/track_record.hpp"
#include "experiments/tracking/tracked.hpp"
#include "experiments/tracking/tracking_figures.hpp"

namespace sluice::experiments {

namespace {

TrackRecord record(const Tracked& all, const Backtest& backtest, std::size_t index) {
    return record_of(all.market, index, backtest.returns[index], backtest.from);
}

// "+15.00 % and +15.00 %"
std::string both(const Tracked& all, const Backtest& backtest, double TrackRecord::*value) {
    return fmt::format("{:+.2f} % and {:+.2f} %", 100.0 * (record(all, backtest, 0).*value),
                       100.0 * (record(all, backtest, 1).*value));
}

std::string both_errors(const Tracked& all, const Backtest& backtest) {
    return fmt::format("{} and {}", ratio(record(all, backtest, 0).error_over_variance),
                       ratio(record(all, backtest, 1).error_over_variance));
}

// Share of the weeks in which each name of the paper's portfolio is held.
std::vector<double> held_shares(const Backtest& backtest) {
    std::map<std::size_t, double> weeks;
    for (const auto& names : backtest.names) {
        for (const std::size_t stock : names) {
            weeks[stock] += 1.0 / static_cast<double>(backtest.names.size());
        }
    }
    std::vector<double> shares;
    shares.reserve(weeks.size());
    for (const auto& entry : weeks) {
        shares.push_back(entry.second);
    }
    return shares;
}

// Share of all holdings that are stocks of the first index.
double share_of_first(const Tracked& all, const Backtest& backtest) {
    double first = 0.0;
    double count = 0.0;
    for (const auto& names : backtest.names) {
        for (const std::size_t stock : names) {
            first += market_of(all.market, stock) == 0 ? 1.0 : 0.0;
            count += 1.0;
        }
    }
    return first / std::max(count, 1.0);
}

void add_claims(Result& result, const Tracked& all) {
    const bool exact = all.paper_in_sample.farthest < 1e-9;
    const bool ahead = record(all, all.paper_forward, 0).error_over_variance < 1.0 &&
                       record(all, all.paper_forward, 1).error_over_variance < 1.0;
    result.claims.push_back(
        {.claim = "iSB-PLS consistently overperforms both indices and achieves exactly the target of +15 % a year.",
         .measured = fmt::format(
             "in-sample {} over the indices, no week further than {:.1g} from its target; but so do ten names drawn at "
             "random ({}). Walked forward: {}, error over variance {}, stakes of up to {:.0f} times the capital",
             both(all, all.paper_in_sample, &TrackRecord::over_index), all.paper_in_sample.farthest,
             both(all, all.random_in_sample, &TrackRecord::over_index),
             both(all, all.paper_forward, &TrackRecord::over_index), both_errors(all, all.paper_forward),
             all.paper_forward.most_invested),
         .verdict = exact && ahead ? Verdict::holds
                    : exact        ? Verdict::in_part
                                   : Verdict::fails});

    const auto total = [&](std::size_t k) {  // of the weekly differences over all weeks
        return all.random[k].in_sample_over_index * static_cast<double>(all.market.periods()) /
               all.market.market.periods_per_year;
    };
    const auto final_gap = [&](std::size_t k) {
        return all.random[k].in_sample.mean.back() - cumulative(index_returns(all.market, k)).back();
    };
    const auto ahead_total = [&](std::size_t k) {
        return all.random[k].forward_over_index * static_cast<double>(all.market.periods() - kWarmup) /
               all.market.market.periods_per_year;
    };
    constexpr double kNear = 0.05;
    const bool first_near = std::abs(total(0) + 0.3207) < kNear;
    const bool second_near = std::abs(total(1) + 0.0842) < kNear;
    result.claims.push_back(
        {.claim = "The random portfolios, weights by recursive least squares, end 32.07 % below the S&P and 8.42 % "
                  "below the "
                  "Nikkei.",
         .measured = fmt::format(
             "weekly differences added up: {} and {} in-sample, {} and {} walked forward after {} weeks; reinvested, "
             "in-sample, they end {} and {} from the indices{}",
             signed_percent(total(0)), signed_percent(total(1)), signed_percent(ahead_total(0)),
             signed_percent(ahead_total(1)), kWarmup, signed_percent(final_gap(0)), signed_percent(final_gap(1)),
             all.market.real ? "" : " (synthetic market)"),
         .verdict = !all.market.real            ? Verdict::not_tested
                    : first_near && second_near ? Verdict::holds
                    : first_near || second_near ? Verdict::in_part
                                                : Verdict::fails});

    const auto shares = held_shares(all.paper_in_sample);
    const auto lasting = std::ranges::count_if(shares, [](double s) { return s > 0.5; });
    const auto passing = std::ranges::count_if(shares, [](double s) { return s < 0.1; });
    result.claims.push_back(
        {.claim = "A few important stocks are held for most of the period; others are picked and dropped.",
         .measured =
             fmt::format("of {} names ever held, {} are held in more than half of the weeks and {} in fewer than "
                         "one of ten; {:.2f} names are new in a week. {} of the holdings are {} stocks",
                         shares.size(), lasting, passing, all.paper_in_sample.changed,
                         fmt::format("{:.1f} %", 100.0 * (1.0 - share_of_first(all, all.paper_in_sample))),
                         all.market.index_names[1]),
         .verdict = lasting > 0 && passing > 0 ? Verdict::holds : Verdict::in_part});

    const bool better = record(all, all.ours, 0).error_over_variance < all.random[0].forward_error &&
                        record(all, all.ours, 1).error_over_variance < all.random[1].forward_error;
    result.claims.push_back(
        {.claim = "The ability to detect changes and adapt to them is advantageous.",
         .measured = fmt::format(
             "error over variance walked forward: {} ours, net; {} the paper's; {:.3g} and {:.3g} the mean of "
             "the random portfolios; {} window LARS; {} a portfolio of week {} that is held",
             both_errors(all, all.ours), both_errors(all, all.paper_forward), all.random[0].forward_error,
             all.random[1].forward_error, both_errors(all, all.lars), both_errors(all, all.fitted_once), kWarmup),
         .verdict = better ? Verdict::in_part : Verdict::fails});
}

std::vector<std::string> summary_of(const Tracked& all) {
    return {
        fmt::format(
            "The paper's \"exactly +15 %\" is an identity of its equation (20), not a result. There the loadings are "
            "computed from one week alone, W = y/s with s the portfolio's own return, and evaluated in that same week: "
            "s W = y whatever the names are. Ten names drawn at random reach {} too, to {:.0g}. Held for one more "
            "week, "
            "as an investor would, the same weights miss the target by {} times the variance of the indices: where s "
            "is "
            "near 0, W becomes very large, and the portfolio would hold up to {:.0f} times its capital.",
            both(all, all.random_in_sample, &TrackRecord::over_index), all.random_in_sample.farthest,
            both_errors(all, all.paper_forward), all.paper_forward.most_invested),
        fmt::format(
            "With R = 1 and unscaled outputs, the index with the larger variance gets the names: {} of the "
            "holdings are stocks of {}. With loadings from the weighted moments, equation (10), the same names "
            "miss the targets by {} variances. Ours scales the outputs, refits on the names, keeps weights "
            "positive with a sum of at most one, and pays {:g} basis points. Walked forward, its error over "
            "variance is {}, that of window LARS {}, with {:.2f} new names a week and costs of {:.2f} % a year. "
            "It does not reach the target either: its return minus that of the indices is {} a year. The "
            "target adds a constant of 0.15/52 a week, which no stock pays. Ten names can follow an index; "
            "they cannot earn 15 % more.",
            fmt::format("{:.1f} %", 100.0 * (1.0 - share_of_first(all, all.paper_in_sample))),
            all.market.index_names[1], both_errors(all, all.weighted), kNetCosts, both_errors(all, all.ours),
            both_errors(all, all.lars), all.ours.changed, 100.0 * all.ours.costs_per_year,
            both(all, all.ours, &TrackRecord::over_index))};
}

std::string backtests_json(const Tracked& all) {
    std::string out = fmt::format(R"("data":"{}","strategies":[)", all.market.real ? "indtrack4+5" : "synthetic");
    for (const Backtest* backtest : all.backtests()) {
        out += fmt::format(R"({}{{"name":"{}","first_week":{},"indices":[)", out.back() == '[' ? "" : ",",
                           backtest->key, backtest->from + 1);
        for (std::size_t k = 0; k < backtest->returns.size(); ++k) {
            const TrackRecord r = record(all, *backtest, k);
            out += fmt::format(
                R"({}{{"name":"{}","error_over_variance":{},"annual_return":{},"annual_excess":{},"annual_excess_over_target":{},"cumulative":{}}})",
                k == 0 ? "" : ",", all.market.market.indices[k], r.error_over_variance, r.annual_return, r.over_index,
                r.over_target, json(cumulative(backtest->returns[k])));
        }
        out += fmt::format(R"(],"names_changed_per_period":{},"costs_per_year":{},"largest_stake":{}}})",
                           backtest->changed, backtest->costs_per_year, backtest->most_invested);
    }
    out += R"(],"random":[)";
    for (std::size_t k = 0; k < all.random.size(); ++k) {
        const RandomPortfolios& random = all.random[k];
        out += fmt::format(
            R"({}{{"name":"{}","in_sample":{{"annual_excess":{},"error_over_variance":{},"mean":{},"sd":{}}},"forward":{{"annual_excess":{},"error_over_variance":{},"mean":{},"sd":{}}}}})",
            k == 0 ? "" : ",", all.market.market.indices[k], random.in_sample_over_index, random.in_sample_error,
            json(random.in_sample.mean), json(random.in_sample.sd), random.forward_over_index, random.forward_error,
            json(random.forward.mean), json(random.forward.sd));
    }
    return out + "]";
}

}  // namespace

std::size_t tracking_rows(const Plan& plan) {
    return kMarketWeeks * (kBacktests + plan.portfolios);
}

Result run_tracking(const Plan& plan) {
    const Tracked all = track_all(plan);
    const PaperMarket& market = all.market;
    Result result{
        .name = "tracking",
        .title = fmt::format("Figure 6: two indices at once, ten of {} stocks", market.market.stocks.size()),
        .question = "Does a portfolio of ten names, chosen on-line, earn 15 % a year more than each of two indices? " +
                    market.source,
        .settings = {{"seed", fmt::format("{}", plan.seed)},
                     {"data", market.real ? R"("indtrack4+5")" : R"("synthetic")"},
                     {"stocks", fmt::format("{}", market.market.stocks.size())},
                     {"weeks", fmt::format("{}", market.periods())},
                     {"names", fmt::format("{}", kHeld)},
                     {"components", "1"},
                     {"forgetting", "0.99"},
                     {"enhance", fmt::format("{}", kEnhance)},
                     {"random_portfolios", fmt::format("{}", plan.portfolios)},
                     {"warmup", fmt::format("{}", kWarmup)},
                     {"costs", fmt::format("{}", kNetCosts)}}};
    result.section = Section::markets;
    result.notice = market.real ? "" : market.source;
    result.summary = summary_of(all);
    add_claims(result, all);
    result.figures = {curves_figure(all), holdings_figure(all)};
    result.tables.push_back(tracking_table(all));
    result.series = tracking_series(all);
    result.differs = {
        "The target is the index's weekly return plus 0.15/52; the paper does not say how the 15 % are compounded. "
        "\"Over it, a year\" is "
        "the mean weekly difference times 52.",
        "The paper does not say in which way its random portfolios fall short by 32.07 % and 8.42 %, nor whether their "
        "weights earn the week "
        "from which they were set: both are shown.",
        "Ours is `sluice track --preset tracking --enhance 0.15`; calm is `--preset calm`. Walked forward, 52 weeks "
        "are learnt before the first "
        "is scored."};
    for (const std::string& note : market.market.notes) {
        result.differs.push_back("Of the data: " + note + ".");
    }
    result.json = json_line(result, plan.portfolios, market.periods(), backtests_json(all));
    return result;
}

}  // namespace sluice::experiments
