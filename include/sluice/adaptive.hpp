// adaptive.hpp -- the on-line model that needs no settings: it finds the inputs that predict, and mixes memories of several
// lengths, shrinkages and numbers of names while the stream runs.
//
//     sluice::AdaptiveModel model(60, 1);
//     for each row:  model.predict(x);  model.learn(x, y);  model.selected();
//
// Weights follow from one-step-ahead errors. All of it is part of the saved state. docs/selftuning.md has the rules.
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

    /// The model of the memory with the most weight; its options are the settings in use. Where memories are mixed it
    /// does not predict alone: see coefficients().
    [[nodiscard]] const StreamModel& current() const noexcept;
    /// The inputs that predict, ascending.
    [[nodiscard]] std::span<const std::size_t> selected() const noexcept;
    /// The same, the most important first. Empty where nothing is tuned.
    [[nodiscard]] std::span<const Importance> importances() const noexcept;
    /// The mixture as one linear model in the caller's units: predict(x) = intercept() + x coefficients(), unless an
    /// input or the prediction is moved to its bound. The intercept includes drift().
    [[nodiscard]] Matrix coefficients() const;
    [[nodiscard]] std::vector<double> intercept() const;
    /// What the drifting intercept adds to each output.
    [[nodiscard]] std::vector<double> drift() const;
    /// For each input the discounted share of rows (0.99 a row) in which it was selected. Zeros where nothing is tuned.
    [[nodiscard]] std::vector<double> stability() const;

    /// How the forecast is mixed: for each memory, shrinkage, number of names, speed of the intercept and discount its
    /// weight, mean over the outputs. Empty where nothing is tuned.
    struct Share {
        double value = 0.0;  ///< the forgetting factor, the shrinkage, the number, the speed or the discount
        double weight = 0.0;
    };
    struct Shares {
        std::vector<Share> memories;  ///< the memory since the last break, where there is one, comes last
        std::vector<Share> shrinkages;
        std::vector<Share> sizes;
        std::vector<Share> speeds;  ///< 1: the intercept does not drift; 0: it repeats the last error
        std::vector<Share> discounts;
    };
    [[nodiscard]] Shares shares() const;

    /// A single setting of the mixture, with the sum of its squared one-step errors since the first row.
    struct Reading {
        double forgetting = 1.0;
        double shrinkage = 0.0;
        std::size_t names = 0;
        double speed = 1.0;    ///< of the drifting intercept, as in Shares
        double squares = 0.0;  ///< times 4^exponent, in the caller's units
        int exponent = 0;
    };
    /// Every reading that was there from the first row, for one output. Empty where nothing is tuned.
    [[nodiscard]] std::vector<Reading> readings(std::size_t output) const;

    /// The last decisions, at most 100, oldest first.
    [[nodiscard]] std::span<const Decision> decisions() const noexcept;

    /// Appends inputs after the existing ones. From now on this is a model in which they were missing (NaN) in every row so
    /// far: everything learnt stays, and they can be selected as their values arrive. The numbers of names that are tried
    /// follow the new number of inputs, as do the defaults of components and keep. The memories and their engines stay, once
    /// a row was met, as they were chosen for the number of inputs that the model was made with: one that will have far more
    /// than 400 inputs is best made with more than 400, so that no memory keeps p x p numbers. Spans and references into the
    /// model become invalid. The cost is that of save() and load(). Throws OptionError as StreamModel::add_inputs() does.
    void add_inputs(std::size_t count);

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
