#include "market_csv.hpp"

#include <chrono>
#include <cmath>
#include <iterator>
#include <vector>

#include "csv_text.hpp"
#include "format_to.hpp"

namespace sluice::portfolio {

namespace {

constexpr double kFirstPrice = 100.0;

void put_prices(std::string& out, std::vector<double>& prices, std::span<const double> returns) {
    for (std::size_t i = 0; i < prices.size(); ++i) {
        if (!returns.empty() && std::isnan(returns[i])) {
            out += ',';
            continue;
        }
        prices[i] *= 1.0 + (returns.empty() ? 0.0 : returns[i]);
        fmt::format_to(std::back_inserter(out), ",{:.10g}", prices[i]);
    }
}

std::string friday(std::size_t week) {
    using namespace std::chrono;  // NOLINT(google-build-using-namespace)
    const sys_days day = sys_days{year{2019} / January / 4} + weeks{static_cast<int>(week)};
    const year_month_day date{day};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()));
}

}  // namespace

std::string weekly_prices_csv(const Market& market) {
    std::string out = "date";
    for (const std::string& name : market.indices) {
        out += ',';
        io::append_cell(out, name);
    }
    for (const std::string& name : market.stocks) {
        out += ',';
        io::append_cell(out, name);
    }
    out += '\n';
    std::vector<double> indices(market.indices.size(), kFirstPrice);
    std::vector<double> stocks(market.stocks.size(), kFirstPrice);
    for (std::size_t week = 0; week <= market.dates.size(); ++week) {
        out += friday(week);
        put_prices(out, indices, week == 0 ? std::span<const double>{} : market.index_returns.column(week - 1));
        put_prices(out, stocks, week == 0 ? std::span<const double>{} : market.stock_returns.column(week - 1));
        out += '\n';
    }
    return out;
}

}  // namespace sluice::portfolio
