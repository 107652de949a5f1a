#include "returns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "notes.hpp"
#include "plausible.hpp"
#include "sluice/error.hpp"
#include "suggest.hpp"

namespace sluice::portfolio {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string date_of(const Sheet& sheet, std::size_t row) {
    if (!sheet.dates.empty()) {
        return sheet.dates[row].text;
    }
    // The first row of prices is week 0: the first return is that of week 1.
    return fmt::format("week {}", sheet.quote == Quote::prices ? row : row + 1);
}

struct Places {
    std::vector<std::size_t> indices;
    std::vector<std::size_t> stocks;
};

Places places_of(const Sheet& sheet, const std::vector<std::string>& asked, std::vector<std::string>& notes) {
    const std::vector<std::string>& wanted = asked.empty() ? sheet.indices : asked;
    if (wanted.empty()) {
        constexpr std::size_t kShown = 12;
        const std::size_t shown = std::min(sheet.names.size(), kShown);
        const std::string more =
            shown < sheet.names.size() ? fmt::format(", and {} more", sheet.names.size() - shown) : "";
        throw io::WithRemedies<OptionError>(
            std::vector<std::string>{fmt::format(
                "no index is given. The columns are {}{}",
                fmt::join(sheet.names.begin(), sheet.names.begin() + static_cast<std::ptrdiff_t>(shown), ", "), more)},
            {io::Remedy::name_indices});
    }
    Places places;
    for (const std::string& name : wanted) {
        const auto at = std::ranges::find(sheet.names, name);
        if (at == sheet.names.end()) {
            throw OptionError(
                {fmt::format("index = {}: there is no such column{}", name, io::did_you_mean(name, sheet.names))});
        }
        const auto place = static_cast<std::size_t>(at - sheet.names.begin());
        if (std::ranges::find(places.indices, place) == places.indices.end()) {
            places.indices.push_back(place);
        }
    }
    for (std::size_t i = 0; i < sheet.names.size(); ++i) {
        if (std::ranges::find(places.indices, i) != places.indices.end()) {
            continue;
        }
        if (std::ranges::find(sheet.indices, sheet.names[i]) != sheet.indices.end()) {
            notes.push_back(fmt::format("{}: an index that was not asked for: left out", sheet.names[i]));
        } else {
            places.stocks.push_back(i);
        }
    }
    if (places.stocks.empty()) {
        throw DataError(fmt::format("{}: there is no stock besides the indices", sheet.source));
    }
    return places;
}

// The values; those that cannot be a price, or a return, are missing, with a note.
Matrix possible(const Sheet& sheet, std::vector<std::string>& notes) {
    NoteCounter odd(sheet.quote == Quote::prices ? "prices of zero or less, which count as missing"
                                                 : "returns below -100 %, which count as missing");
    NoteCounter lost("returns of -100 %, all was lost, kept as they are");
    Matrix values = sheet.values;
    for (std::size_t row = 0; row < values.cols(); ++row) {
        for (std::size_t i = 0; i < values.rows(); ++i) {
            double& value = values(i, row);
            const bool impossible = sheet.quote == Quote::prices ? value <= 0.0 : value < -1.0;
            if (impossible || (sheet.quote == Quote::returns && value == -1.0)) {
                (impossible ? odd : lost).add(fmt::format("{} {}", sheet.names[i], date_of(sheet, row)));
            }
            value = impossible ? kNone : value;
        }
    }
    odd.append_to(notes);
    lost.append_to(notes);
    return values;
}

// The rows in which every index has a number; notes say why the others are left out.
std::vector<std::size_t> rows_with_indices(const Sheet& sheet, const Matrix& values, const Places& places,
                                           std::vector<std::string>& notes) {
    std::vector<std::size_t> kept;
    std::vector<std::pair<std::size_t, std::size_t>> lacking;  // row, index
    for (std::size_t row = 0; row < values.cols(); ++row) {
        const auto gap =
            std::ranges::find_if(places.indices, [&](std::size_t i) { return std::isnan(values(i, row)); });
        if (gap == places.indices.end()) {
            kept.push_back(row);
        } else {
            lacking.emplace_back(row, *gap);
        }
    }
    const std::size_t needed = sheet.quote == Quote::prices ? 2 : 1;
    if (kept.size() < needed) {
        throw DataError(fmt::format(
            "{}: {} of {} rows have a number for every index ({}), and {} are needed. Do the files overlap in time?",
            sheet.source, kept.size(), values.cols(), sheet.names[places.indices.front()], needed));
    }
    NoteCounter ends("rows before the first or after the last that has every index, left out");
    NoteCounter joined(
        "periods that end without a price of every index, each joined with the next, whose returns span both");
    for (const auto& [row, index] : lacking) {
        const std::string what = fmt::format("{} {}", sheet.names[index], date_of(sheet, row));
        if (row < kept.front() || row > kept.back()) {
            ends.add(what);
        } else if (sheet.quote == Quote::prices) {
            joined.add(what);
        } else {
            throw DataError(
                fmt::format("{}: the return of index {} is missing at {} (or below -100 %). Fill it in, or give "
                            "prices, whose gaps can be "
                            "bridged",
                            sheet.source, sheet.names[index], date_of(sheet, row)));
        }
    }
    ends.append_to(notes);
    joined.append_to(notes);
    return kept;
}

// Returns of one name over the kept rows of a sheet of prices.
class PriceReturns {
  public:
    PriceReturns(const Matrix& prices, const std::vector<std::size_t>& rows) : prices_(prices), rows_(rows) {}

