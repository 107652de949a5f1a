#include "time_key.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <system_error>

namespace sluice::job {

namespace {

constexpr std::ptrdiff_t kExactDigits = 15;  // decimal numbers with more digits may round to the same double

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

bool begins_with_a_date(std::string_view text) noexcept {
    constexpr std::string_view kForm = "0000-00-00";
    if (text.size() < kForm.size() || text[4] != text[7] || (text[4] != '-' && text[4] != '/')) {
        return false;
    }
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        if (kForm[i] == '0' && !is_digit(text[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace

void TimeKey::assign(std::string_view text) {
    text_.assign(text);
    double number = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    is_number_ = problem == std::errc() && end == text.data() + text.size() && std::isfinite(number) &&
                 std::ranges::count_if(text, is_digit) <= kExactDigits;
    number_ = is_number_ && number != 0.0 ? number : 0.0;  // -0 is 0
    hash_ = is_number_ ? std::hash<double>()(number_) : std::hash<std::string_view>()(text);
}

TimeKey::Order TimeKey::order(const TimeKey& a, const TimeKey& b) noexcept {
    if (a == b) {
        return Order::same;
    }
    if (a.is_number_ && b.is_number_) {
        return a.number_ < b.number_ ? Order::before : Order::after;
    }
    if (begins_with_a_date(a.text_) && begins_with_a_date(b.text_) && a.text_[4] == b.text_[4]) {
        return a.text_ < b.text_ ? Order::before : Order::after;
    }
    return Order::unknown;
}

}  // namespace sluice::job
