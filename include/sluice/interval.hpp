// interval.hpp -- intervals around predictions. The share of outputs that they contain follows what was asked, under drift
// and after breaks too: each output outside of its interval widens the next ones, each one inside narrows them (adaptive
// conformal inference). docs/intervals.md has the equations and what was measured.
//
//     IntervalTracker tracker(1, {.coverage = 0.9});
//     const auto interval = tracker.interval(0, predicted);           // before the output is known
//     tracker.add(0, {.predicted = predicted, .observed = y, .given = interval});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice {

/// Both ends belong to it. Finite, low <= high.
struct Interval {
    double low = 0.0;
    double high = 0.0;
    [[nodiscard]] bool contains(double value) const noexcept { return low <= value && value <= high; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

struct IntervalOptions {
    static constexpr double kLeast = 0.1;
    static constexpr double kMost = 0.999;

    double coverage = 0.9;  ///< share of the outputs that the intervals shall contain, kLeast to kMost

    /// One sentence per broken rule.
    [[nodiscard]] std::vector<std::string> problems() const;
};

/// A prediction whose output has become known.
struct IntervalOutcome {
    double predicted = 0.0;                        ///< NaN: ignored
    double observed = 0.0;                         ///< NaN: missing, ignored
    std::optional<Interval> given = std::nullopt;  ///< the interval that was given with the prediction, if any
    std::size_t rows_late = 0;                     ///< other outcomes that were added since it was given
};

/// Intervals of several outputs, each by itself. Allocates only when it is made.
class IntervalTracker {
  public:
    /// There is no interval before this number of errors of an output is known.
    static constexpr std::uint64_t kFirstErrors = 10;

    /// Throws OptionError.
    IntervalTracker(std::size_t outputs, const IntervalOptions& options);

    /// For an output that is not known yet. Nothing before kFirstErrors errors are known, or where `predicted` is not finite.
    [[nodiscard]] std::optional<Interval> interval(std::size_t output, double predicted) const;

    /// An output is known. Late ones may come in any order.
    void add(std::size_t output, const IntervalOutcome& outcome);

    [[nodiscard]] std::size_t outputs() const noexcept { return outputs_.size(); }
    [[nodiscard]] double coverage() const noexcept { return coverage_; }
    [[nodiscard]] std::uint64_t errors(std::size_t output) const { return outputs_.at(output).errors; }  ///< known

    [[nodiscard]] std::vector<std::byte> save() const;
    /// Throws StateError, WrongKindError.
    [[nodiscard]] static IntervalTracker load(std::span<const std::byte> saved);

    /// The same as a part of other state, for the same coverage and as many outputs.
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    static constexpr std::size_t kMemories = 5;

    struct Output {
        std::uint64_t errors = 0;               // known
        std::uint64_t far = 0;                  // last errors in a row that were far above their size
        double widening = 0.0;                  // log of the half-width over the size of errors
        double loss = 0.0;                      // mean pinball loss, in units of the size of errors
        std::array<double, kMemories> size{};   // mean size of errors, in the output's unit
        std::array<double, kMemories> share{};  // of the mixture
    };

    [[nodiscard]] static double mixed_size(const Output& output);
    [[nodiscard]] static double half_width(const Output& output);
    void move_shares(Output& output, double error, double size) const;
    static void add_to_sizes(Output& output, double error, double size, double slowed);

    double coverage_;
    double start_;  // the widening with which an output begins
    std::vector<Output> outputs_;
};

}  // namespace sluice
