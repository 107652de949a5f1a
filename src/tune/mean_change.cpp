#include "mean_change.hpp"

#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr std::size_t kShortest = 4;

// z^2 of Wallace's approximation.
double normal_square(double t_square, double freedom) {
    const double ratio = ((8.0 * freedom) + 1.0) / ((8.0 * freedom) + 3.0);
    return ratio * ratio * freedom * std::log1p(t_square / freedom);
}

}  // namespace

std::uint64_t MeanChange::recent() const {
    return std::min<std::uint64_t>(kRecent, rows_ / 4);
}

void MeanChange::add(double value) {
    ring_[rows_ % kRing] = value;
    ++rows_;
    if (settled_ + recent() < rows_) {
        settle(back(rows_ - 1 - settled_));
        ++settled_;
    }
}

// A row becomes an earlier one.
void MeanChange::settle(double value) {
    for (std::size_t l = 0; l < kLengths; ++l) {
        Earlier& earlier = earlier_[l];
        earlier.sum += value;
        const auto length = std::uint64_t{1} << l;
        if ((settled_ + 1) % length != 0) {
            continue;
        }
        const double mean = earlier.sum / static_cast<double>(length);
        earlier.sum = 0.0;
        earlier.count = std::min(earlier.count + 1.0, static_cast<double>(kMemory) / static_cast<double>(length));
        const double step = 1.0 / earlier.count;
        if (scores()) {
            earlier.square += step * ((mean * mean) - earlier.square);
        } else {
            const double apart = mean - earlier.mean;
            earlier.mean += step * apart;
            earlier.square = (1.0 - step) * (earlier.square + (step * apart * apart));
        }
    }
}

double MeanChange::variance_of(std::size_t length) const {
    const Earlier& earlier = earlier_[length];
    return scores() ? earlier.square : earlier.square * earlier.count / std::max(earlier.count - 1.0, 1.0);
}

MeanChange::Spread MeanChange::spread() const {
    Spread out;
    const double one = scores() ? std::max(variance_of(0), 1.0) : variance_of(0);
    out.variance[0] = one;
    out.windows[0] = earlier_[0].count;
    double growth = 2.0;  // k
    for (std::size_t l = 1; l < kLengths; ++l) {
        const auto length = static_cast<double>(std::size_t{1} << l);
        constexpr double kSome = 4.0;
        if (earlier_[l].count >= kLeast) {
            out.variance[l] = std::max(variance_of(l), one / length);
            out.windows[l] = earlier_[l].count;
            growth = std::clamp(2.0 * out.variance[l] / out.variance[l - 1], 1.0, 2.0);
        } else {
            out.variance[l] =
                std::max(0.5 * growth * out.variance[l - 1], earlier_[l].count >= kSome ? variance_of(l) : 0.0);
            out.windows[l] = out.windows[l - 1];
        }
        out.worth = std::max(out.worth, length * out.variance[l] / one);
    }
    for (double& windows : out.windows) {
        windows = std::min(windows, earlier_[0].count / out.worth);
    }
    return out;
}

// V_s is at least V_1 / s, and T at most the earlier rows that are known, kMemory: with S the sum of the last s rows beyond the mean, the
// evidence is at most S^2 / (2 s V_1) + log(kMemory).
bool MeanChange::may_exceed(double evidence) const {
    constexpr double kMostOfLength = 6.91;  // log(kMemory) and a little more
    static_assert(kMemory == 1000);
    constexpr double kRounding = 1e-6;  // of a sum of kRecent numbers of at most 1e6 in another order, and far more
    if (earlier_[0].count < kLeast || variance_of(0) <= 0.0) {
        return false;
    }
    const double one = scores() ? std::max(variance_of(0), 1.0) : variance_of(0);
    const double most = 2.0 * (evidence - kMostOfLength) * one * (1.0 - 1e-9);
    const double middle = center();
    const auto rows = static_cast<std::size_t>(recent());
    std::array<double, kShortest> sums{};  // side by side
    std::size_t row = 0;
    for (std::size_t length = kShortest; length <= rows; length *= 2) {
        for (; row < length; row += kShortest) {
            for (std::size_t i = 0; i < kShortest; ++i) {
                sums[i] += back(row + i);
            }
        }
        const auto n = static_cast<double>(length);
        const double sum = std::abs((sums[0] + sums[1]) + (sums[2] + sums[3]) - (n * middle)) + kRounding;
        if (!(sum * sum <= most * n)) {
            return true;
        }
    }
    return false;
}

