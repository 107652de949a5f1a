// engine.hpp -- which engine keeps C: what each costs, what each needs, and how to make it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gram.hpp"
#include "sluice/options.hpp"
#include "workers.hpp"

namespace sluice::core {

/// Whether an engine (not `automatic`) can serve these options at all.
[[nodiscard]] bool engine_suits(Engine engine, std::size_t inputs, const StreamOptions& options);

/// Bytes of a whole model with that engine, at least, once its history is full.
[[nodiscard]] std::size_t engine_bytes(Engine engine, std::size_t inputs, std::size_t outputs,
                                       const StreamOptions& options);
/// Of which so much is scratch space and components, whatever the engine.
[[nodiscard]] std::size_t step_bytes(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

/// The engine asked for, or the cheapest that suits and fits the memory; `automatic` where there is none.
[[nodiscard]] Engine plan_engine(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

/// The sentence for the user where there is none: what each would need and what to change. Empty: there is one.
[[nodiscard]] std::string engine_problem(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

[[nodiscard]] std::unique_ptr<Gram> make_gram(Engine engine, std::size_t inputs, std::size_t outputs,
                                              const StreamOptions& options);
/// The same moments kept by another engine; `from` has a history.
[[nodiscard]] std::unique_ptr<Gram> convert_gram(const Gram& from, Engine engine, std::size_t inputs,
                                                 std::size_t outputs, const StreamOptions& options, Workers& workers);

}  // namespace sluice::core
