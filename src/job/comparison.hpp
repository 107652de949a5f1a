// comparison.hpp -- the model's one-step error beside that of two forecasts that need no model, over the same rows: the
// mean of all values observed so far, and the last value observed.
//
// Both use what the model knows when it predicts. Without a horizon that is everything before the row; with horizon H,
// the prediction of row t is made at row t - H, after its outputs arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sluice/score.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class Comparison {
  public:
    Comparison(std::size_t outputs, std::size_t horizon);

    /// The next row. NaN in `predicted`: the model knows nothing of that output yet. Where `scored` is false the row is
    /// only learnt.
    void add(std::span<const double> predicted, std::span<const double> observed, bool scored);

    /// The two forecasts for one output. NaN before its first value.
    struct Forecast {
        double mean = std::numeric_limits<double>::quiet_NaN();
        double last_value = std::numeric_limits<double>::quiet_NaN();
    };

    /// Where labels come late: the next row, of which nothing is observed yet, and later the label of some row, with what
    /// was predicted and known when that row came.
    void add_row() { ++rows_; }
    void add_label(std::span<const double> predicted, std::span<const Forecast> then, std::span<const double> observed,
                   bool scored);
    /// Of each output, from all values so far.
    [[nodiscard]] std::span<const Forecast> known() const noexcept { return known_; }

    /// Of one output, over the rows for which all three had a prediction.
    struct Scores {
        Score model;
        Score mean;
        Score last_value;
    };
    [[nodiscard]] const std::vector<Scores>& scores() const noexcept { return scores_; }
    /// Rows met, scored or not. Fewer than those of the run where its checkpoint was written before there was a comparison.
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

    /// Values of each output that were met.
    [[nodiscard]] const std::vector<std::uint64_t>& observed() const noexcept { return observed_; }

    void save(core::StateWriter& out) const;
    /// Throws StateError where it has met more than `most` rows.
    void load(core::StateReader& in, std::uint64_t most);

  private:
    void score(std::size_t output, double predicted, const Forecast& then, double observed);
    void learn(std::size_t output, double observed);

    std::uint64_t rows_ = 0;
    std::vector<Scores> scores_;
    std::vector<std::uint64_t> observed_;  // values of each output
    std::vector<Forecast> known_;          // of each output, from all rows so far
    std::vector<Forecast> pending_;        // those of the last rows, a ring by row number: rows ahead x outputs
};

}  // namespace sluice::job
