// Bytes from anywhere, read as a market: an error in words, or returns of which no index lacks one and none is infinite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "orlib.hpp"
#include "price_table.hpp"
#include "returns.hpp"
#include "sluice/error.hpp"
#include "source.hpp"

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void check(const sluice::portfolio::Market& market) {
    const std::size_t periods = market.dates.size();
    require(periods > 0 && !market.stocks.empty() && !market.indices.empty());
    require(market.stock_returns.rows() == market.stocks.size() && market.stock_returns.cols() == periods);
    require(market.index_returns.rows() == market.indices.size() && market.index_returns.cols() == periods);
    for (std::size_t t = 0; t < periods; ++t) {
        for (const double r : market.index_returns.column(t)) {
            require(std::isfinite(r) && r >= -1.0);
        }
        for (const double r : market.stock_returns.column(t)) {
            require(std::isnan(r) || (std::isfinite(r) && r >= -1.0));
        }
    }
}

}  // namespace

// The first byte chooses: prices or returns, and the size of the pieces in which the rest comes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sluice;
    if (size < 1) {
        return -1;
    }
    const std::string text(data + 1, data + size);
    const auto quote = (data[0] & 1U) != 0 ? portfolio::Quote::returns : portfolio::Quote::prices;
    auto source = io::memory_source(text, 1U + (data[0] >> 1U));
    try {
        if (portfolio::looks_like_orlib(text)) {
            check(portfolio::market_of(portfolio::read_orlib(*source), {}));
            return 0;
        }
        const portfolio::Sheet sheet = portfolio::read_price_table(std::move(source), {.quote = quote});
        check(portfolio::market_of(sheet, {sheet.names.front()}));
    } catch (const DataError&) {
    } catch (const OptionError&) {
    } catch (const io::SourceError&) {
    }
    return 0;
}
