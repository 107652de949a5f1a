// narrowing.hpp -- of a direction that is known at every input, the few entries that the sparsifier must see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/options.hpp"
#include "threshold_slack.hpp"

namespace sluice::core {

class Gram;

/// Whether each entry is kept or dropped by its own size: not with a given gamma, not in groups.
[[nodiscard]] bool entries_are_independent(const StreamOptions& options);

/// Whether a part of the direction can show which few inputs count: no hold bonus, no refit between components.
[[nodiscard]] bool may_be_screened(const StreamOptions& options);

class Narrowing {
  public:
    /// always: also where there are so few inputs that the sparsifier might see them all.
    Narrowing(std::size_t inputs, const StreamOptions& options, bool always);

    struct Result {
        bool narrowed;  // false: all inputs
        double floor;   // nothing below it is chosen; 0: not known
    };
    /// candidates: the inputs taken already, and of the others all whose |direction| reaches the (keep+1)-th largest, and
    /// below a tie there the next. direction: padded. largest: the largest |direction|. All lists ascend.
    Result narrow(std::size_t component, std::span<const double> direction, double largest,
                  std::span<const std::size_t> taken, std::vector<std::size_t>& candidates) {
        return narrow(component, direction, largest, 0.0, taken, candidates);
    }
    /// The same where entries of the direction are known to within `uncertainty`: all that may be among these.
    Result narrow(std::size_t component, std::span<const double> direction, double largest, double uncertainty,
                  std::span<const std::size_t> taken, std::vector<std::size_t>& candidates);
    /// Whether exactly `keep` of the candidates outside `taken` exceed the next, which is near `floor`: then no others
    /// matter. The direction is exact at the candidates.
    [[nodiscard]] bool settles(std::size_t component, std::span<const double> direction, double floor,
                               std::span<const std::size_t> taken, std::span<const std::size_t> candidates);
    /// Whether narrow() ever leaves an input out.
    [[nodiscard]] bool narrows() const { return !all_inputs_; }

    /// Tells C which inputs may be chosen in one of the next rows: those just below `floor`, the largest first.
    void announce_next(std::span<const double> direction, double floor, Gram& gram);

    /// Of each component: the (keep+1)-th largest entry as a share of the largest. Part of the saved state.
    [[nodiscard]] std::vector<double>& threshold_shares() { return threshold_share_; }
    [[nodiscard]] const std::vector<double>& threshold_shares() const { return threshold_share_; }

  private:
    [[nodiscard]] std::size_t find_hits(std::span<const double> direction, double least);
    template <typename Index>
    void collect_sizes(std::span<const double> direction, std::span<const Index> hits,
                       std::span<const std::size_t> taken);

    StreamOptions options_;
    std::size_t p_;
    bool all_inputs_;
    std::vector<double> threshold_share_;
    std::vector<ThresholdSlack> slack_;
    std::vector<std::uint32_t> hits_;
    std::vector<double> sizes_;       // of the hits that are not taken
    std::vector<std::size_t> below_;  // inputs just below the threshold
    std::vector<std::size_t> scratch_;
};

}  // namespace sluice::core
