// model_file.hpp -- a model with the names of its columns, as bytes. The same files that `sluice stream --checkpoint`
// and `sluice fit --model` write, and that `sluice predict`, `inspect` and `diff` take.
//
//     sluice::NamedModel plant = sluice::unpack_model(bytes);
//     plant.input_names();                        // "temperature", "temperature@-1", ...: one for each number of x
//     plant.model.predict(x);  plant.model.learn(x, y);
//     bytes = sluice::pack_model(plant);
//
// Bytes only: reading and writing files is the caller's. Replace a file by writing beside it and renaming.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/fit.hpp"
#include "sluice/saved_kind.hpp"

namespace sluice {

/// Which column of the data is what, by name. Inputs and targets are in the order in which the model knows them.
struct Roles {
    std::vector<std::string> inputs = {};
    std::vector<std::string> targets = {};  ///< the model's outputs
    std::vector<std::string> ignored = {};  ///< columns of the data that the model does not use
    std::string time = {};                  ///< column that goes to the records unchanged; empty: none

    friend bool operator==(const Roles&, const Roles&) = default;
};

/// How the rows of the data become rows of the model.
struct RowLayout {
    /// Each input as it was that many rows ago, side by side. Ascending; {0} is the present row alone.
    std::vector<std::size_t> lags = {0};
    /// The inputs of row t predict the outputs of row t + horizon.
    std::size_t horizon = 0;
    /// The known values of each target, side by side, after the inputs: 1 is the newest value that is known when the
    /// prediction is made, 2 is the one before. Ascending, from 1; empty: none.
    std::vector<std::size_t> target_lags = {};

    /// A prediction is made from the inputs of row t and from the targets that many rows before t: without a horizon row
    /// t's own outputs are what is predicted, and the newest known ones are those of row t - 1. With a horizon the
    /// outputs of row t have arrived, and are the newest known ones.
    [[nodiscard]] std::size_t rows_back(std::size_t target_lag) const noexcept {
        return horizon > 0 ? target_lag - 1 : target_lag;
    }
    /// How many numbers x has, for that many columns.
    [[nodiscard]] std::size_t width(std::size_t inputs, std::size_t targets) const noexcept {
        return (inputs * lags.size()) + (targets * target_lags.size());
    }

    friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

/// All lags of the first column, then of the second, and so on. Column u at lag 3 is "u@-3"; lag 0 keeps the column's
/// name.
[[nodiscard]] std::vector<std::string> lagged_names(const std::vector<std::string>& columns,
                                                    std::span<const std::size_t> lags);

/// The names of all numbers of the model's x: the lagged inputs, then the lagged targets.
[[nodiscard]] std::vector<std::string> stacked_names(const Roles& roles, const RowLayout& layout);

/// An on-line model with its names. Its rows are stacked by `layout`: the caller builds x in the order of input_names().
struct NamedModel {
    AdaptiveModel model;
    Roles roles = {};
    RowLayout layout = {};

    [[nodiscard]] std::vector<std::string> input_names() const { return stacked_names(roles, layout); }
};

/// What an off-line fit is known by later.
struct FittedModel {
    Fit fit = {};  ///< without its scores, which are as many as the rows and are not saved
    StreamOptions options = {};
    std::uint64_t rows = 0;  ///< fitted
};

struct NamedFit {
    FittedModel fitted;
    Roles roles = {};
    RowLayout layout = {};

    [[nodiscard]] std::vector<std::string> input_names() const { return stacked_names(roles, layout); }
};

/// Throw DataError where the names do not fit the model: as many targets as outputs, as many input_names() as inputs,
/// none twice.
///
/// A packed model has no position in an input: `sluice stream --resume` goes on from it with --from-here.
[[nodiscard]] std::vector<std::byte> pack_model(const NamedModel& named);
[[nodiscard]] std::vector<std::byte> pack_fit(const NamedFit& named);

/// Throw WrongKindError for bytes of another kind, StateError for damaged ones. A checkpoint of `sluice stream` also
/// holds the last rows (for lags and horizon), its counts and its position; unpack_model() leaves these out.
[[nodiscard]] NamedModel unpack_model(std::span<const std::byte> bytes);
[[nodiscard]] NamedFit unpack_fit(std::span<const std::byte> bytes);

}  // namespace sluice
