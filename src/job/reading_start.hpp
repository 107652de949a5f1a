// reading_start.hpp -- the sums of squared errors of a self-tuning model's readings before the first row that is scored.
// The errors of a reading since then are over the same rows as the model's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/adaptive.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class ReadingStart {
  public:
    struct Squares {
        double sum = 0.0;  ///< times 4^exponent
        int exponent = 0;
    };

    explicit ReadingStart(std::size_t outputs) : squares_(outputs) {}

    /// Replaces what was known of one output.
    void remember(std::size_t output, const AdaptiveModel& model);
    /// In the order of AdaptiveModel::readings(). Empty where nothing is tuned, or nothing is known.
    [[nodiscard]] std::span<const Squares> of(std::size_t output) const { return squares_[output]; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    std::vector<std::vector<Squares>> squares_;  // one list per output
};

}  // namespace sluice::job
