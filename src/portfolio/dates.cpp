#include "dates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

namespace sluice::portfolio {

namespace {

enum class Order { year_first, day_first, month_first, slashes };

struct Fields {
    std::array<int, 3> part{1, 1, 1};
    std::size_t parts = 0;
    char mark = '-';
    std::string_view time;
    double seconds = 0.0;
};

std::optional<int> whole(std::string_view digits) {
    int value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || digits.size() > 4 || problem != std::errc() || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return value;
}

// After the date: hh:mm or hh:mm:ss; fractions and a zone are kept in the text but do not order rows.
std::optional<double> seconds_of(std::string_view time) {
    if (time.empty()) {
        return 0.0;
    }
    const auto hours = whole(time.substr(0, 2));
    const auto minutes = time.size() >= 5 && time[2] == ':' ? whole(time.substr(3, 2)) : std::nullopt;
    if (!hours || !minutes || *hours > 24 || *minutes > 59) {
        return std::nullopt;
    }
    const auto seconds = time.size() >= 8 && time[5] == ':' ? whole(time.substr(6, 2)) : std::optional<int>(0);
    return seconds ? std::optional<double>((*hours * 3600.0) + (*minutes * 60.0) + *seconds) : std::nullopt;
}

std::optional<Fields> split(std::string_view text) {
    Fields fields;
    if (const std::size_t blank = text.find_first_of("T "); blank != std::string_view::npos) {
        fields.time = text.substr(blank + 1);
        text = text.substr(0, blank);
    }
    const auto seconds = seconds_of(fields.time);
    if (!seconds) {
        return std::nullopt;
    }
    fields.seconds = *seconds;
    if (text.size() == 8 && text.find_first_not_of("0123456789") == std::string_view::npos) {
        fields.part = {whole(text.substr(0, 4)).value_or(0), whole(text.substr(4, 2)).value_or(0),
                       whole(text.substr(6, 2)).value_or(0)};
        fields.parts = 3;
        return fields;
    }
    const std::size_t mark = text.find_first_of("-/.");
    if (mark == std::string_view::npos || mark == 0) {
        return std::nullopt;
    }
    fields.mark = text[mark];
    while (fields.parts < 3) {
        const std::size_t end = text.find(fields.mark);
        const auto value = whole(text.substr(0, end));
        if (!value) {
            return std::nullopt;
        }
        fields.part.at(fields.parts++) = *value;
        if (end == std::string_view::npos) {
            return fields.parts >= 2 ? std::optional(fields) : std::nullopt;
        }
        text = text.substr(end + 1);
    }
    return std::nullopt;
}

constexpr int kFirstYear = 1800;

bool year_first(const Fields& fields) {
    return fields.part[0] >= kFirstYear;
}

std::optional<Date> date_of(const Fields& fields, Order order) {
    int year = fields.part[0];
    int month = fields.part[1];
    int day = fields.part[2];
    if (order != Order::year_first) {
        year = fields.part[2];
        day = fields.part[order == Order::day_first ? 0 : 1];
        month = fields.part[order == Order::day_first ? 1 : 0];
    }
    const std::chrono::year_month_day civil{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                            std::chrono::day(static_cast<unsigned>(day))};
    if (year < kFirstYear || (order != Order::year_first && fields.parts != 3) || !civil.ok()) {
        return std::nullopt;
    }
    Date date{.key = days_from_civil(year, month, day) + (fields.seconds / 86400.0),
              .text = fields.parts == 2 ? fmt::format("{:04}-{:02}", year, month)
                                        : fmt::format("{:04}-{:02}-{:02}", year, month, day)};
    if (!fields.time.empty()) {
        date.text += fmt::format("T{}", fields.time);
    }
    return date;
}

std::optional<double> number_of(const std::string& text) {
    double value = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

// Day or month first: a number above 12 cannot be a month.
Order order_of(const std::vector<std::optional<Fields>>& all, const std::string& source, const DateCell& first,
               const std::string& column) {
    if (year_first(*all.front())) {
        return Order::year_first;
    }
    if (all.front()->mark == '.') {
        return Order::day_first;
    }
    bool day_first = false;
    bool month_first = false;
    for (const auto& fields : all) {
        day_first = day_first || (fields && fields->part[0] > 12);
        month_first = month_first || (fields && fields->part[1] > 12);
    }
    if (day_first == month_first) {
        throw io::RowError(
            source, first.at, column, first.text,
            "may be day/month or month/day, and no date of the file shows which: write dates as 2024-01-31");
    }
    return day_first ? Order::day_first : Order::month_first;
}

}  // namespace

double days_from_civil(int year, int month, int day) {
    const std::chrono::sys_days days{std::chrono::year_month_day{std::chrono::year(year),
                                                                 std::chrono::month(static_cast<unsigned>(month)),
                                                                 std::chrono::day(static_cast<unsigned>(day))}};
    return static_cast<double>(days.time_since_epoch().count());
}

DateColumn read_dates(const std::vector<DateCell>& cells, const std::string& source, const std::string& column) {
    DateColumn out;
    if (cells.empty()) {
        return out;
    }
    std::vector<std::optional<Fields>> all;
    all.reserve(cells.size());
    for (const DateCell& cell : cells) {
        all.push_back(split(cell.text));
    }
    const auto refuse = [&](const DateCell& cell) {
        throw io::RowError(source, cell.at, column, cell.text,
                           cell.text.empty() ? "has no date: every row needs one"
                                             : "is not a date, or is not written like the first one: write dates as "
                                               "2024-01-31",
                           cell.text.empty() ? io::Remedies{} : io::Remedies{io::Remedy::name_date_column});
    };
    out.dates.reserve(cells.size());
    if (!all.front() && number_of(cells.front().text)) {
        out.calendar = Calendar::numbers;
        for (const DateCell& cell : cells) {
            const auto number = number_of(cell.text);
            if (!number) {
                refuse(cell);
            }
            out.dates.push_back({.key = *number, .text = cell.text});
        }
        return out;
    }
    if (!all.front()) {
        refuse(cells.front());
    }
    out.calendar = Calendar::days;
    const Order order = order_of(all, source, cells.front(), column);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto date = all[i] ? date_of(*all[i], order) : std::nullopt;
        if (!date) {
            refuse(cells[i]);
        }
        out.dates.push_back(*date);
    }
    return out;
}

double periods_in_a_year(const std::vector<double>& days) {
    constexpr double kYear = 365.25;
    constexpr double kNear = 0.1;  // holidays and short files; the usual numbers are further apart
    const double found = kYear * static_cast<double>(days.size() - 1) / (days.back() - days.front());
    for (const double usual : {365.0, 252.0, 52.0, 12.0, 4.0, 1.0}) {
        if (std::abs(found - usual) <= kNear * usual) {
            return usual;
        }
    }
    return found;
}

}  // namespace sluice::portfolio
