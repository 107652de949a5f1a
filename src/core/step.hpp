// step.hpp -- from moments to selected variables and coefficients: the part of Algorithm 2 that follows each row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regress.hpp"
#include "sluice/options.hpp"
#include "sluice/report.hpp"
#include "sparsify.hpp"
#include "subspace.hpp"
#include "working.hpp"

namespace sluice::core {

class Step {
  public:
    Step(std::size_t inputs, std::size_t outputs, const StreamOptions& options);
    Step(const Step&) = default;
    Step& operator=(const Step&) = default;
    Step(Step&&) noexcept = default;
    Step& operator=(Step&&) noexcept = default;
    ~Step() = default;

    /// One iteration on moments that have just taken in the row (x, y). y: the outputs, filled in where missing.
    /// Without a row, both empty: after the moments were changed as a whole.
    Outcome run(const Moments& moments, std::span<const double> x, std::span<const double> y);

    /// Around a row in which output k is absent and filled in, before and after the moments take it in: what the refit's
    /// ridge would wear off its coefficients is put back, so that they stay as they are however long it is absent.
    void before_absence(const Moments& moments, std::size_t k);
    void after_absence(Moments& moments, std::size_t k) const;

    [[nodiscard]] const Working& working() const { return working_; }
    [[nodiscard]] std::span<const Component> components() const { return components_; }
    [[nodiscard]] const Coefficients& coefficients() const { return fit_; }
    [[nodiscard]] std::size_t held_components() const { return held_; }
    /// W, components x q by columns.
    void loadings(const Moments& moments, std::span<double> W) const;

    /// An input beyond its mean, in column units, moved to the bound of `clip` where it lies further out.
    [[nodiscard]] double clipped_deviation(const Moments& moments, std::size_t j, double x) const;

    void save(StateWriter& out) const;
    void load(StateReader& in, const Moments& moments);

  private:
    enum class Found { direction, restarted, held };

    Outcome find_components(const Moments& moments);
    Found find_component(const Moments& moments, std::size_t r);
    [[nodiscard]] std::size_t fresh_start(std::span<const double> cross) const;
    [[nodiscard]] double leave_out_selected();
    [[nodiscard]] double column_ridge(const Moments& moments, std::size_t j, double n_k) const;
    void point_seed_at(std::size_t input);
    void hold(std::size_t r);

    StreamOptions options_;
    Working working_;
    Sparsifier sparsifier_;
    SparseSpan span_;
    Regression regression_;

    std::vector<Component> components_;
    std::vector<double> W_;  // loadings, components x q by columns; with `deflation = refit` not used
    Coefficients fit_;       // its `selected` is S, the variables of all components
    std::size_t held_ = 0;

    Component seed_;                 // a start at one input alone
    std::vector<double> direction_;  // a, then q
    std::vector<double> inner_;      // g
    std::vector<double> scores_;     // s
    std::vector<double> left_;       // what deflation left of M~
    double left_square_ = 0.0;
    std::vector<double> ridges_;  // before an absence, as fit_.beta
    std::vector<std::size_t> scratch_;
};

void save_options(const StreamOptions& options, StateWriter& out);
[[nodiscard]] StreamOptions load_options(StateReader& in);

}  // namespace sluice::core
