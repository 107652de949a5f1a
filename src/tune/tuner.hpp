// tuner.hpp -- the self-tuning model: memories, the path of variables, and the mixture of everything that they predict.
//
// A row: every memory predicts with every number of names (memory.hpp), the mixture weighs them (mixture.hpp), errors are
// scored, every memory learns, the path follows (path.hpp), the number of names is chosen (size_choice.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alarm.hpp"
#include "change_point.hpp"
#include "column_units.hpp"
#include "memory.hpp"
#include "mixture.hpp"
#include "output_scale.hpp"
#include "path.hpp"
#include "plan.hpp"
#include "replay_buffer.hpp"
#include "size_choice.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/report.hpp"
#include "stability.hpp"

namespace sluice::tune {

class Tuner {
  public:
    /// first_inputs: the number of inputs that the model was made with.
    Tuner(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options, std::size_t first_inputs);

    void predict(std::span<const double> x, std::span<double> y) const;
    /// The prediction of a row that will be learnt next; the same bits as predict().
    std::span<const double> foresee(std::span<const double> x) {
        predict_all(x);
        return predicted_;
    }
    /// What the reports of the next rows say was decided: since now.
    void start_report();
    /// foreseen: foresee() was called with this row, and nothing was learnt since.
    StepReport learn(std::span<const double> x, std::span<const double> y, bool in_range, bool foreseen);
    /// Whether the forecast rests on many rows, and not on the last few.
    [[nodiscard]] bool steady() const;
    /// What there is to say without a row.
    void describe(StepReport& report);

    [[nodiscard]] const Memory& lead() const { return memories_[lead_]; }
    [[nodiscard]] std::span<const std::size_t> selected() const { return selected_; }
    [[nodiscard]] std::span<const Importance> importances() const { return importances_; }
    [[nodiscard]] Matrix coefficients() const;
    [[nodiscard]] std::vector<double> intercept() const;
    [[nodiscard]] std::vector<double> drift() const;
    [[nodiscard]] std::vector<double> stability() const { return stability_.shares(); }
    [[nodiscard]] AdaptiveModel::Shares shares() const;
    [[nodiscard]] std::vector<AdaptiveModel::Reading> readings(std::size_t output) const;
    [[nodiscard]] std::span<const Decision> decisions() const;
    [[nodiscard]] std::uint64_t rows_met() const { return rows_met_; }
    [[nodiscard]] std::size_t bytes() const;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    static constexpr std::size_t kLogged = 100;     // decisions that are reported
    static constexpr std::size_t kRemembered = 64;  // rows whose selection an alarm can be compared with

    [[nodiscard]] std::size_t fresh() const {
        return plan_.forgetting.size();
    }  // place of the memory since the last break
    [[nodiscard]] bool reads(std::size_t memory) const { return memory != fresh() || on_trial_ || proven_; }
    [[nodiscard]] const Path& path_of(std::size_t memory) const { return paths_[plan_.own_paths ? memory : 0]; }
    [[nodiscard]] std::span<const double> base_of(std::size_t output) const;
    void predict_all(std::span<const double> x);
    void refresh_units(std::span<const double> y);
    void use_unit(std::size_t output, int exponent);
    void widen_range(std::size_t output, double y);
    void set_bounds(std::size_t output);
    void score(std::span<const double> y);
    void update_weights();
    void update_paths();
    void update_path(Path& path, std::size_t memory);
    void choose_names();
    void use_weights();
    void refresh_selection();
    void note_changes();

    // fresh_start.cpp
    [[nodiscard]] double row_error(std::size_t memory, std::span<const double> y) const;
    void try_fresh_start(std::span<const double> x, std::span<const double> y, double longest, double of_fresh);
    void start_trial(std::size_t rows);
    void set_spreads();
    void compare_in_trial(double longest, double of_fresh);
    void end_trial();

    void note_errors(std::span<const double> y);
    void raise_alarm(std::span<const double> x, StepReport& report);
    void log(const Decision& decision);
    void load_mixture(core::StateReader& in);

    std::size_t p_;
    std::size_t q_;
    StreamOptions options_;
    Plan plan_;
    std::uint64_t rows_met_ = 0;
    std::vector<Memory> memories_;  // the longest first; the one since the last break, or an empty one, last
    std::vector<unsigned char> mixes_;
    std::size_t lead_ = 0;
    std::vector<double> vote_;  // smoothed weights of the memories
    std::vector<Path> paths_;
    Mixture mixture_;
    SizeChoice size_choice_;
    std::size_t rung_ = 0;  // place of the number of names in use

    // The memory since the last break.
    bool on_trial_ = false;    // not proven yet
    bool proven_ = false;      // part of the mixture
    bool took_over_ = false;   // has had nearly all of the weight
    std::uint64_t age_ = 0;    // rows that it has learnt
    std::size_t won_now_ = 0;  // rows since the break, where it has just been proven
    double error_now_ = 0.0;   // of the longest memory since then, discounted
    double error_fresh_ = 0.0;
    std::uint64_t settled_ = 0;  // rows since the last suspicion
    ReplayBuffer recent_;
    ChangePoint change_point_;

    core::ColumnUnits units_;  // in which errors of each output are counted
    OutputScale scale_;
    struct Range {
        double low = 0.0;
        double high = 0.0;
        bool known = false;
    };
    std::vector<Range> range_;        // of each output so far, in its unit
    std::vector<OutputUnit> bounds_;  // of predictions
    Stability stability_;
    DriftAlarm alarm_;
    std::vector<double> forecast_errors_;
    std::vector<double> relation_errors_;
    std::vector<std::vector<std::size_t>> past_;  // what was selected in the last rows, a ring by row number

    // Of the row in hand.
    AlignedNumbers base_;  // outputs x cells
    std::vector<Mixture::Forecast> forecasts_;
    std::vector<double> losses_;  // by number of names
    std::vector<double> by_size_;
    std::vector<double> variances_;
    std::vector<Voter> voters_;
    std::vector<double> trial_prediction_;

    // What a report points to.
    std::vector<double> predicted_;
    std::vector<std::size_t> selected_;
    std::vector<std::size_t> before_;
    std::vector<std::size_t> entered_;
    std::vector<std::size_t> left_;
    std::vector<std::size_t> alarm_entered_;
    std::vector<std::size_t> alarm_left_;
    std::vector<Importance> importances_;
    std::size_t decided_now_ = 0;
    std::vector<Decision> log_;
};

}  // namespace sluice::tune
