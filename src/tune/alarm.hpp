// alarm.hpp -- reports when the stream is another than before.
//
//   kind       series                                                        a change is
//   forecast   rank of the size of the forecast's error, as a normal score   a rise
//   relation   the same of the relation's error                              a rise
//   bias       the same with the error's sign                                a rise or a fall
//   inputs     root of the largest deviation among the inputs                a rise
//
// The forecast is what the model predicts. The relation is the regression with the longest memory on the selected inputs, without a
// drifting intercept: a drifting intercept follows many changes within a few rows, so that the forecast's errors do not show them.
// Inputs far from where they have been are a change too, and the only one where the outputs are too noisy to show it. Each series is
// tested by mean_change.hpp. experiments/alarms/README.md has what was measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "input_range.hpp"
#include "mean_change.hpp"
#include "size_ranks.hpp"

namespace sluice::tune {

class DriftAlarm {
  public:
    enum class Kind : std::uint8_t { forecast, relation, bias, inputs };
    struct Break {
        Kind kind = Kind::forecast;
        std::size_t output = 0;  ///< whose error it is
        std::uint64_t rows = 0;  ///< since when: 1 is the row just added
    };

    DriftAlarm(std::size_t inputs, std::size_t outputs);

    /// A row that is learnt: its inputs, and one-step errors (observed less predicted) for each output, in the caller's units.
    /// NaN where an input or output is missing. After an alarm, everything begins again. moments: as in InputRange::add.
    [[nodiscard]] std::optional<Break> add(std::span<const double> x, std::span<const double> forecast_errors,
                                           std::span<const double> relation_errors,
                                           const core::InputMoments* moments = nullptr);

    /// After add() of the row in which the longest memory has started again: its errors are other ones from now on. That it did
    /// is evidence too, so that an alarm needs less of its own. rows: since when, as far as the caller knows.
    [[nodiscard]] std::optional<Break> fresh_start(std::uint64_t rows);

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    // Errors of one output, of one kind.
    struct Errors {
        Errors();
        /// What has the same rank as the size among earlier sizes: of normal numbers, or of sizes of normal errors (with the
        /// error's sign).
        struct Scores {
            double size = 0.0;
            double error = 0.0;
        };
        [[nodiscard]] std::optional<Scores> add(double error);
        void clear() noexcept;
        void save(core::StateWriter& out) const;
        void load(core::StateReader& in);

        SizeRanks ranks;
        std::array<double, MeanChange::kRecent> waiting{};  // sizes that are not earlier ones yet, a ring
        std::uint64_t met = 0;                              // after those that say nothing
        std::uint64_t ranked = 0;
        std::uint64_t settling = 0;
    };
    struct Output {
        void clear_relation() noexcept;

        Errors forecast;
        Errors relation;
        MeanChange forecast_size{MeanChange::Series::scores, true};
        MeanChange relation_size{MeanChange::Series::scores, true};
        MeanChange relation_error{MeanChange::Series::scores, false};
    };
    [[nodiscard]] std::optional<Break> clearest(double rows_per_alarm) const;
    void clear() noexcept;

    std::uint64_t rows_ = 0;  // since everything began, up to those that say nothing
    std::vector<Output> outputs_;
    InputRange range_;
    MeanChange inputs_{MeanChange::Series::values, true};
};

}  // namespace sluice::tune
