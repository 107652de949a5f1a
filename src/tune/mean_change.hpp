// mean_change.hpp -- is the mean of a series in its last rows another than before?
//
// For windows of s = 4, 8, .. rows, the mean of the last s rows is compared with the means of earlier windows of the same length:
//
//     t^2 = d^2 / V_s,   d = mean of the last s rows - mean of the earlier rows
//
//   V_s   variance of the earlier windows' means: how rows depend on each other is in it. Where there are fewer than kLeast
//         earlier windows, V_2s = (k / 2) V_s, with the k of the last two lengths that are known: 1 for independent rows, 2 where a
//         longer window is no better than a shorter one. Where the rows of the window vary more than the earlier ones, V_s is
//         multiplied by how much more: a few wrong values are no change.
//   T     rows that are worth one independent row: the largest s V_s / V_1
//   N     independent windows that V_s is known from. With it, z^2 = N log(1 + t^2 / N): Student's t with N degrees of freedom
//         as a normal number (Wallace 1959)
//
// The evidence is z^2 / 2 + log max(s, T). It is above log(n) by chance about once in n rows, which have n / max(s, T) independent
// windows.
//
// Constants. Each was halved and doubled. Alarms in 5 x 10^5 rows of errors and inputs that are normal, Student's t(3), AR(0.9) and
// AR(0.7) with t(3); rows until the Tennessee Eastman faults 1, 8, 10, 13 are found (DriftAlarm, outputs G and H):
//
//     as they are             0 0 1 5    9 27 101 51
//     kRecent 32              0 0 0 3    9 26 103 51
//     kRecent 128             0 0 0 4   10 31 102 51
//     kLeast 16               0 0 0 5   10 29 103 51   and a false alarm with five outputs
//     kLeast 64               0 0 0 5    9 24 100 51   and 32 rows more until the first alarm is possible
//     kMemory 500             0 0 0 1    9 31 none 53
//     kMemory 2000            0 0 2 8    9 27 101 51
//     shortest window 2       0 15 1 33  7 27 101 50
//     shortest window 8       0 0 1 1   13 28 103 54
//     10^6 rows per alarm     0 0 5 13   9 25 100 50
//     10^8 rows per alarm     0 0 0 0   10 29 103 51
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

class MeanChange {
  public:
    enum class Series {
        scores,  ///< of mean 0 and variance 1 by construction
        values,  ///< of unknown mean and variance
    };
    /// Rows before the last kRecent are the earlier ones; as long as there are few rows, those before the last quarter.
    static constexpr std::size_t kRecent = 64;
    /// Windows of one length from which their variance is known.
    static constexpr std::size_t kLeast = 32;
    /// Earlier rows count less by 1 in this number for each row.
    static constexpr std::size_t kMemory = 1000;

    MeanChange(Series series, bool rise_only) : series_(series), rise_only_(rise_only) {}

    void add(double value);

    struct Finding {
        double evidence = -1e9;  ///< of the clearest window; as it is here where too few rows are known
        double excess = 0.0;     ///< of that window's mean
    };
    [[nodiscard]] Finding test() const;
    /// False where test() finds no evidence above this, as can be told from the sums of the last rows alone. True says nothing.
    [[nodiscard]] bool may_exceed(double evidence) const;
    /// Rows since the change that was found.
    [[nodiscard]] std::size_t since(const Finding& found) const;
    void clear() noexcept;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    static constexpr std::size_t kLengths = 7;  // 1 to kRecent
    static_assert(std::size_t{1} << (kLengths - 1) == kRecent);
    // Means of earlier windows of one length.
    struct Earlier {
        double count = 0.0;  // at most the memory's
        double mean = 0.0;
        double square = 0.0;  // mean square about `mean`, or about 0 for scores
        double sum = 0.0;     // of the window that is not complete yet
    };
    struct Spread {
        std::array<double, kLengths> variance{};  // V_s
        std::array<double, kLengths> windows{};   // N
        double worth = 1.0;                       // T
    };
    [[nodiscard]] bool scores() const { return series_ == Series::scores; }
    [[nodiscard]] double center() const { return scores() ? 0.0 : earlier_[0].mean; }
    [[nodiscard]] double back(std::size_t rows) const { return ring_[(rows_ - 1 - rows) % kRing]; }
    [[nodiscard]] std::uint64_t recent() const;
    [[nodiscard]] double variance_of(std::size_t length) const;
    [[nodiscard]] Spread spread() const;
    void settle(double value);

    static constexpr std::size_t kRing = 2 * kRecent;  // kRecent + 1 are needed; a power of two is faster
    Series series_;
    bool rise_only_;
    std::uint64_t rows_ = 0;
    std::uint64_t settled_ = 0;  // rows that are earlier ones
    std::array<double, kRing> ring_{};
    std::array<Earlier, kLengths> earlier_{};
};

}  // namespace sluice::tune
