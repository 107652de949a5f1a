// error_curve.hpp -- the error of one method over the rows of a stream, in at most kMost windows of equal length.
//
// The root mean squared errors r_1 of n_1 rows and r_2 of n_2 rows join as
//     r = hypot(r_1 sqrt(n_1 / n), r_2 sqrt(n_2 / n)),   n = n_1 + n_2
// so that no square of an error is formed, and errors of any size are ordinary numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bins.hpp"

namespace sluice::compare {

struct RootMeanSquare {
    std::uint64_t count = 0;
    double value = 0.0;  ///< 0 where nothing was counted

    void add(double error) { join({.count = 1, .value = error}); }
    void join(const RootMeanSquare& other);
};

inline constexpr std::size_t kMostWindows = 240;

class ErrorCurve {
  public:
    explicit ErrorCurve(std::size_t outputs) : outputs_(outputs), bins_(kMostWindows) {}

    /// Row `row`, from 1, without gaps. NaN in `predicted`, in `observed`, or `scored` is false: not counted.
    void add(std::uint64_t row, std::span<const double> predicted, std::span<const double> observed, bool scored);

    struct Window {
        std::vector<RootMeanSquare> outputs;
        void join(const Window& other);
    };
    [[nodiscard]] const std::vector<Window>& windows() const noexcept { return windows_; }

  private:
    std::size_t outputs_;
    report::Bins bins_;
    std::vector<Window> windows_;
};

/// Which rows the windows are: the same for every method.
class WindowRows {
  public:
    WindowRows() : bins_(kMostWindows) {}

    void add(std::uint64_t row, std::string_view time);

    struct Window {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        std::string time = {};  ///< of the last row
        void join(Window& other);
    };
    [[nodiscard]] const std::vector<Window>& windows() const noexcept { return windows_; }

  private:
    report::Bins bins_;
    std::vector<Window> windows_;
};

}  // namespace sluice::compare
