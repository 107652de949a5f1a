#include "size_ranks.hpp"

#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr int kPerOctave = 4;
constexpr int kMostBase = 5000;  // beyond the exponents of all numbers

// The quarter of an octave that a size is in. Its place within an octave is linear, which costs no logarithm.
int quarter(double size) {
    int exponent = 0;
    const double mantissa = std::frexp(size, &exponent);  // from 0.5 to 1
    return (kPerOctave * exponent) + static_cast<int>((mantissa - 0.5) * 2.0 * kPerOctave);
}

}  // namespace

std::size_t SizeRanks::bin(double size) const {
    if (size <= 0.0) {
        return 0;
    }
    return static_cast<std::size_t>(std::clamp(quarter(size) - base_, 0, static_cast<int>(kBins) - 1));
}

double SizeRanks::share_above(double size) const {
    const std::size_t own = bin(size);
    std::size_t above = 0;
    for (std::size_t b = own + 1; b < kBins; ++b) {
        above += in_bin_[b];
    }
    // Half of those that are alike. The new one counts as half a size on either side: never 0, never 1.
    return (static_cast<double>(above) + (0.5 * in_bin_[own]) + 0.5) / (static_cast<double>(count_) + 1.0);
}

void SizeRanks::add(double size) {
    if (size > 0.0) {
        fit(quarter(size));
    }
    const auto own = static_cast<std::uint8_t>(bin(size));
    if (count_ == ring_.size()) {
        --in_bin_[ring_[next_]];
    } else {
        ++count_;
    }
    ring_[next_] = own;
    ++in_bin_[own];
    next_ = (next_ + 1) % ring_.size();
}

// Moves the bins so that this quarter of an octave has one, if possible without losing larger ones.
void SizeRanks::fit(int quarter) {
    constexpr int kTop = static_cast<int>(kBins) - 1;
    if (count_ == in_bin_[0]) {  // nothing but zeros, or what cannot be told from them
        base_ = quarter - (kTop * 3 / 4);
    } else if (quarter - base_ > kTop) {
        shift(quarter - base_ - kTop);
    } else if (quarter - base_ < 1) {
        int high = kTop;
        while (in_bin_[static_cast<std::size_t>(high)] == 0) {
            --high;
        }
        shift(-std::min(kTop - high, base_ + 1 - quarter));
    }
}

// Bin 0 stays what it is: all that is below the others.
void SizeRanks::shift(int by) {
    if (by == 0) {
        return;
    }
    base_ += by;
    in_bin_.fill(0);
    for (std::size_t i = 0; i < count_; ++i) {
        ring_[i] = ring_[i] == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::max(ring_[i] - by, 0));
        ++in_bin_[ring_[i]];
    }
}

void SizeRanks::clear() noexcept {
    count_ = 0;
    next_ = 0;
    base_ = 0;
    in_bin_.fill(0);
}

void SizeRanks::save(core::StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(count_));
    out.put(static_cast<std::uint64_t>(next_));
    out.put(base_);
    out.put_all(std::span<const std::uint8_t>(ring_).first(count_));
}

void SizeRanks::load(core::StateReader& in) {
    std::uint64_t count = 0;
    std::uint64_t next = 0;
    in.get(count);
    in.get(next);
    in.get(base_);
    in.require(count <= ring_.size(), "the alarm remembers too many errors");
    in.require(next == count % ring_.size() || (count == ring_.size() && next < count),
               "the alarm's oldest error is not one that it remembers");
    in.require(std::abs(base_) <= kMostBase, "the unit of the alarm's errors is out of range");
    count_ = count;
    next_ = next;
    in.get_all(std::span(ring_).first(count_));
    in_bin_.fill(0);
    for (std::size_t i = 0; i < count_; ++i) {
        ++in_bin_[ring_[i]];
    }
}

}  // namespace sluice::tune
