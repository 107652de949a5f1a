#include "synthetic_market.hpp"

#include <fmt/format.h>

#include <vector>

#include "sluice/error.hpp"

namespace sluice::portfolio {

Market synthetic_market(const MarketOptions& options, std::size_t periods, std::uint64_t seed) {
    constexpr std::size_t kMostPeriods = 100'000;
    if (periods < 1 || periods > kMostPeriods) {
        throw OptionError({fmt::format("periods = {}: must be 1 to {}", periods, kMostPeriods)});
    }
    MarketStream stream(options, seed);
    Market market{.stock_returns = Matrix(stream.stocks(), periods),
                  .index_returns = Matrix(stream.indices(), periods),
                  .periods_per_year = options.periods_per_year};
    for (std::size_t k = 1; k <= stream.indices(); ++k) {
        market.indices.push_back(fmt::format("index{}", k));
        for (std::size_t i = 1; i <= options.stocks[k - 1]; ++i) {
            market.stocks.push_back(fmt::format("index{}.{}", k, i));
        }
    }
    std::vector<std::size_t> regimes;
    for (std::size_t t = 0; t < periods; ++t) {
        market.dates.push_back(fmt::format("week {}", t + 1));
        if (stream.next(market.stock_returns.column(t), market.index_returns.column(t))) {
            regimes.push_back(t + 1);
        }
    }
    market.notes.push_back(
        fmt::format("synthetic: seed {}; regimes begin in weeks {}", seed, fmt::join(regimes, ", ")));
    return market;
}

}  // namespace sluice::portfolio
