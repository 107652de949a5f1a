#include "adaptive_window.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::baselines {

namespace {

// Buckets of each size.
constexpr std::size_t kBuckets = 5;
constexpr std::uint64_t kLeastSide = 5;
constexpr std::size_t kMostBuckets = kBuckets * 64 + 1;

}  // namespace

AdaptiveWindow::AdaptiveWindow(double delta) : delta_(delta) {
    buckets_.reserve(kMostBuckets + 1);
}

AdaptiveWindow::Bucket AdaptiveWindow::join(const Bucket& a, const Bucket& b) {
    const auto na = static_cast<double>(a.size);
    const auto nb = static_cast<double>(b.size);
    const double apart = (a.sum / na) - (b.sum / nb);
    return {.size = a.size + b.size,
            .sum = a.sum + b.sum,
            .spread = a.spread + b.spread + (apart * apart * na * nb / (na + nb))};
}

AdaptiveWindow::Change AdaptiveWindow::add(double value) {
    const Bucket one{.size = 1, .sum = value, .spread = 0.0};
    if (size_ > 0) {
        const Bucket all = join({.size = size_, .sum = sum_, .spread = spread_}, one);
        spread_ = all.spread;
    }
    ++size_;
    sum_ += value;
    buckets_.push_back(one);
    compress();
    return cut();
}

void AdaptiveWindow::clear() noexcept {
    buckets_.clear();
    size_ = 0;
    sum_ = 0.0;
    spread_ = 0.0;
}

// Where there are more than kBuckets of one size, the two oldest become one.
void AdaptiveWindow::compress() {
    std::uint64_t wanted = 1;
    std::size_t end = buckets_.size();
    while (end > 0) {
        std::size_t begin = end;
        while (begin > 0 && buckets_[begin - 1].size == wanted) {
            --begin;
        }
        if (end - begin <= kBuckets) {
            return;
        }
        buckets_[begin + 1] = join(buckets_[begin], buckets_[begin + 1]);
        buckets_.erase(buckets_.begin() + static_cast<std::ptrdiff_t>(begin));
        end = begin + 1;  // the joined one is the youngest of twice the size
        wanted *= 2;
    }
}

// The clearest cut of all: how far the means on its sides are apart, over what chance allows.
AdaptiveWindow::Cut AdaptiveWindow::clearest() const {
    Cut best;
    const auto n = static_cast<double>(size_);
    const double variance = spread_ / n;
    const double log_term = std::log(2.0 * std::log(n + 1.0) / delta_);
    std::uint64_t before = 0;
    double sum_before = 0.0;
    for (std::size_t i = 0; i + 1 < buckets_.size(); ++i) {
        before += buckets_[i].size;
        sum_before += buckets_[i].sum;
        const std::uint64_t after = size_ - before;
        if (before < kLeastSide || after < kLeastSide) {
            continue;
        }
        const double m = 1.0 / ((1.0 / static_cast<double>(before)) + (1.0 / static_cast<double>(after)));
        const double apart =
            ((sum_ - sum_before) / static_cast<double>(after)) - (sum_before / static_cast<double>(before));
        const double bound = std::sqrt(2.0 * variance * log_term / m) + (2.0 * log_term / (3.0 * m));
        if (std::abs(apart) > bound * std::abs(best.clarity)) {
            best = {.clarity = apart / bound, .after = after};
        }
    }
    return best;
}

// The oldest bucket goes as long as some cut parts two means that differ by more than chance allows.
AdaptiveWindow::Change AdaptiveWindow::cut() {
    Change change = Change::none;
    for (Cut found = clearest(); std::abs(found.clarity) > 1.0; found = clearest()) {
        if (change == Change::none) {
            change = found.clarity > 0.0 ? Change::rose : Change::fell;
            since_change_ = found.after;
        }
        size_ -= buckets_.front().size;
        buckets_.erase(buckets_.begin());
        Bucket rest = buckets_.front();
        for (std::size_t b = 1; b < buckets_.size(); ++b) {
            rest = join(rest, buckets_[b]);
        }
        sum_ = rest.sum;
        spread_ = rest.spread;
    }
    return change;
}

}  // namespace sluice::baselines
