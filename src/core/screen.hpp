// screen.hpp -- finds the few inputs that a component may choose, without C u at the others.
#pragma once

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
    struct Candidate {
        std::size_t input;
        double b;      // D M E g
        double reach;  // the most that C u may add or take away
    };

    [[nodiscard]] double aimed(const Expected& expected, double g_length, double cross_square) const;
    [[nodiscard]] bool set_bound(double kappa, double expected_least, const Moments& moments, const Component& u);
    [[nodiscard]] bool search_all(std::size_t need, double guess, const Moments& moments, const WorkingUnits& units,
                                  std::span<const std::size_t> taken);
    void gather_candidates(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> taken);
    [[nodiscard]] bool compute_exact(std::size_t need, double guess, const Moments& moments, const WorkingUnits& units,
                                     const Parts& parts, const Component& u, std::span<const std::size_t> taken,
                                     std::vector<std::size_t>& inputs, std::vector<double>& a);
    [[nodiscard]] double lowest_needed(std::size_t need, double guess);
    [[nodiscard]] double nth_size(std::size_t need, double guess);

    StreamOptions options_;
    std::size_t p_;
    CandidateFilter filter_;
    std::vector<Expected> expected_;
    std::vector<double> aimed_bound_;  // negative: the pass did not look for this component
    std::vector<double> g_;            // M~'u
    std::vector<double> scaled_g_;     // E g
    std::vector<double> output_step_;
    double bound_ = 0.0;
    std::vector<double> weights_;
    std::vector<std::size_t> hits_;
    std::vector<std::size_t> asked_;
    std::vector<std::size_t> scratch_;
    std::vector<Candidate> candidates_;
    std::vector<double> sizes_;
    std::vector<double> products_;
    Buffer<double> input_weights_;  // of every input, for search_all()
    Buffer<double> all_least_;
    Buffer<double> all_most_;
    std::vector<std::uint32_t> numbers_;
};

}  // namespace sluice::core
