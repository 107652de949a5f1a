#include "read_market.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "orlib.hpp"
#include "peeked_source.hpp"
#include "price_table.hpp"
#include "returns.hpp"
#include "sluice/error.hpp"
#include "source.hpp"

namespace sluice::portfolio {

namespace {

Sheet read_sheet(const std::string& path, const MarketRequest& request) {
    auto source = std::make_unique<PeekedSource>(io::open_source(path));
    if (!looks_like_orlib(source->beginning())) {
        return read_price_table(
            std::move(source),
            {.quote = request.quote, .date = request.date, .ignore = request.ignore, .dialect = request.dialect});
    }
    if (request.quote == Quote::returns) {
        throw io::WithRemedies<DataError>(fmt::format("{}: is an OR-Library file, which holds prices", path),
                                          {io::Remedy::give_as_prices});
    }
    return read_orlib(*source);
}

double periods_per_year(const Sheet& sheet, const MarketRequest& request, std::vector<std::string>& notes) {
    if (request.periods_per_year) {
        return *request.periods_per_year;
    }
    if (sheet.calendar == Calendar::days && sheet.dates.size() > 1) {
        std::vector<double> days;
        days.reserve(sheet.dates.size());
        for (const Date& date : sheet.dates) {
            days.push_back(date.key);
        }
        return periods_in_a_year(days);
    }
    constexpr double kWeeks = 52.0;
    if (sheet.indices.empty()) {  // OR-Library's files are known to be weekly
        notes.push_back(
            fmt::format("the files do not show how long a period is: periods_per_year is assumed to be {}", kWeeks));
    }
    return kWeeks;
}

}  // namespace

Market read_market(const MarketRequest& request) {
    const double periods = request.periods_per_year.value_or(1.0);
    const bool possible = periods > 0.0 && std::isfinite(periods);
    if (!possible) {
        throw OptionError({fmt::format("periods_per_year = {}: must be above 0, and finite", periods)});
    }
    std::vector<Sheet> sheets;
    sheets.reserve(request.files.size());
    for (const std::string& path : request.files) {
        sheets.push_back(read_sheet(path, request));
    }
    const Sheet all = join(std::move(sheets));
    Market market = market_of(all, request.index, request.splits);
    market.periods_per_year = periods_per_year(all, request, market.notes);
    return market;
}

}  // namespace sluice::portfolio
