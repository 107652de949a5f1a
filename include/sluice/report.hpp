// report.hpp -- what one row did to the model. Log lines, dashboard events and Python dicts are views of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sluice/options.hpp"

namespace sluice {

enum class Outcome : std::uint8_t {
    learned,              ///< the row was learnt and every component found its direction
    outputs_missing,      ///< no output was there: the row was predicted, not learnt
    nothing_varies,       ///< learnt, but no input or no output has varied yet: the means are predicted
    component_restarted,  ///< learnt, and a component without a direction started anew from the most telling input
    component_held,       ///< learnt, but the data does not support every component: those keep their last direction
};

[[nodiscard]] std::string_view name_of(Outcome outcome) noexcept;
[[nodiscard]] std::string_view name_of(Engine engine) noexcept;

/// The spans stay valid until the model is next changed.
struct StepReport {
    std::uint64_t row = 0;  ///< rows met before this one, learnt or not
    Outcome outcome = Outcome::learned;
    double error_before = 0.0;        ///< |y - prediction| over the outputs present, before learning from this row
    double forgetting = 1.0;          ///< as used for this row
    std::size_t missing_inputs = 0;   ///< counted as their current means
    std::size_t missing_outputs = 0;  ///< not learnt from
    std::size_t constant_inputs = 0;  ///< that have not varied within memory: never selected
    std::size_t held_components = 0;  ///< that kept their last direction
    Engine engine = Engine::dense;    ///< that keeps the second moments
    std::size_t unscreened = 0;       ///< components for which the screen could not tell few inputs from the rest
    std::span<const double> predicted = {};      ///< of each output, before learning
    std::span<const std::size_t> selected = {};  ///< variables of all components together, ascending
    std::span<const std::size_t> entered = {};   ///< selected now and not before this row
    std::span<const std::size_t> left = {};      ///< selected before this row and not now
};

}  // namespace sluice
