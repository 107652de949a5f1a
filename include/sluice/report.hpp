// report.hpp -- what one row changed in the model. Log lines, dashboard events and Python dicts are views of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sluice/options.hpp"

namespace sluice {

enum class Outcome : std::uint8_t {
    learned,              ///< the row was learnt and every component found its direction
    outputs_missing,      ///< every output is missing: the row was predicted, not learnt
    nothing_varies,       ///< learnt, but no input or no output has varied yet: the means are predicted
    component_restarted,  ///< learnt, and a component without a direction started again from one input
    component_held,       ///< learnt, but the data does not support every component: those keep their last direction
    drift,    ///< learnt, and the relation changed suddenly in recent rows: see StepReport::alarm (AdaptiveModel only)
    suspect,  ///< a value lies far outside of what recent rows allow: see StepReport::suspect_inputs, suspect_outputs
};

/// What an AdaptiveModel logs.
enum class Setting : std::uint8_t {
    entered,      ///< an input predicts from now on
    left,         ///< an input no longer predicts
    fresh_start,  ///< a memory that started where the relation broke predicts from now on
};

/// A decision with its evidence. Errors are over the outputs' variance.
struct Decision {
    std::uint64_t row = 0;
    Setting setting = Setting::entered;
    std::size_t input = 0;       ///< entered, left: which one
    double from = 0.0;           ///< names in use before; fresh start: rows that the longest memory had learnt
    double to = 0.0;             ///< names in use after; fresh start: rows since the break
    double measured_from = 0.0;  ///< entered: error without the name; left: with it; fresh start: of the long memory
    double measured_to = 0.0;    ///< entered: error with the name; left: without it; fresh start: of the new memory
    friend bool operator==(const Decision&, const Decision&) = default;
};

/// What one selected input does.
struct Importance {
    std::size_t input = 0;
    double contribution = 0.0;  ///< standard deviation of its part of the prediction, in those of the output
    double gain = 0.0;          ///< by how much the error over variance would rise without it
    friend bool operator==(const Importance&, const Importance&) = default;
};

/// A sudden change of the relation. Spans as in StepReport.
struct Alarm {
    std::uint64_t since = 0;                    ///< first row after the change, as estimated
    bool error = false;                         ///< an error changed; else inputs lie where they have not been
    std::span<const std::size_t> entered = {};  ///< selected now and not before the change
    std::span<const std::size_t> left = {};     ///< selected before the change and not now
};

[[nodiscard]] std::string_view name_of(Outcome outcome) noexcept;
[[nodiscard]] std::string_view name_of(Engine engine) noexcept;
[[nodiscard]] std::string_view name_of(Setting setting) noexcept;

/// The spans stay valid until the model is next changed.
struct StepReport {
    std::uint64_t row = 0;  ///< rows met before this one, learnt or not
    Outcome outcome = Outcome::learned;
    double error_before = 0.0;          ///< |y - prediction| over the outputs present, before learning from this row
    double forgetting = 1.0;            ///< as used for this row; where memories are mixed, their weighted mean
    std::size_t missing_inputs = 0;     ///< counted as their current means
    std::size_t missing_outputs = 0;    ///< not learnt from
    std::size_t constant_inputs = 0;    ///< that have not varied within the memory: never selected
    std::size_t held_components = 0;    ///< that kept their last direction
    double explained_covariance = 0.0;  ///< share of the covariance of inputs and outputs along the components
    Engine engine = Engine::dense;      ///< how the second moments are stored
    std::size_t unscreened = 0;         ///< components for which the screen could not narrow the inputs down
    std::span<const double> predicted = {};      ///< of each output, before learning
    std::span<const std::size_t> selected = {};  ///< variables of all components together, ascending
    std::span<const std::size_t> entered = {};   ///< selected now and not before this row
    std::span<const std::size_t> left = {};      ///< selected before this row and not now

    // Of an AdaptiveModel that learns robustly (Tuning::robust), where outcome is Outcome::suspect.
    std::span<const std::size_t> suspect_inputs = {};   ///< that cannot be believed: counted as missing
    std::span<const std::size_t> suspect_outputs = {};  ///< whose errors are too large: the row is held back

    // Chosen by an AdaptiveModel; for a StreamModel, its options.
    std::size_t components = 0;     ///< that predict; 0 where the variables are found one by one
    std::size_t keep = 0;           ///< variables of the first component; 0 likewise
    double shrinkage = 0.0;         ///< of the refit; where it is mixed, its geometric mean
    double last_value_share = 0.0;  ///< of the forecast: the weight of readings that repeat the last value
    std::span<const Importance> importances = {};  ///< of the selected inputs, the most important first
    std::span<const Decision> decisions = {};      ///< made after this row
    Alarm alarm = {};                              ///< where outcome is Outcome::drift
};

}  // namespace sluice
