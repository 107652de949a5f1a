#include "lags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <utility>

#include "state.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

// A setting that is a list of lags, with an example of it.
struct LagSetting {
    const char* name;
    const char* example;
};

std::size_t lag_from(std::string_view text, std::string_view whole, const LagSetting& setting) {
    std::size_t lag = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), lag);
    if (problem != std::errc() || end != text.data() + text.size() || lag > kLongestLag) {
        throw UsageError({setting.name},
                         fmt::format("{} is not a list of rows back, such as {}, each at most {}",
                                     whole.empty() ? "an empty text" : whole, setting.example, kLongestLag));
    }
    return lag;
}

std::vector<std::size_t> list_of_lags(std::string_view text, const LagSetting& setting) {
    std::vector<std::size_t> lags;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view word = rest.substr(0, comma);
        const std::size_t colon = word.find(':');
        const std::size_t first = lag_from(word.substr(0, colon), text, setting);
        const std::size_t last =
            colon == std::string_view::npos ? first : lag_from(word.substr(colon + 1), text, setting);
        if (last < first) {
            throw UsageError({setting.name}, fmt::format("the range {} ends before it begins", word));
        }
        for (std::size_t lag = first; lag <= last; ++lag) {
            lags.push_back(lag);
        }
        if (comma == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(comma + 1);
    }
    std::ranges::sort(lags);
    const auto doubled = std::ranges::unique(lags);
    lags.erase(doubled.begin(), doubled.end());
    return lags;
}

}  // namespace

std::vector<std::size_t> parse_lags(std::string_view text) {
    return list_of_lags(text, {.name = "lags", .example = "0:15 or 0,1,5"});
}

std::vector<std::size_t> parse_target_lags(std::string_view text) {
    constexpr LagSetting kSetting{.name = "target_lags", .example = "1:5 or 1,2,24"};
    std::vector<std::size_t> lags = list_of_lags(text, kSetting);
    if (lags.front() == 0) {
        throw UsageError({kSetting.name}, fmt::format("{} has 0, the value to predict, which is not known yet. "
                                                      "Begin at 1, the newest known value, such as 1:5",
                                                      text));
    }
    return lags;
}

LagStack::LagStack(std::size_t columns, std::vector<std::size_t> lags)
    : columns_(columns),
      lags_(std::move(lags)),
      rows_(lags_.back() + 1),
      ring_(rows_ * columns, std::numeric_limits<double>::quiet_NaN()) {}

void LagStack::push(std::span<const double> row, std::span<double> stacked) {
    assert(row.size() == columns_ && stacked.size() == width());
    if (only_present_row()) {
        std::ranges::copy(row, stacked.begin());
        return;
    }
    newest_ = (newest_ + 1) % rows_;
    std::ranges::copy(row, ring_.begin() + static_cast<std::ptrdiff_t>(newest_ * columns_));
    for (std::size_t k = 0; k < lags_.size(); ++k) {
        const double* then = ring_.data() + (((newest_ + rows_ - lags_[k]) % rows_) * columns_);
        for (std::size_t i = 0; i < columns_; ++i) {
            stacked[(i * lags_.size()) + k] = then[i];
        }
    }
}

void LagStack::save(core::StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(newest_));
    out.put_raw(ring_);
}

void LagStack::load(core::StateReader& in) {
    std::uint64_t newest = 0;
    in.get(newest);
    in.require(newest < rows_, "the position in the last rows is beyond their number");
    newest_ = newest;
    in.get_raw(ring_);
}

}  // namespace sluice::job
