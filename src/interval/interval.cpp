// interval.cpp -- adaptive conformal intervals: one feedback on hits and misses over an aggregate of memories.
//
// The interval of an output with prediction f is f - h to f + h, with
//     h = exp(w) m,    m = sum_k p_k s_k
//     s_k <- s_k + (1 - l_k) (min(e, limit) - s_k)                  mean size of errors e = |y - f|, by memory
//     w   <- w + g (miss - (1 - c)),   g = 0.4 / max(c, 1 - c)      Gibbs and Candes 2021, on a log scale
//     p_k <- p_k exp(-0.1 pinball_k / mean pinball), then mixed with equal shares      Gibbs and Candes 2022
// A sum over any rows of w's steps is its change, so that the misses in them are at most (change of w) / g off: the scales s
// follow the size of errors, w has to follow little, and the share of misses is held tightly.
//
//   code      letter   meaning
//   coverage  c        the share that was asked for
//   widening  w        log of the half-width over the size of errors
//   size      s_k      mean size of errors with memory l_k
//   share     p_k      of memory k in the mixture
//   miss               1 where y lies outside of the interval that was given with its prediction, else 0
//
// Departs from the papers: they move the level of a quantile of past errors, which is infinite above the largest of them and
// steps by whole ranks; here the quantile itself moves, on a log scale, which is finite, has no unit and needs no past errors.
#include "sluice/interval.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "saved_kind.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "text.hpp"

namespace sluice {

namespace {

// The constants were chosen on eleven real streams and the factor streams with breaks: docs/intervals.md has the table.
constexpr std::array<double, 5> kMemory = {0.8, 0.9, 0.95, 0.98, 0.995};
constexpr double kStep = 0.4;        // a miss widens the next interval by exp(0.4), 49 %
constexpr double kFirstSteps = 1.5;  // the step is at least 1.5 / errors: until the 4th error is known
constexpr double kLearningRate = 0.1;
constexpr double kEqualShare = 0.01;  // so much of the mixture is given back to all memories with every error
constexpr double kLossMemory = 0.98;
constexpr double kMostLoss = 10.0;  // one error moves the shares by no more than ten mean ones
constexpr double kFar = 5.0;        // a single error counts as at most five times the size of errors,
constexpr double kFarther = 4.0;    // four times more where the one before it was as far: after a break they all are
constexpr std::uint64_t kMostFar = 64;
constexpr double kLateRows = 5.0;  // an error that is five rows late moves everything half as much: more would swing
constexpr double kMostNarrow =
    12.0;  // the widening is bounded, so that errors that return after a silence are found again
constexpr double kMostWide = 6.0;
constexpr double kLargest = 1e300;
constexpr double kLargestEnd = std::numeric_limits<double>::max();

// Of a normal error, in units of its mean size: half of the interval's width with that coverage.
double normal_half_width(double coverage) {
    constexpr double kSizeOfNormal = 0.79788456080286536;  // sqrt(2 / pi)
    double low = 0.0;
    double high = 8.0;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = 0.5 * (low + high);
        (std::erf(middle / std::sqrt(2.0)) < coverage ? low : high) = middle;
    }
    return low / kSizeOfNormal;
}

double pinball(double error, double half_width, double coverage) {
    return error > half_width ? coverage * (error - half_width) : (1.0 - coverage) * (half_width - error);
}

}  // namespace

std::vector<std::string> IntervalOptions::problems() const {
    std::vector<std::string> all;
    const bool in_range = coverage >= kLeast && coverage <= kMost;  // false for NaN
    if (!in_range) {
        all.push_back("coverage = " + core::text(coverage) +
                      ": must be 0.1 to 0.999, the share of the outputs that the intervals shall contain");
    }
    return all;
}

IntervalTracker::IntervalTracker(std::size_t outputs, const IntervalOptions& options) : coverage_(options.coverage) {
    static_assert(kMemory.size() == kMemories);
    std::vector<std::string> problems = options.problems();
    if (outputs < 1) {
        problems.emplace_back("outputs: must be at least 1");
    }
    if (!problems.empty()) {
        throw OptionError(problems);
    }
    start_ = std::log(normal_half_width(coverage_));
    Output fresh{.widening = start_};
    fresh.share.fill(1.0 / static_cast<double>(kMemories));
    outputs_.assign(outputs, fresh);
}

double IntervalTracker::mixed_size(const Output& output) {
    double size = 0.0;
    for (std::size_t k = 0; k < kMemories; ++k) {
        size += output.share[k] * output.size[k];
    }
    return size;
}

double IntervalTracker::half_width(const Output& output) {
    return std::min(std::exp(output.widening) * mixed_size(output), kLargest);
}

std::optional<Interval> IntervalTracker::interval(std::size_t output, double predicted) const {
    const Output& of = outputs_.at(output);
    if (of.errors < kFirstErrors || !std::isfinite(predicted)) {
        return std::nullopt;
    }
    const double half = half_width(of);
    return Interval{.low = std::max(predicted - half, -kLargestEnd), .high = std::min(predicted + half, kLargestEnd)};
}

