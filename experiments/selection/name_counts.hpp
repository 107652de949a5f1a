// name_counts.hpp -- names selected, beside those that drive the output.
//
// Counts of many rows and runs are added before they are divided (micro-average): a row with many names weighs more.
#pragma once

#include <cstddef>
#include <span>

namespace sluice::experiments {

struct NameCounts {
    std::size_t right = 0;   ///< selected, and drives the output
    std::size_t wrong = 0;   ///< selected, and does not
    std::size_t missed = 0;  ///< drives the output, and is not selected

    void add(const NameCounts& other);

    [[nodiscard]] std::size_t selected() const { return right + wrong; }
    /// Share of the selected that are right. Where nothing is selected, 1 if nothing was missed, else 0.
    [[nodiscard]] double precision() const;
    /// Share of those that drive the output that are selected. Where nothing drives it: 1.
    [[nodiscard]] double recall() const;
    /// Harmonic mean of both: 2 right / (2 right + wrong + missed). Where all three are 0: 1.
    [[nodiscard]] double f1() const;

    friend bool operator==(const NameCounts&, const NameCounts&) = default;
};

/// `selected` in any order, `drivers` ascending; both without duplicates.
[[nodiscard]] NameCounts count_names(std::span<const std::size_t> selected, std::span<const std::size_t> drivers);

}  // namespace sluice::experiments
