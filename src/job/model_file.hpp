// model_file.hpp -- what a model file holds: names, how rows become rows of the model, the model, what the run saw so
// far, and where it stood. A checkpoint is a model file; `fit` writes one with a fitted model instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learner.hpp"
#include "roles.hpp"
#include "row_reader.hpp"
#include "sluice/fit.hpp"
#include "tally.hpp"

namespace sluice::job {

/// Where a run stood when the file was written.
struct Standing {
    io::Position input;                ///< of the next row
    std::uint64_t rows_read = 0;       ///< good and bad ones
    std::vector<std::string> columns;  ///< of the input, in its order
    std::uint64_t out_length = 0;      ///< bytes of the records written
    std::uint64_t rejects_length = 0;
    std::uint64_t rejects = 0;

    friend bool operator==(const Standing&, const Standing&) = default;
};

/// What a fitted model predicts with; the rest of a Fit is told when it is made.
struct FittedModel {
    Method method = Method::sparse_bridge;
    StreamOptions options;
    std::uint64_t rows = 0;
    Fit fit = {};  ///< without scores
};

/// Exactly one of `learner` (with `tally` and `standing`) and `fitted` is there.
struct ModelFile {
    Roles roles;
    Shape shape;
    std::optional<Learner> learner;
    std::optional<Tally> tally;
    Standing standing;
    std::optional<FittedModel> fitted;

    /// Names of the model's inputs, lags included.
    [[nodiscard]] std::vector<std::string> input_names() const { return lagged_names(roles.inputs, shape.lags); }
};

[[nodiscard]] std::vector<std::byte> pack(const Roles& roles, const Learner& learner, const Tally& tally,
                                          const Standing& standing);
[[nodiscard]] std::vector<std::byte> pack(const Roles& roles, const Shape& shape, const FittedModel& fitted);

/// Throws StateError with the reason. Never needs more than a few times the bytes given.
[[nodiscard]] ModelFile unpack(std::span<const std::byte> bytes);

}  // namespace sluice::job
