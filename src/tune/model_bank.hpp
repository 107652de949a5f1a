// model_bank.hpp -- the memories of an adaptive model, and what is decided among them after each row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alarm.hpp"
#include "change_point.hpp"
#include "column_units.hpp"
#include "component_shapes.hpp"
#include "memory_model.hpp"
#include "output_scale.hpp"
#include "replay_buffer.hpp"
#include "sluice/report.hpp"
#include "sluice/tuning.hpp"
#include "stability.hpp"

namespace sluice::tune {

class ModelBank {
  public:
    ModelBank(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options);

    void predict(std::span<const double> x, std::span<double> y) const;
    StepReport learn(std::span<const double> x, std::span<const double> y, bool in_range);

    [[nodiscard]] const MemoryModel& lead() const { return memories_[lead_]; }
    [[nodiscard]] std::vector<double> drift() const;
    [[nodiscard]] std::vector<double> stability() const { return stability_.shares(); }
    [[nodiscard]] std::vector<double> errors_by_components() const;
    [[nodiscard]] std::span<const Decision> decisions() const {
        return std::span(log_).last(std::min(log_.size(), kLogged));
    }
    [[nodiscard]] std::uint64_t rows_met() const { return rows_met_; }
    [[nodiscard]] std::size_t bytes() const;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    static constexpr std::size_t kLogged = 100;     // decisions that are reported
    static constexpr std::size_t kRemembered = 64;  // rows whose selection an alarm can be compared with

    void refresh_units(std::span<const double> y);
    void use_unit(std::size_t output, int exponent);
    [[nodiscard]] double row_error(const MemoryModel& memory, std::span<const double> y) const;
    [[nodiscard]] MemoryModel new_memory(std::size_t place) const;
    void decide(std::span<const double> x, std::span<const double> y, double longest, double fresh);
    void try_fresh_start(std::span<const double> x, std::span<const double> y, double longest, double fresh);
    void start_trial(std::size_t rows);
    void compare_in_trial(double longest, double fresh);
    void win_trial();
    void choose_lead();
    void take_lead(std::size_t place, double own, double least);
    void raise_alarm(std::span<const double> x, StepReport& report);
    [[nodiscard]] bool dwell_elapsed(Setting setting, std::size_t times) const;
    void log(Setting setting, const MemoryModel::Change& change);

    std::size_t p_;
    std::size_t q_;
    StreamOptions options_;
    Tuning tuning_;
    std::vector<double> lengths_;
    Ladder ladder_;
    std::size_t rung_;
    std::uint64_t rows_met_ = 0;
    std::vector<MemoryModel> memories_;  // the longest memory first; a challenger, where there is one, last
    std::size_t lead_ = 0;

    // A challenger: a memory that started where the errors of the longest one jumped, and is tried against it.
    bool on_trial_ = false;
    std::size_t age_ = 0;        // rows that it has learnt from
    std::size_t won_now_ = 0;    // rows since the break, where it has just won
    double error_now_ = 0.0;     // of the longest memory since then, discounted
    double error_fresh_ = 0.0;   // of the challenger
    std::uint64_t settled_ = 0;  // rows since the longest memory was last questioned
    ReplayBuffer recent_;
    ChangePoint change_point_;

    core::ColumnUnits units_;  // in which errors of each output are counted
    OutputScale scale_;
    std::array<std::uint64_t, 5> changed_{};  // row of the last decision on each setting
    Stability stability_;
    DriftAlarm alarm_;
    std::vector<double> forecast_errors_;
    std::vector<double> relation_errors_;
    std::vector<std::vector<std::size_t>> past_;  // what was selected in the last rows, a ring by row number

    // What a report points to.
    std::vector<double> predicted_;
    std::vector<std::size_t> selected_;
    std::vector<std::size_t> before_;
    std::vector<std::size_t> entered_;
    std::vector<std::size_t> left_;
    std::vector<std::size_t> alarm_entered_;
    std::vector<std::size_t> alarm_left_;
    std::size_t decided_now_ = 0;
    std::vector<Decision> log_;
};

}  // namespace sluice::tune
