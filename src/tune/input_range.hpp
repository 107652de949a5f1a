// input_range.hpp -- how far the inputs of a row are from where they usually are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::core {
class InputMoments;
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

/// Means of the inputs and of their absolute deviations. At most kWatched inputs are watched, evenly spaced, so that the cost of
/// a row is bounded.
class InputRange {
  public:
    static constexpr std::size_t kWatched = 1000;

    explicit InputRange(std::size_t inputs);

    /// The largest deviation from an input's mean, over its mean absolute deviation; 0 where none has varied yet. Then the row
    /// is added. A missing input says nothing, and one that appears says nothing in its first rows. moments: of all rows, with this
    /// one, from which it is known how long an input has been there; or null.
    double add(std::span<const double> x, const core::InputMoments* moments = nullptr);
    void clear() noexcept;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    std::size_t inputs_;
    std::size_t apart_;  // every apart_-th input is watched
    std::uint64_t rows_ = 0;
    std::vector<double> mean_;
    std::vector<double> spread_;
};

}  // namespace sluice::tune
