// screen.hpp -- finds the few inputs that a component may choose, without C u at the others.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "moments.hpp"
#include "row.hpp"
#include "row_pass.hpp"
#include "sluice/options.hpp"
#include "subspace.hpp"
#include "threshold_slack.hpp"
#include "working_units.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;

class Screen {
  public:
    Screen(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

    /// Before the inputs of a row are added: what the pass over them must look for.
    [[nodiscard]] CandidateFilter* aim(const Moments& moments, const WorkingUnits& units,
                                       std::span<const Component> components, const Row& row);
    /// The next find() follows no pass that was aimed.
    void forget_aim();

    /// After the pass: a = H u of component r at the inputs that may be chosen, and at all of `taken`, ascending. False
    /// where the screen cannot tell few inputs from the rest. `fresh`: u is not the one that was aimed with.
    [[nodiscard]] bool find(std::size_t r, const Moments& moments, const WorkingUnits& units, const Component& u,
                            bool fresh, std::span<const std::size_t> taken, std::vector<std::size_t>& inputs,
                            std::vector<double>& a);
    /// What was found without the screen, for the next row: `least` is the (keep+1)-th largest |a|, or 0.
    void expect(std::size_t r, const WorkingUnits& units, const Parts& parts, std::span<const double> g, double least);

    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    /// What is expected of a component: its (keep+1)-th largest weight, as a share of |g| |M~|, and how far below
    /// that the pass still looks.
    struct Expected {
        double share = 0.0;  // 0: nothing is known yet
        ThresholdSlack slack{{.first = 0.1, .least = 0.005, .most = 0.4}};
        double bound = 0.0;  // of |C u| against |M M'u|, as last seen
    };
    /// What a component's u says of the inputs without C u.
    struct View {
        std::vector<double> weights;   // D u
        std::vector<double> g;         // M~'u
        std::vector<double> scaled_g;  // E g
        double size = 0.0;             // |g| |M~|
        double bound = 0.0;
        std::vector<std::size_t> hits;      // inputs that may be chosen, ascending; of each:
        std::vector<double> along;          //   M E g
        std::vector<double> least;          //   what |a| / cross is at least and
        std::vector<double> most;           //   at most, whatever C u is
        double root = 0.0;                  // the largest sqrt(C~_ii)
        std::vector<double> least_outside;  // `least` of those that no earlier component has taken
    };

    static void set_view(View& view, const Moments& moments, const WorkingUnits& units, const Parts& parts,
                         const Component& u);
    [[nodiscard]] bool pass_serves(std::size_t r, double bound) const;
    [[nodiscard]] double guessed_threshold(std::size_t r, double size) const;
    [[nodiscard]] bool tighten_bound(View& view, double kappa, double expected_least, const Moments& moments,
                                     const Component& u);
    [[nodiscard]] bool search_all(View& view, std::size_t need, double guess, const Moments& moments,
                                  const WorkingUnits& units, std::span<const std::size_t> taken);
    [[nodiscard]] bool compute_exact(const View& view, double exact_from, const Moments& moments,
                                     const WorkingUnits& units, const Parts& parts, const Component& u,
                                     std::span<const std::size_t> taken, std::span<const std::size_t> inputs,
                                     std::vector<double>& a);
    static void multiply_cross(std::span<const std::size_t> inputs, std::span<const double> scaled_g,
                               const Moments& moments, std::vector<double>& along);
    static void gather_candidates(View& view, const Moments& moments, const WorkingUnits& units);
    void choose_inputs(const View& view, double floor, const Moments& moments, std::span<const std::size_t> taken,
                       std::vector<std::size_t>& inputs);
    [[nodiscard]] std::size_t collect_least(View& view) const;
    [[nodiscard]] static double nth_size(std::vector<double>& sizes, std::size_t need, double guess);

    StreamOptions options_;
    std::size_t p_;
    CandidateFilter filter_;
    std::vector<Expected> expected_;
    std::vector<double> aimed_bound_;  // negative: the pass did not look for this component
    View view_;
    std::vector<double> g_;  // M~'u, as the row will leave it
    std::vector<double> output_step_;
    std::vector<std::uint8_t> is_taken_;  // by an earlier component
    double least_weight_ =
        1.0;  // of rows that C u needs, the same for all components: the products of one serve the next
    std::vector<std::size_t> asked_;
    std::vector<std::size_t> scratch_;
    std::vector<std::size_t> chosen_;   // candidates outside `taken` for which a is computed
    std::vector<double> chosen_along_;  // M E g at these,
    std::vector<double> taken_along_;   // at those that are taken,
    std::vector<double> along_;         // and at both
    std::vector<double> sizes_;
    std::vector<double> products_;
    Buffer<double> input_weights_;  // of every input, for search_all()
    Buffer<double> all_least_;
    Buffer<double> all_most_;
    std::vector<std::uint32_t> numbers_;
};

}  // namespace sluice::core
