// tally.hpp -- the counts of a whole run: one-step errors, also those of the mean and of the last value, turnover, and how
// long and when each variable was selected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "learner.hpp"
#include "reading_start.hpp"
#include "sluice/score.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class Tally {
  public:
    /// The first `warmup` rows are learnt but not scored. `horizon` is the learner's.
    Tally(std::size_t inputs, std::size_t outputs, std::size_t horizon, std::uint64_t warmup);

    /// Before the model learns a row with these outputs.
    void before_row(const AdaptiveModel& model, std::span<const double> observed);
    void add(const Learner::Step& step, std::span<const double> observed);
    /// Where labels come late: the next row, and later the label of row `row` (from 0), with what was predicted when that
    /// row came.
    void add_row();
    void add_label(std::uint64_t row, std::span<const double> predicted, std::span<const Comparison::Forecast> then,
                   std::span<const double> observed, const StepReport& report);
    void add_skipped() { ++skipped_; }

    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }  ///< bad rows
    [[nodiscard]] std::uint64_t learned() const noexcept { return learned_; }
    [[nodiscard]] std::uint64_t warmup() const noexcept { return warmup_; }
    [[nodiscard]] const std::vector<Score>& scores() const noexcept { return scores_; }
    /// The same without the labels that were suspect. As many rows as above where none was.
    [[nodiscard]] const std::vector<Score>& believed_scores() const noexcept { return believed_; }
    [[nodiscard]] const Comparison& comparison() const noexcept { return comparison_; }
    /// The first row of the comparison, from 1. It is later where a checkpoint was written before there was a comparison.
    [[nodiscard]] std::uint64_t compared_since() const noexcept { return rows_ - comparison_.rows() + 1; }
    /// What the model's readings had summed up before the first row that was scored. Nothing with a horizon.
    [[nodiscard]] const ReadingStart& reading_start() const noexcept { return reading_start_; }
    /// Variables that entered, per row learnt.
    [[nodiscard]] double mean_turnover() const;

    /// How long one variable was selected.
    struct Stay {
        std::size_t input = 0;
        double share = 0.0;             ///< of the rows learnt
        std::vector<double> when = {};  ///< the same within each part of the run, from its start to its end
    };
    /// Every variable that was ever selected, longest first.
    [[nodiscard]] std::vector<Stay> stays() const;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    // The run is divided into at most kParts parts of equal length. When all are full, neighbours are joined and each part
    // becomes twice as long: the length of a stream is not known beforehand.
    static constexpr std::size_t kParts = 32;
    using Parts = std::array<std::uint64_t, kParts>;

    [[nodiscard]] Parts& parts_of(std::size_t input);
    void join_neighbouring_parts();
    void add_scores(std::span<const double> predicted, std::span<const double> observed,
                    std::span<const std::size_t> suspects);
    void add_learned(const StepReport& report);

    std::vector<Score> scores_;
    std::vector<Score> believed_;
    Comparison comparison_;
    ReadingStart reading_start_;
    bool has_horizon_;
    std::uint64_t warmup_;
    std::uint64_t rows_ = 0;
    std::uint64_t skipped_ = 0;
    std::uint64_t learned_ = 0;
    std::uint64_t entered_ = 0;
    std::uint64_t rows_per_part_ = 1;
    std::vector<std::uint32_t> place_;  // of each input in the two vectors below, from 1; 0: never selected
    std::vector<std::size_t> inputs_;
    std::vector<Parts> selected_;
};

}  // namespace sluice::job
