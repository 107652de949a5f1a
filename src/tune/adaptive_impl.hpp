// adaptive_impl.hpp -- what an AdaptiveModel consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "first_rows.hpp"
#include "guard.hpp"
#include "sluice/adaptive.hpp"
#include "state.hpp"
#include "tuner.hpp"

namespace sluice {

/// One of the two: a model as it is, or one that tunes itself; with or without a guard before it.
struct AdaptiveModel::Impl {
    AdaptiveOptions options;
    std::size_t p = 0;
    std::size_t q = 0;
    std::size_t first_inputs = 0;  // that the model was made with; others were added
    std::optional<StreamModel> plain = std::nullopt;
    std::optional<tune::Tuner> tuner = std::nullopt;
    std::optional<tune::Guard> guard = std::nullopt;
    std::optional<tune::FirstRows> first_rows = std::nullopt;  // with a guard

    // What a report of a guarded model points to.
    std::vector<double> predicted = {};
    std::vector<std::size_t> before = {};
    std::vector<std::size_t> entered = {};
    std::vector<std::size_t> left = {};

    Impl(std::size_t inputs, std::size_t outputs, AdaptiveOptions chosen, std::size_t made_with);
    explicit Impl(StreamModel model);

    [[nodiscard]] const StreamModel& current() const { return tuner ? tuner->lead().model() : *plain; }
    [[nodiscard]] std::span<const std::size_t> selected() const {
        return tuner ? tuner->selected() : plain->selected();
    }
    [[nodiscard]] std::uint64_t rows_met() const {
        return (tuner ? tuner->rows_met() : plain->rows_met()) + (guard ? guard->held().size() : 0);
    }
    void predict(std::span<const double> x, std::span<double> y) const;
    StepReport learn(std::span<const double> x, std::span<const double> y, bool foreseen);
    StepReport learn_guarded(std::span<const double> x, std::span<const double> y);
    /// Starts again and learns the first rows, of which a value is missing now.
    void learn_first_rows_again();
    void describe(StepReport& report);
    /// What was learnt, without sizes and options.
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);
    /// Whether a forecast rests on many rows, so that a row may wait.
    [[nodiscard]] bool steady() const {
        return tuner ? tuner->steady() : options.model.forgetting >= tune::kSteadyForgetting;
    }
};

}  // namespace sluice
