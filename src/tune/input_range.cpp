#include "input_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "input_kernels.hpp"
#include "input_moments.hpp"
#include "mean_change.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr std::uint64_t kRangeMemory = MeanChange::kMemory;
constexpr double kFirstRowsOfInput = MeanChange::kLeast;  // rows
constexpr double kMostRatio = 1e6;
constexpr double kLargest = std::numeric_limits<double>::max() / 4.0;  // differences of two such numbers are finite

}  // namespace

InputRange::InputRange(std::size_t inputs)
    : inputs_(inputs),
      apart_((inputs + kWatched - 1) / kWatched),
      mean_((inputs + apart_ - 1) / apart_),
      spread_(mean_.size()) {}

double InputRange::add(std::span<const double> x, const core::InputMoments* moments) {
    rows_ = std::min(rows_ + 1, kRangeMemory);
    const auto rows = static_cast<double>(rows_);
    double most = 0.0;
    std::size_t first = 0;
    if (apart_ == 1 && (moments == nullptr || !moments->any_gaps())) {  // none is late
        first = mean_.size() / core::kLanes * core::kLanes;
        most = kernels::add_to_range(x.data(), first, {.rows = rows, .largest = kLargest, .most_ratio = kMostRatio},
                                     mean_.data(), spread_.data());
    }
    for (std::size_t i = first; i < mean_.size(); ++i) {
        const double value = x[i * apart_];
        if (std::isnan(value)) {
            continue;
        }
        // An input that appeared late has rows of its own, the first of which say nothing.
        const double present = moments != nullptr ? moments->weight(i * apart_) : rows;
        const bool late = moments != nullptr && moments->weight() - present > std::max(kFirstRowsOfInput, present);
        const double known = late ? std::clamp(present, 1.0, rows) : rows;
        const double step = 1.0 / known;
        const double apart = std::clamp(value, -kLargest, kLargest) - mean_[i];
        const double size = std::abs(apart);
        mean_[i] += step * apart;
        if (spread_[i] > 0.0) {  // the mean square, without squares that overflow
            const double ratio = std::min(size / spread_[i], kMostRatio);
            most = late && known <= kFirstRowsOfInput ? most : std::max(most, ratio);
            spread_[i] *= std::sqrt(1.0 + (step * ((ratio * ratio) - 1.0)));
        } else if (known > 1.5) {
            spread_[i] = size * std::sqrt(step);
        }
    }
    return most;
}

void InputRange::clear() noexcept {
    rows_ = 0;  // the next row sets both
    std::ranges::fill(mean_, 0.0);
    std::ranges::fill(spread_, 0.0);
}

void InputRange::save(core::StateWriter& out) const {
    out.put(rows_);
    out.put_all(mean_);
    out.put_all(spread_);
}

void InputRange::load(core::StateReader& in) {
    InputRange stored(in.stored_inputs(inputs_));
    in.get(stored.rows_);
    in.require(stored.rows_ <= kRangeMemory, "the number of rows that the alarm knows inputs from is out of range");
    in.get_all(stored.mean_);
    in.get_all(stored.spread_);
    in.require(std::ranges::all_of(stored.mean_, [](double mean) { return std::abs(mean) <= kLargest; }) &&
                   std::ranges::all_of(stored.spread_,
                                       [](double spread) { return spread >= 0.0 && spread <= 3.0 * kLargest; }),
               "the usual range of an input is out of range");
    if (apart_ % stored.apart_ != 0) {
        return;  // inputs were added, and others are watched than before: it begins again
    }
    rows_ = stored.rows_;
    for (std::size_t i = 0; i < mean_.size() && i * apart_ < stored.inputs_; ++i) {
        mean_[i] = stored.mean_[i * apart_ / stored.apart_];
        spread_[i] = stored.spread_[i * apart_ / stored.apart_];
    }
}

}  // namespace sluice::tune
