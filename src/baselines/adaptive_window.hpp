// adaptive_window.hpp -- a window on numbers between 0 and 1 that grows while their mean stays and drops its old part when it
// changes: ADWIN of Bifet and Gavalda (2007), on a histogram whose buckets grow exponentially.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::baselines {

class AdaptiveWindow {
  public:
    enum class Change { none, rose, fell };

    /// delta: chance, by the bound, that a window without a change is cut. 0.002 is usual.
    explicit AdaptiveWindow(double delta);

    /// Adds a number. Where the mean has changed, the old part is dropped.
    [[nodiscard]] Change add(double value);
    /// After a change: how many numbers came after it, to the size of a bucket.
    [[nodiscard]] std::uint64_t since_change() const noexcept { return since_change_; }
    void clear() noexcept;
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] double mean() const noexcept { return size_ > 0 ? sum_ / static_cast<double>(size_) : 0.0; }

  private:
    struct Bucket {
        std::uint64_t size = 0;
        double sum = 0.0;
        double spread = 0.0;  // sum of squared deviations from the bucket's own mean
    };
    static Bucket join(const Bucket& a, const Bucket& b);
    void compress();
    struct Cut {
        double clarity = 0.0;  // above 1 the mean rose, below -1 it fell
        std::uint64_t after = 0;
    };
    [[nodiscard]] Cut clearest() const;
    [[nodiscard]] Change cut();

    double delta_;
    std::vector<Bucket> buckets_;  // oldest first
    std::uint64_t size_ = 0;
    double sum_ = 0.0;
    double spread_ = 0.0;
    std::uint64_t since_change_ = 0;
};

}  // namespace sluice::baselines
