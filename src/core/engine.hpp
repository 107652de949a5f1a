// engine.hpp -- which engine stores C: what each costs, what each needs, and how to make it.
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

/// The least bytes of a whole model with that engine, once its history is full.
[[nodiscard]] std::size_t engine_bytes(Engine engine, std::size_t inputs, std::size_t outputs,
                                       const StreamOptions& options);
/// The part of these bytes that is scratch space and components; the same for every engine.
[[nodiscard]] std::size_t step_bytes(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

/// The engine that the options ask for, or the cheapest that suits them and fits the memory; `automatic` where there is
/// none.
[[nodiscard]] Engine plan_engine(std::size_t inputs, std::size_t outputs, const StreamOptions& options);
/// With `deflation = refit`, the same where each row asks for products with C at all inputs, in double precision.
[[nodiscard]] Engine plan_engine_with_products(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

/// Empty where there is an engine. Otherwise the message for the user: what each engine needs, and what to change.
[[nodiscard]] std::string engine_problem(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

[[nodiscard]] std::unique_ptr<Gram> make_gram(Engine engine, std::size_t inputs, std::size_t outputs,
                                              const StreamOptions& options);
/// The same moments in another engine; `from` must have a history.
[[nodiscard]] std::unique_ptr<Gram> convert_gram(const Gram& from, Engine engine, std::size_t inputs,
                                                 std::size_t outputs, const StreamOptions& options, Workers& workers);

}  // namespace sluice::core
