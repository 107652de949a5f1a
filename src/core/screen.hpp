// screen.hpp -- finds the few inputs that a component may choose, without C u at the others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "moments.hpp"
#include "sluice/options.hpp"
#include "subspace.hpp"
#include "working.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;

class Screen {
  public:
    Screen(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

    /// In the middle of a row: tells the pass over the inputs what to look for.
    void aim(const Moments& moments, const Working& working, std::span<const Component> components);
    void aim_at_nothing();
    [[nodiscard]] Watch* watch() { return &watch_; }

    /// After the pass: a = H u of component r at the inputs that may be chosen, and at all of `taken`, ascending. False
    /// where the screen cannot tell few inputs from the rest. `fresh`: u is not the one that was aimed with.
    [[nodiscard]] bool find(std::size_t r, const Moments& moments, const Working& working, const Component& u,
                            bool fresh, std::span<const std::size_t> taken, std::vector<std::size_t>& inputs,
                            std::vector<double>& a);
    /// What was found without the screen, for the next row: `least` is the (keep+1)-th largest |a|, or 0.
    void learn(std::size_t r, const Working& working, const Parts& parts, std::span<const double> g, double least);

    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    /// What is expected of a component: its (keep+1)-th largest weight, as a share of |g| |M~|, and how far below
    /// that the pass still looks.
    struct Expected {
        double share = 0.0;  // 0: nothing is known yet
        double slack = 0.1;
        double bound = 0.0;  // of |C u| against |M M'u|, as last seen
    };
    struct Candidate {
        std::size_t input;
        double b;      // D M E g
        double reach;  // at most so much may C u add or take
    };

    [[nodiscard]] double aimed(const Expected& expected, double g_length, double cross_square) const;
    [[nodiscard]] bool set_bound(double kappa, double expected_least, const Moments& moments, const Component& u);
    [[nodiscard]] bool census(std::size_t need, const Moments& moments, const Working& working,
                              std::span<const std::size_t> taken);
    void gather(const Moments& moments, const Working& working, std::span<const std::size_t> taken);
    [[nodiscard]] bool weigh(std::size_t need, const Moments& moments, const Working& working, const Parts& parts,
                             const Component& u, std::span<const std::size_t> taken, std::vector<std::size_t>& inputs,
                             std::vector<double>& a);
    [[nodiscard]] double lowest_needed(std::size_t need);

    StreamOptions options_;
    std::size_t p_;
    Watch watch_;
    std::vector<Expected> expected_;
    std::vector<double> aimed_bound_;
    std::vector<double> g_;         // M~'u
    std::vector<double> scaled_g_;  // E g
    double bound_ = 0.0;
    std::vector<double> weights_;
    std::vector<std::size_t> hits_;
    std::vector<std::size_t> asked_;
    std::vector<std::size_t> scratch_;
    std::vector<Candidate> candidates_;
    std::vector<double> sizes_;
    std::vector<double> products_;
    Buffer<double> all_;  // of every input, for the census
    Buffer<double> input_weights_;
    std::vector<double> all_sizes_;
};

}  // namespace sluice::core