// By how well each memory's own interval would have fitted the error.
void IntervalTracker::move_shares(Output& output, double error, double size) const {
    const double half = std::exp(output.widening);
    const double in_sizes = std::min(error / size, kFar * std::max(half, 1.0));
    const double mean_step = std::max(1.0 - kLossMemory, 1.0 / static_cast<double>(output.errors));
    output.loss += mean_step * (pinball(in_sizes, half, coverage_) - output.loss);
    if (!(output.loss > 0.0)) {
        return;
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < kMemories; ++k) {
        const double loss = pinball(in_sizes, half * (output.size[k] / size), coverage_) / output.loss;
        output.share[k] *= std::exp(-kLearningRate * std::min(loss, kMostLoss));
        sum += output.share[k];
    }
    for (double& share : output.share) {
        share = ((1.0 - kEqualShare) * share / sum) + (kEqualShare / static_cast<double>(kMemories));
    }
}

void IntervalTracker::add_to_sizes(Output& output, double error, double size, double slowed) {
    const bool far = size > 0.0 && error > kFar * size;
    const double most = kFar * std::pow(kFarther, static_cast<double>(output.far));
    for (std::size_t k = 0; k < kMemories; ++k) {
        const double limit = size > 0.0 ? most * std::max(output.size[k], size) : kLargest;
        const double step = std::max(slowed * (1.0 - kMemory[k]), 1.0 / static_cast<double>(output.errors + 1));
        output.size[k] += step * (std::min(error, limit) - output.size[k]);
    }
    output.far = far ? std::min(output.far + 1, kMostFar) : 0;
}

void IntervalTracker::add(std::size_t output, const IntervalOutcome& outcome) {
    Output& of = outputs_.at(output);
    if (!std::isfinite(outcome.predicted) || !std::isfinite(outcome.observed)) {
        return;
    }
    const double error = std::min(std::abs(outcome.observed - outcome.predicted), kLargest);
    const double size = mixed_size(of);
    const double slowed = 1.0 / (1.0 + (static_cast<double>(outcome.rows_late) / kLateRows));
    if (of.errors > 0 && size > 0.0) {
        const bool miss = outcome.given ? !outcome.given->contains(outcome.observed) : error > half_width(of);
        move_shares(of, error, size);
        const double step =
            std::max(kStep / std::max(coverage_, 1.0 - coverage_), kFirstSteps / static_cast<double>(of.errors + 1));
        const double toward = (miss ? 1.0 : 0.0) - (1.0 - coverage_);
        of.widening = std::clamp(of.widening + (slowed * step * toward), start_ - kMostNarrow, start_ + kMostWide);
    }
    add_to_sizes(of, error, size, slowed);
    ++of.errors;
}

void IntervalTracker::save(core::StateWriter& out) const {
    for (const Output& output : outputs_) {
        out.put(output.errors);
        out.put(output.far);
        out.put(output.widening);
        out.put(output.loss);
        out.put_all(std::span<const double>(output.size));
        out.put_all(std::span<const double>(output.share));
    }
}

void IntervalTracker::load(core::StateReader& in) {
    for (Output& output : outputs_) {
        in.get(output.errors);
        in.get(output.far);
        in.get(output.widening);
        in.get(output.loss);
        in.get_all(std::span<double>(output.size));
        in.get_all(std::span<double>(output.share));
        in.require(output.far <= kMostFar && output.far <= output.errors && output.loss >= 0.0 &&
                       output.widening >= start_ - kMostNarrow && output.widening <= start_ + kMostWide,
                   "the width of an interval is out of range");
        double shares = 0.0;
        for (std::size_t k = 0; k < kMemories; ++k) {
            in.require(output.size[k] >= 0.0 && output.size[k] <= kLargest && output.share[k] >= 0.0,
                       "the size of an output's errors is out of range");
            shares += output.share[k];
        }
        in.require(std::abs(shares - 1.0) <= 1e-9, "the shares of an interval's memories are not 1 together");
    }
}

std::vector<std::byte> IntervalTracker::save() const {
    core::StateWriter out;
    out.put(std::uint64_t{core::kIntervalMark});
    out.put(static_cast<std::uint64_t>(outputs_.size()));
    out.put(coverage_);
    save(out);
    return out.framed();
}

IntervalTracker IntervalTracker::load(std::span<const std::byte> saved) {
    core::StateReader in = core::StateReader::of_intervals(saved);
    std::uint64_t mark = 0;
    std::uint64_t outputs = 0;
    double coverage = 0.0;
    in.get(mark);
    in.get(outputs);
    in.get(coverage);
    in.require(outputs >= 1 && outputs <= in.left() / sizeof(Output), "it has fewer outputs than it says");
    in.require(IntervalOptions{.coverage = coverage}.problems().empty(), "its coverage is out of range");
    IntervalTracker tracker(outputs, {.coverage = coverage});
    tracker.load(in);
    in.require(in.left() == 0, "bytes follow after its last output");
    return tracker;
}

}  // namespace sluice
