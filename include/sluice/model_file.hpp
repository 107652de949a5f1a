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

    friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

/// One name for each number of the model's x: all lags of the first input, then of the second, and so on. The input u
/// three rows ago is "u@-3"; lag 0 keeps the input's name.
[[nodiscard]] std::vector<std::string> lagged_names(const std::vector<std::string>& inputs,
                                                    std::span<const std::size_t> lags);

/// An on-line model with its names. Its rows are stacked by `layout`: the caller builds x in the order of input_names().
struct NamedModel {
    AdaptiveModel model;
    Roles roles = {};
    RowLayout layout = {};

    [[nodiscard]] std::vector<std::string> input_names() const { return lagged_names(roles.inputs, layout.lags); }
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

    [[nodiscard]] std::vector<std::string> input_names() const { return lagged_names(roles.inputs, layout.lags); }
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
