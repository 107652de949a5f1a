#include "sentinel_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sluice::job {

namespace {

constexpr std::size_t kMostColumns = 10'000;  // wider rows are not looked at: memory

bool is_sentinel(double value) {
    static constexpr std::array<double, 17> kUsual = {-99.0,    -200.0,    -999.0,  -999.9, -999.99, -9999.0,
                                                      -99999.0, -999999.0, 999.0,   9999.0, 99999.0, 999999.0,
                                                      -32768.0, 32767.0,   65535.0, -1e30,  1e20};
    constexpr double kSmallest = 99.0;
    return std::abs(value) >= kSmallest && std::ranges::find(kUsual, value) != kUsual.end();
}

}  // namespace

SentinelWatch::SentinelWatch(std::vector<std::string> columns)
    : names_(std::move(columns)), columns_(names_.size() <= kMostColumns ? names_.size() : 0) {}

bool SentinelWatch::add(std::span<const double> row) {
    if (rows_ >= kRows || columns_.empty()) {
        return false;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const double value = row[i];
        Column& column = columns_[i];
        if (is_sentinel(value) && (column.count == 0 || column.sentinel == value)) {
            column.sentinel = value;
            ++column.count;
        } else if (!std::isnan(value)) {
            column.least = std::min(column.least, value);
            column.largest = std::max(column.largest, value);
        }
    }
    return ++rows_ == kRows;
}

bool SentinelWatch::is_far(const Column& column) {
    const double range = column.largest - column.least;
    const double distance = std::max(column.least - column.sentinel, column.sentinel - column.largest);
    return column.count >= kLeast && range > 0.0 && distance > range;
}

SentinelWatch::Found SentinelWatch::found() const {
    const auto first = std::ranges::find_if(columns_, is_far);
    if (first == columns_.end()) {
        return {};
    }
    const auto others = std::count_if(first + 1, columns_.end(), [&](const Column& column) {
        return is_far(column) && column.sentinel == first->sentinel;
    });
    std::string sentence = fmt::format("{} occurs {} times in column {}, far from its other values", first->sentinel,
                                       first->count, names_[static_cast<std::size_t>(first - columns_.begin())]);
    if (others > 0) {
        sentence += fmt::format(", and in {} other column{}", others, others == 1 ? "" : "s");
    }
    return {.value = fmt::format("{}", first->sentinel), .sentence = sentence};
}

std::optional<Message> SentinelWatch::warning() const {
    const Found what = found();
    if (what.value.empty()) {
        return std::nullopt;
    }
    return Message{.severity = Message::Severity::warning,
                   .text = what.sentence,
                   .remedies = {io::Remedy::mark_missing},
                   .value = what.value};
}

}  // namespace sluice::job
