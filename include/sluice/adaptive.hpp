// adaptive.hpp -- the on-line model that needs no tuning: it chooses its settings while the stream runs.
//
//     sluice::AdaptiveModel model(60, 1);
//     for each row:  model.predict(x);  model.learn(x, y);  model.current().selected();
//
// Decisions are based on one-step-ahead errors. Each is reported with its reason and is part of the saved state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"
#include "sluice/model.hpp"
#include "sluice/report.hpp"
#include "sluice/tuning.hpp"

namespace sluice {

class AdaptiveModel {
  public:
    /// Throws OptionError, with every broken rule.
    AdaptiveModel(std::size_t inputs, std::size_t outputs, AdaptiveOptions options = {});
    /// Wraps a model without tuning anything.
    explicit AdaptiveModel(StreamModel model);
    ~AdaptiveModel();
    AdaptiveModel(const AdaptiveModel& other);
    AdaptiveModel& operator=(const AdaptiveModel& other);
    /// A model that was moved from may only be destroyed or assigned to; any other call is an assertion.
    AdaptiveModel(AdaptiveModel&& other) noexcept;
    AdaptiveModel& operator=(AdaptiveModel&& other) noexcept;

    /// The outputs expected with these inputs. The model stays as it is. Before any row was learnt: zeros.
    [[nodiscard]] std::vector<double> predict(std::span<const double> x) const;
    void predict(std::span<const double> x, std::span<double> y) const;

    /// Predicts the row, then learns from it, then decides.
    StepReport learn(std::span<const double> x, std::span<const double> y);
    /// The same row by row; returns the report of the last row.
    StepReport learn_many(const Rows& x, const Rows& y);

    [[nodiscard]] std::size_t inputs() const noexcept;
    [[nodiscard]] std::size_t outputs() const noexcept;
    [[nodiscard]] const AdaptiveOptions& options() const noexcept;
    [[nodiscard]] std::uint64_t rows_met() const noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// The model that predicts now; its options are the settings in use. It does not include drift().
    [[nodiscard]] const StreamModel& current() const noexcept;
    /// What is added to each output of current().predict(): the discounted mean of its known errors.
    [[nodiscard]] std::vector<double> drift() const;
    /// For each input the discounted share of rows (0.99 a row) in which it was selected. Zeros where nothing is tuned.
    [[nodiscard]] std::vector<double> stability() const;
    /// e^(r) of eq. (23): discounted one-step errors with 1, 2, .. components, in units of the outputs' variance. Empty
    /// where components are not tuned.
    [[nodiscard]] std::vector<double> errors_by_components() const;
    /// The last decisions, at most 100, oldest first.
    [[nodiscard]] std::span<const Decision> decisions() const noexcept;

    /// The whole state. The model that load() returns continues bit for bit; load() also reads StreamModel::save().
    [[nodiscard]] std::vector<std::byte> save() const;
    /// Throws StateError.
    [[nodiscard]] static AdaptiveModel load(std::span<const std::byte> bytes);

  private:
    struct Impl;
    explicit AdaptiveModel(std::unique_ptr<Impl> impl);
    [[nodiscard]] Impl& impl() noexcept;
    [[nodiscard]] const Impl& impl() const noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
