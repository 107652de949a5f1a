// trial.hpp -- one contestant on the stream: it predicts each row before it learns it; errors, selection, turnover and time
// are counted. One that fails is out, and the others go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "error_curve.hpp"
#include "horizon.hpp"
#include "selection_counter.hpp"
#include "tally.hpp"

namespace sluice::compare {

/// Rows as every contestant meets them: inputs at their lags, and outputs.
struct Block {
    std::size_t rows = 0;
    std::uint64_t first = 1;         ///< number of the first row, from 1
    std::vector<double> x;           ///< rows x inputs
    std::vector<double> y;           ///< rows x outputs
    std::vector<std::string> times;  ///< of the rows; empty texts where there are none
};

struct TrialSettings {
    std::uint64_t warmup = 0;
    double most_seconds = 0.0;  ///< processor time that a contestant may take; 0: no limit
    /// Names of the inputs, for pictures of what was selected; null: no pictures. Must live as long as the trial.
    const std::vector<std::string>* pictured = nullptr;
};

class Trial {
  public:
    Trial(const Entry& entry, const Task& task, const TrialSettings& settings);

    /// On one thread at a time.
    void run(const Block& block);

    [[nodiscard]] const Entry& entry() const noexcept { return entry_; }
    [[nodiscard]] const job::Tally& tally() const noexcept { return tally_; }
    [[nodiscard]] const ErrorCurve& curve() const noexcept { return curve_; }
    [[nodiscard]] const job::SelectionCounter* selection() const noexcept { return picture_ ? &*picture_ : nullptr; }
    /// Why it did not finish, and where; empty where it has not failed.
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
    [[nodiscard]] double mean_names() const;        ///< inputs in use, per row learnt
    [[nodiscard]] double seconds() const noexcept;  ///< of processor time, for predicting and learning
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  private:
    void run_row(const Block& block, std::size_t row);
    void note_selection(bool learnt);

    Entry entry_;
    TrialSettings settings_;
    std::size_t inputs_;
    std::size_t outputs_;
    std::unique_ptr<Contestant> contestant_;
    job::Horizon horizon_;
    job::Tally tally_;
    ErrorCurve curve_;
    std::optional<job::SelectionCounter> picture_;
    std::vector<std::size_t> selected_;
    std::vector<std::size_t> entered_;
    std::uint64_t names_ = 0;  // inputs in use, summed over the rows learnt
    std::int64_t nanoseconds_ = 0;
    std::size_t bytes_ = 0;
    std::string failure_;
};

}  // namespace sluice::compare
