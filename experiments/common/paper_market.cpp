#include "experiments/common/paper_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "read_market.hpp"
#include "synthetic_market.hpp"

namespace sluice::experiments {

namespace {

// Both files, or nothing.
std::optional<std::vector<std::string>> find_files(const std::string& data) {
    const std::filesystem::path folder = data;
    for (const auto& place : {folder / "indtrack", folder}) {
        std::error_code ignored;
        const auto first = place / "indtrack4.txt";
        const auto second = place / "indtrack5.txt";
        if (std::filesystem::exists(first, ignored) && std::filesystem::exists(second, ignored)) {
            return std::vector<std::string>{first.string(), second.string()};
        }
    }
    return std::nullopt;
}

}  // namespace

double PaperMarket::target(std::size_t index, std::size_t period) const {
    return market.index_returns(index, period) + (kEnhance / market.periods_per_year);
}

std::string where_the_data_is() {
    return "OR-Library publishes it: J. E. Beasley's collection of test data, \"indtrack\" files 4 and 5, at "
           "people.brunel.ac.uk/~mastjjb/jeb/orlib/indtrackinfo.html. Put indtrack4.txt and indtrack5.txt into a "
           "folder and name it with "
           "--data DIR or SLUICE_DATA";
}

PaperMarket paper_market(const Plan& plan) {
    if (const auto files = plan.data.empty() ? std::nullopt : find_files(plan.data)) {
        return {.market = portfolio::read_market({.files = *files}),
                .real = true,
                .index_names = {"S&P 100", "Nikkei 225"},
                .source =
                    "OR-Library, files indtrack4 (S&P 100, 98 stocks) and indtrack5 (Nikkei 225, 225 stocks): weekly "
                    "returns, March 1992 to September 1997."};
    }
    return {
        .market = portfolio::synthetic_market({}, kMarketWeeks, plan.seed),
        .real = false,
        .index_names = {"index 1", "index 2"},
        .source = fmt::format(
            "Not the paper's data, which was not found, but a synthetic market of the same shape (factor model, two "
            "indices of 98 and 225 stocks, regimes, seed {}). {}.",
            plan.seed, where_the_data_is())};
}

PaperMarket first_index_of(const PaperMarket& both) {
    PaperMarket one = both;
    portfolio::Market& market = one.market;
    const std::string prefix = market.indices.front() + ".";
    market.indices.resize(1);
    one.index_names.resize(1);
    const auto own = static_cast<std::size_t>(
        std::ranges::count_if(market.stocks, [&](const std::string& name) { return name.starts_with(prefix); }));
    market.stocks.resize(own);
    market.stock_returns = Matrix(own, both.periods());
    market.index_returns = Matrix(1, both.periods());
    for (std::size_t t = 0; t < both.periods(); ++t) {
        market.index_returns(0, t) = both.market.index_returns(0, t);
        std::copy_n(both.market.stock_returns.column(t).begin(), own, market.stock_returns.column(t).begin());
    }
    return one;
}

}  // namespace sluice::experiments
