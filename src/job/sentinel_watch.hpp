// sentinel_watch.hpp -- numbers that stand for a missing value, such as -999: looks for them in the first rows of a run, so
// that the user can be asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "message.hpp"

namespace sluice::job {

class SentinelWatch {
  public:
    static constexpr std::size_t kRows = 1000;  ///< how many rows are looked at

    explicit SentinelWatch(std::vector<std::string> columns);

    /// True where this row is the last that is looked at.
    bool add(std::span<const double> row);

    /// A number that programs write for "missing" (-999, 9999, -32768, ...), that occurs at least kLeast times in a column
    /// and is further from its other values than these are from each other.
    struct Found {
        std::string value;     ///< empty: none
        std::string sentence;  ///< "-999 occurs 29 times in column a, far from its other values"
    };
    [[nodiscard]] Found found() const;
    /// The same as a warning with its remedy; none where nothing was found.
    [[nodiscard]] std::optional<Message> warning() const;

  private:
    static constexpr std::uint64_t kLeast = 3;

    struct Column {
        double sentinel = 0.0;
        std::uint64_t count = 0;  ///< of it
        double least = std::numeric_limits<double>::infinity();
        double largest = -std::numeric_limits<double>::infinity();
    };
    [[nodiscard]] static bool is_far(const Column& column);

    std::vector<std::string> names_;
    std::vector<Column> columns_;
    std::size_t rows_ = 0;
};

}  // namespace sluice::job