    std::vector<double> of(std::size_t name) {
        std::vector<double> out(rows_.size() - 1, kNone);
        double last = kNone;
        for (std::size_t t = 0; t < rows_.size(); ++t) {
            const double price = prices_(name, rows_[t]);
            if (!std::isnan(price) && !std::isnan(last)) {
                const double r = (price / last) - 1.0;
                out[t - 1] = std::isfinite(r) ? r : kNone;
                overflow_ = overflow_ || !std::isfinite(r);
            }
            last = std::isnan(price) ? last : price;
        }
        return out;
    }
    [[nodiscard]] bool overflow() const noexcept { return overflow_; }

  private:
    const Matrix& prices_;
    const std::vector<std::size_t>& rows_;
    bool overflow_ = false;
};

// Where the numbers of stocks begin, end and are missing.
class Gaps {
  public:
    void add_empty(const std::string& name) { never_.add(name); }
    /// `there[t]`: whether the stock has a price, or a return, at the date of that number.
    void add(const std::string& name, const std::vector<bool>& there, const std::vector<std::string>& dates) {
        const auto date = [&](auto at) { return dates[static_cast<std::size_t>(at - there.begin())]; };
        const auto first = std::find(there.begin(), there.end(), true);
        const auto last = std::find(there.rbegin(), there.rend(), true).base() - 1;
        if (first != there.begin()) {
            late_.add(fmt::format("{} {}", name, date(first)));
        }
        if (last + 1 != there.end()) {
            dead_.add(fmt::format("{} {}", name, date(last)));
        }
        if (const auto gap = std::find(first, last, false); gap != last) {
            gaps_.add(fmt::format("{} {}", name, date(gap)));
            unknown_.add(fmt::format("{} {}", name, date(gap)));
        }
    }
    void append_to(std::vector<std::string>& notes, Quote quote) {
        never_.append_to(notes);
        late_.append_to(notes);
        dead_.append_to(notes);
        (quote == Quote::prices ? gaps_ : unknown_).append_to(notes);
    }

  private:
    NoteCounter never_{"stocks that never have a return, left out"};
    NoteCounter late_{"stocks that begin late, without a return before"};
    NoteCounter dead_{
        "stocks that end early, without a return after; what a holder lost or received then is not in the file"};
    NoteCounter gaps_{"stocks with gaps in between, without a return there; the first one after a gap spans it"};
    NoteCounter unknown_{"stocks with gaps in between, whose returns there are unknown: a holder earns nothing"};
};

}  // namespace

Market market_of(const Sheet& sheet, const std::vector<std::string>& indices, Splits splits) {
    Market market{.notes = sheet.notes};
    check_quote(sheet);
    const Places places = places_of(sheet, indices, market.notes);
    const Matrix values = possible(sheet, market.notes);
    const std::vector<std::size_t> rows = rows_with_indices(sheet, values, places, market.notes);
    const bool prices = sheet.quote == Quote::prices;
    std::vector<std::string> dates;
    dates.reserve(rows.size());
    for (const std::size_t row : rows) {
        dates.push_back(date_of(sheet, row));
    }
    market.dates.assign(dates.begin() + (prices ? 1 : 0), dates.end());
    PriceReturns from_prices(values, rows);
    const auto returns_of = [&](std::size_t name) {
        if (prices) {
            return from_prices.of(name);
        }
        std::vector<double> out;
        out.reserve(rows.size());
        for (const std::size_t row : rows) {
            out.push_back(values(name, row));
        }
        return out;
    };
    Gaps gaps;
    std::vector<std::vector<double>> stocks;
    for (const std::size_t place : places.stocks) {
        auto returns = returns_of(place);
        if (std::ranges::all_of(returns, [](double r) { return std::isnan(r); })) {
            gaps.add_empty(sheet.names[place]);
            continue;
        }
        std::vector<bool> there;
        there.reserve(rows.size());
        for (const std::size_t row : rows) {
            there.push_back(!std::isnan(values(place, row)));
        }
        gaps.add(sheet.names[place], there, dates);
        market.stocks.push_back(sheet.names[place]);
        stocks.push_back(std::move(returns));
    }
    gaps.append_to(market.notes, sheet.quote);
    if (stocks.empty()) {
        throw DataError(fmt::format("{}: no stock has a single return", sheet.source));
    }
    market.stock_returns = Matrix(stocks.size(), market.dates.size());
    for (std::size_t i = 0; i < stocks.size(); ++i) {
        for (std::size_t t = 0; t < market.dates.size(); ++t) {
            market.stock_returns(i, t) = stocks[i][t];
        }
    }
    market.index_returns = Matrix(places.indices.size(), market.dates.size());
    for (std::size_t k = 0; k < places.indices.size(); ++k) {
        market.indices.push_back(sheet.names[places.indices[k]]);
        const auto returns = returns_of(places.indices[k]);
        for (std::size_t t = 0; t < market.dates.size(); ++t) {
            market.index_returns(k, t) = returns[t];
        }
    }
    if (from_prices.overflow()) {
        throw DataError(fmt::format("{}: the return between two prices is too large for a number", sheet.source));
    }
    treat_splits(market, splits);
    note_moves(market);
    return market;
}

}  // namespace sluice::portfolio
