// step.hpp -- from moments to selected variables and coefficients: the part of Algorithm 2 that follows each row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "regress.hpp"
#include "screen.hpp"
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

    /// The moments take in the row (x, y), and what the iteration needs of all inputs is found in the same pass.
    /// tame: see Moments::begin.
    void take_in(Moments& moments, std::span<const double> x, std::span<const double> y,
                 std::span<const unsigned char> observed, bool tame);
    /// One iteration on moments that have just taken in the row (x, y). y: the outputs, filled in where missing.
    Outcome run(const Moments& moments, std::span<const double> x, std::span<const double> y);
    /// After the moments were changed as a whole.
    Outcome run_anew(const Moments& moments);

    /// Around a row in which some outputs are absent and filled in. What the refit's ridge would wear off their
    /// coefficients is put back, so that they stay as they are however long they are absent: first, as the last row
    /// left them; then, for each such output, before and after the moments take the row in.
    void before_absences(const Moments& moments);
    void before_absence(const Moments& moments, std::size_t k);
    void after_absence(Moments& moments, std::size_t k) const;
    /// After the last of them.
    void look_again(const Moments& moments) { working_.refresh(moments); }

    /// With refit: variables that hold_bonus favours in the coming row, ascending.
    void favour(std::span<const std::size_t> held) { favoured_.assign(held.begin(), held.end()); }

    /// Fits beside the one that predicts, on the same moments, for those who choose among them (alternatives.cpp).
    struct Alternatives {
        bool prefixes = false;                          // whether by_components is wanted
        std::vector<double> shrinkages;                 // with refit: those wanted
        std::vector<Coefficients> by_components;        // by the first 1, 2, .. components
        std::vector<std::vector<double>> by_shrinkage;  // beta of the selected variables with each of `shrinkages`
    };
    /// From the next row on.
    void keep_alternatives(std::vector<double> shrinkages, bool prefixes);
    [[nodiscard]] const Alternatives& alternatives() const { return alternatives_; }
    /// The first `count` components predict, from now on; the others are found all the same. Needs prefixes.
    void use_components(const Moments& moments, std::size_t count);
    /// One of the alternatives' shrinkages is used, from now on.
    void use_shrinkage(std::size_t place);
    void save_alternatives(StateWriter& out) const;
    void load_alternatives(StateReader& in);

    /// Share of |M~|^2, the covariance of inputs and outputs, that lies along the components: sum of |M~'u_r|^2.
    [[nodiscard]] double explained_covariance(const Moments& moments);
    /// The same of the first 1, 2, .. components; and share of tr(C~) that their scores retain.
    void explained_by_components(const Moments& moments, std::span<double> covariance, std::span<double> energy);
    /// n log(rss / n) summed over the outputs, on the weighted moments, and 2 for each coefficient: Akaike's criterion.
    [[nodiscard]] double akaike(const Moments& moments);

    [[nodiscard]] const Working& working() const { return working_; }
    /// Those that predict.
    [[nodiscard]] std::span<const Component> components() const { return std::span(components_).first(active_); }
    [[nodiscard]] const Coefficients& coefficients() const { return fit_; }
    [[nodiscard]] std::size_t held_components() const { return held_; }
    /// Components of the last row whose candidates the screen did not narrow down.
    [[nodiscard]] std::size_t unscreened() const { return unscreened_; }
    [[nodiscard]] bool screens() const { return screens_; }
    /// W, components x q by columns.
    void loadings(const Moments& moments, std::span<double> W) const;

    /// An input beyond its mean, in column units, moved to the bound of `clip` where it lies further out.
    [[nodiscard]] double clipped_deviation(const Moments& moments, std::size_t j, double x) const {
        const double deviation = moments.input_deviation(j, x);
        if (!options_.clip) {
            return deviation;
        }
        const double bound = *options_.clip * std::sqrt(moments.input_variance(j));
        return std::clamp(deviation, -bound, bound);
    }

    void save(StateWriter& out) const;
    void load(StateReader& in, const Moments& moments);

  private:
    enum class Found { direction, restarted, held };

    Outcome find_components(const Moments& moments);
    Found find_component(const Moments& moments, std::size_t r);
    double find_direction(const Moments& moments, std::size_t r, const Component& start, bool fresh);
    double full_direction(const Moments& moments, std::size_t r, const Component& start);
    double narrow(std::size_t r, double largest);
    [[nodiscard]] std::size_t fresh_start(const Moments& moments, std::size_t r);
    [[nodiscard]] double column_ridge(const Moments& moments, std::size_t j, double n_k) const;
    void expect_next(const Moments& moments);
    void point_seed_at(std::size_t input);
    void hold(std::size_t r);
    void lift_favoured(const Component& component);
    void lower_favoured(Component& component) const;
    void fit_prefixes(const Moments& moments);
    void get_places(StateReader& in, std::vector<std::size_t>& places) const;

    StreamOptions options_;
    std::size_t p_;
    bool refit_;    // deflation = refit
    bool screens_;  // few candidates are looked for, not all inputs
    Working working_;
    Sparsifier sparsifier_;
    SparseSpan span_;
    Regression regression_;
    Screen screen_;

    std::vector<Component> components_;
    std::size_t active_;  // components that predict
    Alternatives alternatives_;
    std::vector<double> prefix_W_;  // loadings of the first 1, 2, .. components
    std::vector<std::size_t> favoured_;
    std::vector<double> W_;  // loadings, components x q by columns; with `deflation = refit` not used
    Coefficients fit_;       // its `selected` is S, the variables of all components
    std::size_t held_ = 0;
    std::size_t unscreened_ = 0;

    Component seed_;                  // a start at one input alone
    std::vector<std::size_t> among_;  // the inputs among which the component chooses, ascending
    std::vector<double> z_;           // the direction at these
    bool all_ = false;                // direction_ holds the direction at every input
    Buffer<double> direction_;        // a, then q
    Buffer<double> along_;            // M g
    Buffer<double> input_part_;       // C u
    Buffer<double> input_weights_;    // D^2
    bool weights_fresh_ = false;
    Buffer<double> explained_;  // of M by the refit
    std::vector<std::uint32_t> hits_;
    double floor_ = 0.0;             // below it nothing is chosen; 0: not known
    std::vector<std::size_t> near_;  // inputs just below the threshold
    std::vector<double> sizes_;
    std::vector<double> threshold_share_;  // of each component: (keep+1)-th largest entry against the largest
    std::vector<double> slack_;            // of each component: how far below that is looked in the next row
    std::vector<double> scaled_;           // D u
    std::vector<double> inner_;            // g
    std::vector<double> scaled_inner_;     // E g
    std::vector<double> scores_;           // s
    double left_square_ = 0.0;             // of what deflation left of M~
    std::vector<double> absent_beta_;      // before an absence, in column units, as fit_.beta
    std::vector<double> ridges_;           // likewise
    std::vector<std::size_t> scratch_;
};

}  // namespace sluice::core
