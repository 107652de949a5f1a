#include "time_axis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>

#include "bins.hpp"

namespace sluice::report {

namespace {

constexpr std::size_t kLongestTime = 64;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Takes digits from the front; nothing where there are none, or more than `most`.
std::optional<int> take_number(std::string_view& text, std::size_t most) {
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[length])) {
        ++length;
    }
    int value = 0;
    if (length == 0 || length > most) {
        return std::nullopt;
    }
    std::from_chars(text.data(), text.data() + length, value);
    text.remove_prefix(length);
    return value;
}

bool take_any(std::string_view& text, std::string_view characters) {
    if (text.empty() || characters.find(text.front()) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

std::optional<double> days_of(int year, int month, int day) {
    if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) {
        return std::nullopt;
    }
    return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

// "18:00", "18.00.00", "18:00:00.25Z", "18:00+02:00", all after a blank or a T; seconds of the day.
std::optional<double> seconds_of(std::string_view text) {
    if (text.empty()) {
        return 0.0;
    }
    if (!take_any(text, " T")) {
        return std::nullopt;
    }
    const auto hour = take_number(text, 2);
    if (!hour || *hour > 24) {
        return std::nullopt;
    }
    double seconds = 3600.0 * *hour;
    double unit = 60.0;
    for (int part = 0; part < 2 && take_any(text, ":."); ++part, unit /= 60.0) {
        const auto number = take_number(text, 2);
        if (!number || *number > 60) {
            return std::nullopt;
        }
        seconds += unit * *number;
    }
    if (take_any(text, ".,")) {
        double share = 0.1;
        while (!text.empty() && is_digit(text.front())) {
            seconds += share * (text.front() - '0');
            share /= 10.0;
            text.remove_prefix(1);
        }
    }
    const bool zone = text.empty() || text == "Z" || text.front() == '+' || text.front() == '-';
    return zone ? std::optional(seconds) : std::nullopt;
}

constexpr double kDay = 86400.0;

// A number that counts from 1970 in one of these units lies between 1973 and 2100 in seconds.
constexpr std::array<double, 4> kUnits = {1.0, 1e-3, 1e-6, 1e-9};
constexpr double kEarliest = 1e8;
constexpr double kLatest = 4.1e9;

}  // namespace

std::optional<double> TimeAxis::read(Meaning meaning, std::string_view text) {
    if (meaning == number) {
        double value = 0.0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = problem == std::errc() && end == text.data() + text.size() && std::isfinite(value);
        return whole ? std::optional(value) : std::nullopt;
    }
    std::array<int, 3> parts{};
    if (meaning == compact) {
        const auto digits = text.size() == 8 ? take_number(text, 8) : std::nullopt;
        if (!digits || !text.empty()) {
            return std::nullopt;
        }
        parts = {*digits / 10000, *digits / 100 % 100, *digits % 100};
    } else {
        for (std::size_t i = 0; i < 3; ++i) {
            if (i > 0 && !take_any(text, "-/.")) {
                return std::nullopt;
            }
            const auto part = take_number(text, 4);
            if (!part) {
                return std::nullopt;
            }
            parts.at(i) = *part;
        }
    }
    const auto days = meaning == day_first     ? days_of(parts[2], parts[1], parts[0])
                      : meaning == month_first ? days_of(parts[2], parts[0], parts[1])
                                               : days_of(parts[0], parts[1], parts[2]);
    const auto seconds = seconds_of(text);
    return days && seconds ? std::optional((*days * kDay) + *seconds) : std::nullopt;
}

void TimeAxis::add(std::size_t bin, std::string_view text) {
    if (text.empty()) {
        return;
    }
    if (bin >= firsts_.size()) {
        firsts_.resize(bin + 1);
    }
    text = text.substr(0, kLongestTime);
    if (firsts_[bin].text.empty()) {
        firsts_[bin].text = text;
    }
    last_ = text;
    if (first_.empty()) {
        first_ = text;
    }
    for (std::size_t m = 0; m < kMeanings; ++m) {
        State& state = states_.at(m);
        if (state.possible) {
            const auto value = read(static_cast<Meaning>(m), text);
            state.possible = value && *value >= state.last;
            state.last = value.value_or(state.last);
        }
    }
}

void TimeAxis::join_bins() {
    join_neighbours(firsts_);
}

TimeAxis TimeAxis::continued() const {
    TimeAxis next;
    next.states_ = states_;
    next.last_ = last_;
    next.first_ = first_;
    return next;
}

std::optional<TimeAxis::Meaning> TimeAxis::meaning() const {
    for (std::size_t m = 0; m < kMeanings; ++m) {
        if (states_.at(m).possible) {
            return static_cast<Meaning>(m);
        }
    }
    return std::nullopt;
}

// Seconds per unit of what was read; 0 where it is a number that is no date.
double TimeAxis::unit(Meaning meaning) const {
    if (meaning != number) {
        return 1.0;
    }
    const double first = read(number, first_).value_or(0.0);
    for (const double unit : kUnits) {
        if (first * unit > kEarliest && states_[number].last * unit < kLatest) {
            return unit;
        }
    }
    return 0.0;
}

TimeAxis::Kind TimeAxis::kind() const {
    if (last_.empty()) {
        return Kind::none;
    }
    const auto found = meaning();
    return !found ? Kind::text : unit(*found) > 0.0 ? Kind::date : Kind::number;
}

std::optional<double> TimeAxis::value_of(std::string_view text) const {
    const auto found = meaning();
    const auto value = found && !last_.empty() ? read(*found, text.substr(0, kLongestTime)) : std::nullopt;
    if (!value) {
        return std::nullopt;
    }
    const double scale = unit(*found);
    return *value * (scale > 0.0 ? scale : 1.0);
}

std::vector<double> TimeAxis::values(std::size_t bins) const {
    std::vector<double> out(bins, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t bin = 0; bin < std::min(bins, firsts_.size()); ++bin) {
        out[bin] = value_of(firsts_[bin].text).value_or(out[bin]);
    }
    return out;
}

double TimeAxis::last_value() const {
    return value_of(last_).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string_view TimeAxis::first_text(std::size_t bin) const {
    return bin < firsts_.size() ? std::string_view(firsts_[bin].text) : std::string_view();
}

}  // namespace sluice::report
