// memory.hpp -- one memory of an adaptive model: a StreamModel with its forgetting factor, and what is read off its moments.
//
// With the variables S of a path in their order, D the units of the inputs, E those of the outputs and r a shrinkage,
//     L L' = D C_SS D + (r / n) I,    z = L^-1 D M_S E,    v = L^-1 D (x_S - mean)
//     y = mean + (1 / E) sum_{i <= k} v_i z_i
// is the prediction with the first k variables: one triangular solve gives every number of names. Where components are given,
// the model's own step chooses the variables, and each shrinkage refits all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mixture.hpp"
#include "model_impl.hpp"
#include "regress.hpp"
#include "sluice/model.hpp"

namespace sluice::tune {

/// What all memories of a model have in common.
struct ReadingPlan {
    Grid grid;
    std::vector<double> shrinkages;  // as in the grid
    std::vector<std::size_t> sizes;  // numbers of names; where components are given: 0 and 1, none or all
    bool path = true;                // variables are found one by one
    bool refits = true;              // shrinkages apply
};

/// How an output's values are counted: see tuner.hpp.
struct OutputUnit {
    int exponent = 0;  // values are multiplied by 2^-exponent
    double low = 0.0;  // bounds of a prediction
    double high = 0.0;
};

class Memory {
  public:
    Memory(std::size_t inputs, std::size_t outputs, StreamOptions options, const ReadingPlan& plan);

    /// base(r, s) of one output for a row of inputs: plan.grid.memory_cells() numbers. Changes nothing.
    void predict(std::span<const double> x, std::span<const OutputUnit> units, double* base, std::size_t output_stride,
                 const ReadingPlan& plan) const;
    Outcome learn(std::span<const double> x, std::span<const double> y, bool in_range,
                  std::span<const double> prediction, bool select, const ReadingPlan& plan);
    /// C among the variables of the path and their units, where they were read already: those of variable i of the path at order[i].
    struct Read {
        std::span<const double> block;  // by rows; empty: it was not
        std::span<const double> units;
        std::span<const std::size_t> order;
    };
    /// New factors for the variables of the path.
    void refit(std::span<const std::size_t> path, const ReadingPlan& plan, const Read& read = {});
    /// The model's own fit from now on: the first `names` variables of the path, or all; with this shrinkage.
    void use(std::size_t names, std::size_t shrinkage, const ReadingPlan& plan);
    /// Coefficients of a reading for one output, in the caller's units; by variables().
    void coefficients(std::size_t output, std::size_t shrinkage, std::size_t names, const ReadingPlan& plan,
                      std::span<double> out) const;
    /// mean of the output less what the coefficients make of the means of the inputs, in the caller's units.
    [[nodiscard]] double intercept(std::size_t output, std::span<const double> coefficients,
                                   const ReadingPlan& plan) const;
    /// Those that the factors are for.
    [[nodiscard]] std::span<const std::size_t> variables() const { return variables_; }

    [[nodiscard]] const StreamModel& model() const { return model_; }
    [[nodiscard]] auto& impl() { return core::ModelAccess::impl(model_); }
    [[nodiscard]] const auto& impl() const { return core::ModelAccess::impl(model_); }
    [[nodiscard]] const core::Moments& moments() const { return impl().moments(); }
    [[nodiscard]] const core::WorkingUnits& units() const { return impl().units(); }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in, std::span<const std::size_t> path, const ReadingPlan& plan);

  private:
    /// z of an output: z[4 i + r].
    [[nodiscard]] const double* z_of(std::size_t output) const;
    void solve_back(std::size_t output, std::size_t shrinkage, std::size_t names, std::span<double> beta) const;
    void predict_by_path(std::span<const double> x, std::span<double> v) const;
    void load_framed(core::StateReader& in);

    StreamModel model_;
    std::vector<std::size_t> variables_;
    std::vector<double> d_;  // D of the variables
    AlignedNumbers block_;   // D C_SS D by rows, its lower half; then D M_S E, a row for each output
    AlignedNumbers L_;       // four factors, interleaved (factor_kernels.hpp); then z of each output
    core::Regression regression_;
    std::vector<std::vector<double>> betas_;  // where components are given: by shrinkage
    core::Coefficients fit_;                  // scratch
};

}  // namespace sluice::tune
