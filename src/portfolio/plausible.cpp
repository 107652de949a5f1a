#include "plausible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "notes.hpp"
#include "remedy.hpp"
#include "sluice/error.hpp"

namespace sluice::portfolio {

void check_quote(const Sheet& sheet) {
    std::vector<double> sizes;
    std::size_t negative = 0;
    const std::size_t cells = sheet.values.rows() * sheet.values.cols();
    for (std::size_t i = 0; i < cells; ++i) {
        const double value = sheet.values.data()[i];
        if (!std::isnan(value)) {
            sizes.push_back(std::abs(value));
            negative += value < 0.0 ? 1U : 0U;
        }
    }
    if (sizes.empty()) {
        throw DataError(fmt::format("{}: holds no number", sheet.source));
    }
    if (sheet.quote == Quote::prices) {
        constexpr double kMostNegative = 0.1;  // about half of all returns are, and hardly any price
        if (static_cast<double>(negative) > kMostNegative * static_cast<double>(sizes.size())) {
            throw io::WithRemedies<DataError>(
                fmt::format("{}: {} of {} numbers are below 0, so they cannot be prices; perhaps they are returns",
                            sheet.source, negative, sizes.size()),
                {io::Remedy::give_as_returns});
        }
        return;
    }
    constexpr double kLargestMedian = 0.2;  // of a month's returns some 0.05; per cent of a day some 1
    const auto middle = sizes.begin() + std::ssize(sizes) / 2;
    std::ranges::nth_element(sizes, middle);
    if (*middle > kLargestMedian) {
        throw io::WithRemedies<DataError>(
            fmt::format("{}: half of the returns are larger than {:.3g}. Returns are fractions, 0.01 for 1 %: divide "
                        "percentages by 100. If these are prices, they are given as such",
                        sheet.source, *middle),
            {io::Remedy::give_as_prices});
    }
}

void note_moves(Market& market) {
    constexpr double kWild = 0.5;
    constexpr std::size_t kStill = 26;
    NoteCounter wild("moves of a stock by more than 50 % in one period, kept as they are");
    NoteCounter still("stocks whose return is exactly 0 for 26 periods or more in a row, thinly traded");
    for (std::size_t i = 0; i < market.stocks.size(); ++i) {
        std::size_t zeros = 0;
        std::size_t longest = 0;
        for (std::size_t t = 0; t < market.dates.size(); ++t) {
            const double r = market.stock_returns(i, t);
            if (std::abs(r) > kWild) {
                wild.add(fmt::format("{} {}: {:+.0f} %", market.stocks[i], market.dates[t], 100.0 * r));
            }
            zeros = r == 0.0 ? zeros + 1 : 0;
            longest = std::max(longest, zeros);
        }
        if (longest >= kStill) {
            still.add(fmt::format("{}: {}", market.stocks[i], longest));
        }
    }
    wild.append_to(market.notes);
    still.append_to(market.notes);
}

}  // namespace sluice::portfolio
