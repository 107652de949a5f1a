// sparsify.hpp -- chooses the variables of one component.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "penalty.hpp"
#include "sluice/options.hpp"

namespace sluice::core {

/// Entries this close to each other, relative to their size, are tied: duplicate columns whose moments were summed in
/// another order differ by some 1e-16 per operation, and rounding must not choose between them.
constexpr double kTie = 1e-12;

/// The gamma that exactly `keep` of |z| exceed, by selection in O(p): the (keep+1)-th largest. On a tie at that place
/// no such gamma exists, and the tied value is returned. scratch: as long as z, or z itself where its order and signs
/// do not matter. guess: a value near gamma, where one is known; it saves time.
[[nodiscard]] double threshold_by_selection(std::span<const double> z, std::size_t keep, std::span<double> scratch,
                                            double guess = 0.0);

/// The same by Brent's method on f(gamma) of eq. (14). Returns some gamma between the keep-th and the (keep+1)-th
/// largest of |z|; on a tie at that place, the tied value to rounding.
[[nodiscard]] double threshold_by_root(std::span<const double> z, std::size_t keep);

/// Owns its scratch space, so that choosing allocates nothing.
class Sparsifier {
  public:
    Sparsifier(std::size_t inputs, const StreamOptions& options);

    /// Computes from a direction (not all zero) the sparse u of unit length, eq. (19), by the options' keep or gamma,
    /// penalty and names. z: the direction at `inputs`, ascending, which is scaled to unit length where its size matters.
    /// An input may be left out only where it cannot be chosen; with gamma or groups none may. taken: variables of the
    /// components before this one, ascending, for the limit on names. u: p numbers, zero outside `support`; both are
    /// replaced. Returns gamma, in the units that z then has.
    double choose(std::size_t component, std::span<const std::size_t> inputs, std::span<double> z,
                  std::span<const std::size_t> taken, std::span<double> u, std::vector<std::size_t>& support);
    /// The same where the direction is given at every input; z is scaled to unit length.
    double choose(std::size_t component, std::span<double> z, std::span<const std::size_t> taken, std::span<double> u,
                  std::vector<std::size_t>& support);

  private:
    void limit_names(std::span<const std::size_t> inputs, std::span<double> z, std::span<const std::size_t> taken);
    struct Chosen {  // the first `count` of places_ and values_
        double gamma = 0.0;
        std::size_t count = 0;
    };
    Chosen choose_entries(std::size_t component, std::size_t keep, std::span<const double> z);
    Chosen choose_groups(std::size_t keep, std::span<const double> z, std::span<const std::size_t> taken);

    StreamOptions options_;
    Groups groups_;
    std::vector<std::size_t> every_input_;  // where all are given
    std::vector<std::size_t> places_;       // in z, of the entries chosen
    std::vector<double> values_;            // z there, then u
    std::vector<double> scratch_;
    std::vector<double> scores_;
    std::vector<std::size_t> order_;
    std::vector<double> thresholds_;  // of each component in its last row
};

}  // namespace sluice::core
