// model.hpp -- the on-line model: incremental sparse Bridge PLS (the paper's Algorithm 2).
//
//     sluice::StreamModel model(60, 1, {.components = 2, .keep = {20}, .forgetting = 0.98});
//     for each row:  model.predict(x);  model.learn(x, y);  model.selected();
//
// A missing number is NaN. Infinities are refused with the name of their column. Units do not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"
#include "sluice/options.hpp"
#include "sluice/report.hpp"

namespace sluice {

namespace core {
struct ModelAccess;
}

class StreamModel {
  public:
    /// Throws OptionError, with every broken rule, where the options do not suit p inputs and q outputs.
    StreamModel(std::size_t inputs, std::size_t outputs, StreamOptions options = {});
    ~StreamModel();
    StreamModel(const StreamModel& other);
    StreamModel& operator=(const StreamModel& other);
    /// A model that was moved from may only be destroyed or assigned to; any other call is an assertion.
    StreamModel(StreamModel&& other) noexcept;
    StreamModel& operator=(StreamModel&& other) noexcept;

    /// The outputs expected with these inputs. The model stays as it is. Before any row was learnt: zeros.
    [[nodiscard]] std::vector<double> predict(std::span<const double> x) const;
    void predict(std::span<const double> x, std::span<double> y) const;

    /// Predicts the row, then learns from it.
    StepReport learn(std::span<const double> x, std::span<const double> y);

    /// The same as learn() row by row; returns the report of the last row.
    StepReport learn_many(const Rows& x, const Rows& y);

    [[nodiscard]] std::size_t inputs() const noexcept;
    [[nodiscard]] std::size_t outputs() const noexcept;
    [[nodiscard]] std::size_t components() const noexcept;
    [[nodiscard]] const StreamOptions& options() const noexcept;

    [[nodiscard]] std::uint64_t rows_met() const noexcept;      ///< all rows given to learn()
    [[nodiscard]] std::uint64_t rows_learned() const noexcept;  ///< those with at least one output
    [[nodiscard]] double weight() const noexcept;               ///< of all rows learnt: the sum of lambda^age

    [[nodiscard]] Engine engine() const noexcept;      ///< the engine in use: how second moments are stored
    [[nodiscard]] std::size_t bytes() const noexcept;  ///< memory in use, as far as it grows with the inputs
    /// Continues with another engine. Throws StateError where the stored data does not allow it: `dense` has no history
    /// from which the other engines could start. `options().engine` does not change.
    void use_engine(Engine wanted);

    /// u_r: weights of component r, unit length, in the working (centred, scaled) inputs. p numbers.
    [[nodiscard]] std::span<const double> weights(std::size_t component) const;
    /// Variables that component r keeps, ascending.
    [[nodiscard]] std::span<const std::size_t> selected(std::size_t component) const;
    /// Variables of all components together, ascending: those that predict.
    [[nodiscard]] std::span<const std::size_t> selected() const;
    /// W, components x outputs, eq. (10), or (20) with `loadings = instant`: how much each output changes with each
    /// score. Units: standard deviations where the model scales, the caller's units where it does not.
    [[nodiscard]] Matrix loadings() const;
    /// beta, inputs x outputs, in the caller's units: predicted y = intercept + x beta (before clipping).
    [[nodiscard]] Matrix coefficients() const;
    [[nodiscard]] std::vector<double> intercept() const;

    [[nodiscard]] std::vector<double> input_means() const;
    [[nodiscard]] std::vector<double> output_means() const;
    [[nodiscard]] std::vector<double> input_deviations() const;  ///< weighted standard deviations
    [[nodiscard]] std::vector<double> output_deviations() const;
    /// C and M of eq. (15) in the caller's units, centred where the model is. C is p x p: for small p.
    [[nodiscard]] Matrix input_moments() const;
    [[nodiscard]] Matrix cross_moments() const;

    /// The whole state as bytes. The model that load() returns continues bit for bit as this one would.
    [[nodiscard]] std::vector<std::byte> save() const;
    /// Throws StateError where the bytes are damaged, cut short, or were not written by save().
    [[nodiscard]] static StreamModel load(std::span<const std::byte> bytes);

    /// Appends inputs after the existing ones. From now on this is a model in which they were missing (NaN) in every row so
    /// far: everything learnt stays, and they can be selected as their values arrive. Defaults that depend on the number of
    /// inputs (components, keep) follow the new number; the engine stays, once a row was met. Spans and references into the model become
    /// invalid. The cost is that of save() and load(). Throws OptionError, and changes nothing, where the options do not
    /// suit that number of inputs: groups name a group for each input, and memory_limit bounds the engine in use.
    void add_inputs(std::size_t count);

    /// Adds what `later` learnt from the rows that followed directly on this model's rows. The moments become those of
    /// one model that saw all rows; directions continue from `later`. Both models need the same shape and options.
    void merge(const StreamModel& later);

  private:
    class Impl;
    friend struct core::ModelAccess;
    explicit StreamModel(std::unique_ptr<Impl> impl);
    [[nodiscard]] Impl& impl() noexcept;
    [[nodiscard]] const Impl& impl() const noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
