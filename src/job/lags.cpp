#include "lags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "state.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

std::size_t lag_from(std::string_view text, std::string_view whole) {
    std::size_t lag = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), lag);
    if (problem != std::errc() || end != text.data() + text.size() || lag > kLongestLag) {
        throw UsageError({"lags"}, fmt::format("{} is not a list of rows back, such as 0:15 or 0,1,5, each at most {}",
                                               whole.empty() ? "an empty text" : whole, kLongestLag));
    }
    return lag;
}

}  // namespace

std::vector<std::size_t> parse_lags(std::string_view text) {
    std::vector<std::size_t> lags;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view word = rest.substr(0, comma);
        const std::size_t colon = word.find(':');
        const std::size_t first = lag_from(word.substr(0, colon), text);
        const std::size_t last = colon == std::string_view::npos ? first : lag_from(word.substr(colon + 1), text);
        if (last < first) {
            throw UsageError({"lags"}, fmt::format("the range {} ends before it begins", word));
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

LagStack::LagStack(std::size_t inputs, std::vector<std::size_t> lags)
    : inputs_(inputs),
      lags_(std::move(lags)),
      rows_(lags_.back() + 1),
      ring_(rows_ * inputs, std::numeric_limits<double>::quiet_NaN()),
      stacked_(width()) {}

std::span<const double> LagStack::push(std::span<const double> row) {
    if (rows_ == 1) {
        return row;  // only the present row is needed
    }
    newest_ = (newest_ + 1) % rows_;
    std::ranges::copy(row, ring_.begin() + static_cast<std::ptrdiff_t>(newest_ * inputs_));
    for (std::size_t k = 0; k < lags_.size(); ++k) {
        const double* then = ring_.data() + (((newest_ + rows_ - lags_[k]) % rows_) * inputs_);
        for (std::size_t i = 0; i < inputs_; ++i) {
            stacked_[(i * lags_.size()) + k] = then[i];
        }
    }
    return stacked_;
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
