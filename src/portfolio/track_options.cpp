#include "track_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sluice/error.hpp"

namespace sluice::portfolio {

namespace {

template <typename Number>
bool read(std::string_view text, Number& number) {
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && stop == text.data() + text.size();
}

}  // namespace

Rebalance Rebalance::parse(std::string_view text) {
    Rebalance out;
    constexpr std::string_view kBand = "band:";
    if (text == "every") {
        return out;
    }
    if (text == "band") {
        out.kind = Kind::band;
        return out;
    }
    if (text.starts_with(kBand) && read(text.substr(kBand.size()), out.band) && out.band > 0.0 && out.band < 1.0) {
        out.kind = Kind::band;
        return out;
    }
    if (read(text, out.periods) && out.periods >= 1) {
        out.kind = out.periods == 1 ? Kind::every : Kind::nth;
        return out;
    }
    throw OptionError({fmt::format(
        "rebalance = {}: give every, a number of periods, band, or band:0.05 for a band of five percent", text)});
}

std::string Rebalance::text() const {
    switch (kind) {
        case Kind::nth:
            return fmt::format("{}", periods);
        case Kind::band:
            return fmt::format("band:{}", band);
        case Kind::every:
            break;
    }
    return "every";
}

// Measured on OR-Library's indtrack4 + 5, one step ahead after 52 weeks: of forgetting {0.98 .. 1}, shrinkage {2 .. 60}, hold_bonus
// {0 .. 0.1} and shortlist {2 .. 4, all} this is the middle of the region that is good for ten and for twenty names; see docs/tracking.md.
StreamOptions TrackOptions::tracking_model() {
    constexpr double kForgetting = 0.99;
    constexpr double kShrinkage = 20.0;
    StreamOptions options;
    options.forgetting = kForgetting;
    options.shrinkage = kShrinkage;
    options.center = false;
    options.clip = std::nullopt;
    return options;
}

TrackOptions TrackOptions::preset(std::string_view name) {
    TrackOptions options;
    if (name == "calm") {
        options.hold_bonus = 0.1;
        options.rebalance = Rebalance::parse("band:0.02");
    } else if (name != "tracking") {
        throw OptionError({fmt::format("preset = {}: must be one of {}", name, fmt::join(presets(), ", "))});
    }
    return options;
}

const std::vector<std::string>& TrackOptions::presets() {
    static const std::vector<std::string> names{"tracking", "calm"};
    return names;
}

std::vector<std::string> TrackOptions::problems(std::size_t stocks, std::size_t indices, std::size_t periods) const {
    std::vector<std::string> out;
    const auto rule = [&](bool holds, std::string sentence) {
        if (!holds) {
            out.push_back(std::move(sentence));
        }
    };
    constexpr double kMostEnhance = 10.0;
    constexpr double kAllOfIt = 10'000.0;
    rule(names >= 1 && names <= stocks,
         fmt::format("names = {}: must be 1 to {}, the number of stocks", names, stocks));
    rule(names >= indices, fmt::format("names = {}: must be at least {}, the number of indices", names, indices));
    rule(enhance > -1.0 && enhance < kMostEnhance, fmt::format("enhance = {}: must be above -1 and below 10", enhance));
    rule(warmup >= 2 && warmup < periods,
         fmt::format("warmup = {}: must be 2 to {}, so that some of the {} periods are scored", warmup, periods - 1,
                     periods));
    rule(costs >= 0.0 && costs < kAllOfIt, fmt::format("costs = {}: must be 0 to below 10000 basis points", costs));
    rule(!max_weight || *max_weight > 0.0, fmt::format("max_weight = {}: must be above 0", max_weight.value_or(0.0)));
    rule(!turnover_budget || *turnover_budget > 0.0,
         fmt::format("turnover_budget = {}: must be above 0", turnover_budget.value_or(0.0)));
    rule(hold_bonus >= 0.0, fmt::format("hold_bonus = {}: must be 0 or more", hold_bonus));
    rule(shortlist >= 1, fmt::format("shortlist = {}: must be at least 1", shortlist));
    rule(window >= 2, fmt::format("window = {}: must be at least 2", window));
    constexpr std::size_t kMostThreads = 256;
    rule(threads >= 1 && threads <= kMostThreads, fmt::format("threads = {}: must be 1 to 256", threads));
    for (std::string& problem : model.problems(stocks, indices)) {
        out.push_back(std::move(problem));
    }
    return out;
}

std::string TrackOptions::uninvested(std::size_t indices) const {
    if (!max_weight || *max_weight * static_cast<double>(names) >= static_cast<double>(indices)) {
        return {};
    }
    const double share = *max_weight * static_cast<double>(names) / static_cast<double>(indices);
    return fmt::format(
        "max_weight = {} with names = {}: at most {:.0f} % of {} can be invested, the rest is cash{}. {} names of that "
        "weight would be needed",
        *max_weight, names, 100.0 * share, indices == 1 ? "the portfolio" : "the portfolios together",
        fully_invested ? ", although fully_invested is asked for" : "",
        std::ceil((static_cast<double>(indices) / *max_weight) - 1e-9));
}

}  // namespace sluice::portfolio
