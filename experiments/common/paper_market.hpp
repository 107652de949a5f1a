// paper_market.hpp -- the market of section 4.2: OR-Library's files where they are found, a synthetic one where not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/common/plan.hpp"
#include "market.hpp"

namespace sluice::experiments {

inline constexpr std::size_t kMarketWeeks = 290;
inline constexpr double kEnhance = 0.15;  ///< a year, above each index
inline constexpr std::size_t kHeld = 10;  ///< names in a portfolio

struct PaperMarket {
    portfolio::Market market;
    bool real = false;
    std::vector<std::string> index_names;  ///< for people
    std::string source;                    ///< a sentence for the report: where the returns are from

    /// Of the index, plus the part of a period of kEnhance a year.
    [[nodiscard]] double target(std::size_t index, std::size_t period) const;
    [[nodiscard]] std::size_t periods() const { return market.dates.size(); }
};

/// indtrack4 (S&P 100) and indtrack5 (Nikkei 225), 98 + 225 stocks, or a synthetic market of the same shape by the plan's seed.
/// Throws what portfolio::read_market() throws where the files are there and cannot be read.
[[nodiscard]] PaperMarket paper_market(const Plan& plan);

/// The first index alone, with its own stocks.
[[nodiscard]] PaperMarket first_index_of(const PaperMarket& both);

/// Where the data is published, as a sentence.
[[nodiscard]] std::string where_the_data_is();

}  // namespace sluice::experiments
