// plan.hpp -- what a self-tuning model mixes, from its options.
#pragma once

#include <cstddef>
#include <vector>

#include "memory.hpp"
#include "sluice/tuning.hpp"

namespace sluice::tune {

struct Plan {
    Tuning tuning;  // without what the options do not allow
    std::vector<double>
        forgetting;  // of the memories; the one since the last break, where there is one, is not among them
    ReadingPlan readings;
    bool own_paths = false;  // each memory has its own path: Names::all

    Plan(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options)
        : Plan(inputs, outputs, options, inputs) {}
    /// first_inputs: the number of inputs that the model was made with. The memories are chosen by it: one that begins later
    /// would know nothing.
    Plan(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options, std::size_t first_inputs);
    /// readings.sizes of the same model with this number of inputs.
    [[nodiscard]] std::vector<std::size_t> sizes_for(std::size_t inputs, const StreamOptions& model) const;
    /// Of the StreamModel of a memory.
    [[nodiscard]] StreamOptions options_of(std::size_t memory, const StreamOptions& given) const;
    [[nodiscard]] bool fresh_starts() const { return tuning.forgetting; }
};

}  // namespace sluice::tune