MeanChange::Finding MeanChange::test() const {
    Finding found;
    if (earlier_[0].count < kLeast || variance_of(0) <= 0.0) {
        return found;
    }
    const Spread spread = this->spread();
    const double middle = center();
    double sum = 0.0;
    double squares = 0.0;
    std::size_t row = 0;
    for (std::size_t l = 0; l < kLengths; ++l) {
        const std::size_t length = std::size_t{1} << l;
        const double windows = spread.windows[l] - (scores() ? 0.0 : 1.0);
        if (length > recent() || windows < 1.0) {
            break;
        }
        for (; row < length; ++row) {
            const double value = back(row) - middle;
            sum += value;
            squares += value * value;
        }
        const auto n = static_cast<double>(length);
        const double mean = sum / n;
        if (length < kShortest || (rise_only_ && mean <= 0.0)) {
            continue;
        }
        const double within = (squares - (n * mean * mean)) / (n - 1.0);
        const double variance = spread.variance[l] * std::max(1.0, within / spread.variance[0]) *
                                (scores() ? 1.0 : 1.0 + (1.0 / spread.windows[l]));
        const double evidence =
            (0.5 * normal_square(mean * mean / variance, windows)) + std::log(std::max(n, spread.worth));
        if (evidence > found.evidence) {
            found = {.evidence = evidence, .excess = mean};
        }
    }
    return found;
}

// The change came where the sum of what is beyond half of the excess is largest.
std::size_t MeanChange::since(const Finding& found) const {
    const auto rows = static_cast<std::size_t>(recent());
    double sum = 0.0;
    double most = 0.0;
    std::size_t at = 1;
    for (std::size_t row = 0; row < rows; ++row) {
        sum += std::copysign(1.0, found.excess) * (back(row) - center() - (0.5 * found.excess));
        if (sum > most) {
            most = sum;
            at = row + 1;
        }
    }
    return at;
}

void MeanChange::clear() noexcept {
    rows_ = 0;
    settled_ = 0;
    ring_.fill(0.0);
    earlier_.fill({});
}

void MeanChange::save(core::StateWriter& out) const {
    out.put(rows_);
    out.put(settled_);
    for (std::uint64_t row = settled_; row < rows_; ++row) {  // those before are not read again
        out.put(ring_[row % kRing]);
    }
    for (const Earlier& earlier : earlier_) {
        for (const double number : {earlier.count, earlier.mean, earlier.square, earlier.sum}) {
            out.put(number);
        }
    }
}

void MeanChange::load(core::StateReader& in) {
    constexpr double kMost = 1e6;  // no score and no root of a deviation is beyond
    in.get(rows_);
    in.get(settled_);
    in.require(settled_ <= rows_ && rows_ - settled_ <= recent(), "the alarm's number of recent rows is out of range");
    if (in.current()) {
        ring_.fill(0.0);
        for (std::uint64_t row = settled_; row < rows_; ++row) {
            in.get(ring_[row % kRing]);
        }
    } else {
        in.get_all(std::span<double>(ring_));
    }
    in.require(std::ranges::all_of(ring_, [](double value) { return std::abs(value) <= kMost; }),
               "the alarm's evidence of a row is out of range");
    for (Earlier& earlier : earlier_) {
        for (double* number : {&earlier.count, &earlier.mean, &earlier.square, &earlier.sum}) {
            in.get(*number);
        }
        in.require(earlier.count >= 0.0 && earlier.count <= static_cast<double>(kMemory) && earlier.square >= 0.0 &&
                       earlier.square <= kMost * kMost && std::abs(earlier.mean) <= kMost &&
                       std::abs(earlier.sum) <= kMost * kRecent,
                   "what the alarm knows of earlier rows is out of range");
    }
}

}  // namespace sluice::tune
