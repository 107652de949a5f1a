// step.hpp -- from moments to selected variables and coefficients: the part of Algorithm 2 that follows each row.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "hold_bonus.hpp"
#include "narrowing.hpp"
#include "refit_screen.hpp"
#include "regress.hpp"
#include "row.hpp"
#include "screen.hpp"
#include "sluice/options.hpp"
#include "sluice/report.hpp"
#include "sparsify.hpp"
#include "subspace.hpp"
#include "working_units.hpp"

namespace sluice::core {

class Step {
  public:
    Step(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

    /// What the pass over the inputs of a row must look for, so that run() need not look at all of them; or null.
    [[nodiscard]] CandidateFilter* aim(const Moments& moments, const WorkingUnits& units, const Row& row);

    /// One iteration on moments to which `row` was just added; null: the moments were changed as a whole.
    Outcome run(const Moments& moments, const WorkingUnits& units, const Row* row);

    /// With a hold bonus and refit: the variables that stay more easily in the next run, ascending.
    void set_held(std::span<const std::size_t> held) { hold_bonus_.set_held(held); }

    /// Variables that were chosen elsewhere, and their coefficients, from now on.
    void use_fit(const Coefficients& fit, double shrinkage);
    /// Another shrinkage of the refit from now on, and the present variables' coefficients with it.
    void use_shrinkage(double shrinkage, std::span<const double> beta);
    [[nodiscard]] const Regression& regression() const { return regression_; }

    [[nodiscard]] std::span<const Component> components() const { return components_; }
    [[nodiscard]] const Coefficients& fit() const { return fit_; }
    [[nodiscard]] std::size_t held_components() const { return held_; }
    /// Components of the last run whose candidates the screen did not narrow down.
    [[nodiscard]] std::size_t unscreened() const { return unscreened_; }
    /// sum of |M~'u_r|^2 where run() has found it and forget_covariance() did not follow.
    [[nodiscard]] std::optional<double> covariance_square() const { return covariance_square_; }
    void forget_covariance() { covariance_square_.reset(); }
    /// W, components x q by columns.
    void loadings(const Moments& moments, const WorkingUnits& units, std::span<double> W) const;

    void save(StateWriter& out) const;
    void load(StateReader& in);
    /// Ascending numbers of inputs.
    static void get_variables(StateReader& in, std::size_t inputs, std::vector<std::size_t>& variables);

  private:
    enum class Found { direction, restarted, held };
    struct Direction {
        double largest = 0.0;        // of its entries
        bool at_all_inputs = false;  // else at candidates_
    };

    Found find_component(const Moments& moments, const WorkingUnits& units, std::size_t r);
    Direction find_direction(const Moments& moments, const WorkingUnits& units, std::size_t r, const Component& start,
                             bool fresh);
    double direction_at_all_inputs(const Moments& moments, const WorkingUnits& units, std::size_t r,
                                   const Component& start);
    bool find_with_refit(const Moments& moments, const WorkingUnits& units, std::size_t r, const Component& start);
    bool find_among_few(const Moments& moments, const WorkingUnits& units, std::size_t r, const Component& start);
    double cross_direction(const Moments& moments, const WorkingUnits& units, const Parts& parts,
                           const double* input_part);
    void find_input_weights(const Moments& moments, const WorkingUnits& units);
    void remove_explained();
    void choose_variables(std::size_t r, double largest);
    void deflate(const Moments& moments, const WorkingUnits& units, std::size_t r);
    void fit_loadings(const Moments& moments, const WorkingUnits& units, const Row* row);
    void fit_instant_loadings(const Moments& moments, const WorkingUnits& units, const Row& row);
    [[nodiscard]] std::size_t most_telling_input(const Moments& moments, const WorkingUnits& units,
                                                 std::size_t r) const;
    void point_seed_at(std::size_t input);
    void keep_last_direction(std::size_t r);

    StreamOptions options_;
    std::size_t p_;
    bool refit_;  // deflation = refit
    bool may_be_screened_;
    bool screens_;  // few candidates are looked for, not all inputs
    Sparsifier sparsifier_;
    SparseSpan span_;
    Regression regression_;
    Screen screen_;
    std::optional<RefitScreen> refit_screen_;  // once it is needed
    Narrowing narrowing_;
    HoldBonus hold_bonus_;

    std::vector<Component> components_;
    std::vector<double> W_;  // loadings, components x q by columns; with `deflation = refit` not used
    Coefficients path_;      // of the components found so far in this run: S and beta_S
    Coefficients fit_;       // of those that predict
    std::size_t held_ = 0;
    std::size_t unscreened_ = 0;
    std::optional<double> covariance_square_;

    Component seed_;                       // a start at one input alone
    std::vector<std::size_t> candidates_;  // the inputs among which the component chooses, ascending
    std::vector<double> z_;                // the direction at these
    Buffer<double> direction_;             // a, then q
    Buffer<double> along_;                 // M g
    Buffer<double> input_part_;            // C u
    Buffer<double> input_weights_;         // D^2
    Buffer<double> input_roots_;           // D
    bool weights_known_ = false;
    Buffer<double> explained_;  // of M by the refit
    bool explained_known_ = false;
    std::vector<double> scaled_;        // D u
    std::vector<double> inner_;         // g
    std::vector<double> scaled_inner_;  // E g
    std::vector<double> scores_;        // s
    double left_square_ = 0.0;          // of what deflation left of M~
    std::vector<std::size_t> scratch_;
    std::vector<std::size_t> asked_;
};

}  // namespace sluice::core
