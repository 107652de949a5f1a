// strategies.hpp -- all strategies, made by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strategy.hpp"
#include "track_options.hpp"

namespace sluice::portfolio {

/// Ours: the model's short list, the exact choice among it, constrained least squares.
[[nodiscard]] StrategyPointer sluice_strategy(std::size_t stocks, std::size_t indices, const TrackOptions& options);

/// The paper's section 4.2 as printed, walked forward: R = 1, forgetting 0.99, nothing centred or scaled, W from the last
/// period alone, eq. (20). Weights are the model's coefficients, whatever their sign and sum.
[[nodiscard]] StrategyPointer paper_strategy(std::size_t stocks, std::size_t indices, const TrackOptions& options);

/// Sparse Bridge PLS (Algorithm 1) fitted once, on the periods of the warm-up; the weights stay.
[[nodiscard]] StrategyPointer static_strategy(std::size_t stocks, std::size_t indices, const TrackOptions& options);

enum class WindowKind { lars, lasso };
/// Names by LARS or lasso on the last `window` periods, weights by least squares; each index gets an equal part of the names.
[[nodiscard]] StrategyPointer window_strategy(WindowKind kind, std::size_t stocks, std::size_t indices,
                                              const TrackOptions& options);

/// Recursive least squares with forgetting on given stocks.
[[nodiscard]] StrategyPointer rls_strategy(std::vector<std::size_t> names, std::size_t stocks, std::size_t indices,
                                           double forgetting);

/// The same on the stocks with the highest correlation to the indices in the warm-up.
[[nodiscard]] StrategyPointer rls_on_closest_strategy(std::size_t stocks, std::size_t indices,
                                                      const TrackOptions& options);

/// The same share of every stock that trades.
[[nodiscard]] StrategyPointer equal_strategy(std::size_t stocks, std::size_t indices);

}  // namespace sluice::portfolio
