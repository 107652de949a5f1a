// added_inputs.hpp -- the rules of StreamModel::add_inputs.
//
// A model with more inputs is constructed, and the state of the one with fewer is loaded into it: every load() reads what belongs to
// the inputs of the state (StateReader::stored_inputs), and leaves the rest as a new model has it.
#pragma once

#include <cstddef>

#include "sluice/options.hpp"

namespace sluice::core {

/// Throws OptionError where a model with these options cannot get more inputs.
void check_added_inputs(std::size_t inputs, std::size_t count, const StreamOptions& options);
/// Throws OptionError where the engine in use, which stays, needs more than memory_limit.
void check_engine_memory(Engine engine, std::size_t inputs, std::size_t outputs, const StreamOptions& options);

}  // namespace sluice::core
