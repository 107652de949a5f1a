#include "narrowing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "gram.hpp"
#include "kernels.hpp"
#include "sparsify.hpp"
#include "subspace.hpp"

namespace sluice::core {

namespace {

// Up to this number of inputs the sparsifier sees all of them.
constexpr std::size_t kTooFewToNarrow = 128;

constexpr ThresholdSlack::Limits kSlack{.first = 0.2, .least = 0.01, .most = 0.5};

// Rounding of the uncertainty is far below this.
constexpr double kSafety = 1e-6;

// Inputs above this share of the threshold may be chosen in one of the next rows; at most this number is announced.
constexpr double kNextShare = 0.8;
constexpr std::size_t kMostAnnounced = 8;

}  // namespace

bool entries_are_independent(const StreamOptions& options) {
    return !options.gamma && options.penalty != Penalty::group_lasso;
}

bool may_be_screened(const StreamOptions& options) {
    return options.deflation == Deflation::project && entries_are_independent(options) && options.hold_bonus == 0.0;
}

Narrowing::Narrowing(std::size_t inputs, const StreamOptions& options, bool always)
    : options_(options),
      p_(inputs),
      all_inputs_(!entries_are_independent(options) || (inputs <= kTooFewToNarrow && !always)),
      threshold_share_(options.components_for(inputs), 0.0),
      slack_(options.components_for(inputs), ThresholdSlack(kSlack)),
      hits_(padded(inputs)) {
    sizes_.reserve(inputs);
    below_.reserve(inputs);
    scratch_.reserve(inputs);
}

// hits_: the inputs with |direction| >= least; returns how many.
std::size_t Narrowing::find_hits(std::span<const double> direction, double least) {
    std::size_t count = kernels::entries_from(direction.data(), least, padded(p_), hits_.data(), hits_.size());
    while (count > 0 && hits_[count - 1] >= p_) {  // padding, where everything is wanted
        --count;
    }
    return count;
}

template <typename Index>
void Narrowing::collect_sizes(std::span<const double> direction, std::span<const Index> hits,
                              std::span<const std::size_t> taken) {
    sizes_.clear();
    auto next = taken.begin();
    for (const Index j : hits) {
        next = std::find_if(next, taken.end(), [&](std::size_t t) { return t >= j; });
        if (next == taken.end() || *next != j) {
            sizes_.push_back(std::abs(direction[j]));
        }
    }
}

Narrowing::Result Narrowing::narrow(std::size_t component, std::span<const double> direction, double largest,
                                    double uncertainty, std::span<const std::size_t> taken,
                                    std::vector<std::size_t>& candidates) {
    if (all_inputs_) {
        if (candidates.size() != p_) {  // else they are all there
            candidates.resize(p_);
            std::iota(candidates.begin(), candidates.end(), std::size_t{0});
        }
        return {.narrowed = false, .floor = 0.0};
    }
    const std::size_t keep = options_.keep_for(component, p_);
    double& expected = threshold_share_[component];
    ThresholdSlack& slack = slack_[component];
    double floor = 0.0;
    double least = 0.0;  // of a candidate
    std::size_t count = 0;
    for (const double share : {expected * slack.reach(), 0.0}) {  // a little below the last threshold, then everywhere
        floor = 0.0;
        least = 0.0;
        count = find_hits(direction, share * largest);
        collect_sizes(direction, std::span<const std::uint32_t>(hits_).first(count), taken);
        if (sizes_.size() <= keep) {
            slack.widen();
            continue;
        }
        const double next = threshold_by_selection(sizes_, keep, sizes_, expected * largest);
        const auto above = std::ranges::count_if(sizes_, [&](double size) { return size > next * (1.0 + kTie); });
        floor = next;
        if (static_cast<std::size_t>(above) < keep) {  // a tie: the next smaller one is needed too
            floor = 0.0;
            for (const double size : sizes_) {
                floor = size < next * (1.0 - kTie) ? std::max(floor, size) : floor;
            }
        }
        expected = next / largest;
        // The (keep+1)-th largest may be less by the uncertainty, and an entry more by as much.
        least = (floor * (1.0 - kTie)) - (2.0 * (1.0 + kSafety) * uncertainty);
        if (least >= share * largest && floor > 0.0) {
            if (sizes_.size() > 2 * (keep + 1)) {
                slack.tighten();
            }
            break;
        }
    }
    candidates.resize(count);
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {  // without a branch
        candidates[left] = hits_[i];
        left += std::abs(direction[hits_[i]]) >= least ? 1U : 0U;
    }
    candidates.resize(left);
    unite(candidates, taken, scratch_);
    return {.narrowed = true, .floor = floor};
}

bool Narrowing::settles(std::size_t component, std::span<const double> direction, double floor,
                        std::span<const std::size_t> taken, std::span<const std::size_t> candidates) {
    const std::size_t keep = options_.keep_for(component, p_);
    collect_sizes(direction, candidates, taken);
    if (sizes_.size() <= keep) {
        return false;
    }
    const double next = threshold_by_selection(sizes_, keep, sizes_, floor);
    const auto above = std::ranges::count_if(sizes_, [&](double size) { return size > next * (1.0 + kTie); });
    return static_cast<std::size_t>(above) == keep;
}

void Narrowing::announce_next(std::span<const double> direction, double floor, Gram& gram) {
    if (gram.engine() != Engine::columns || floor == 0.0) {
        return;
    }
    const std::size_t count =
        kernels::entries_from(direction.data(), floor * kNextShare, padded(p_), hits_.data(), hits_.size());
    below_.clear();
    std::copy_if(hits_.begin(), hits_.begin() + static_cast<std::ptrdiff_t>(count), std::back_inserter(below_),
                 [&](std::size_t j) { return std::abs(direction[j]) < floor * (1.0 - kTie); });
    const auto announced = static_cast<std::ptrdiff_t>(std::min(kMostAnnounced, below_.size()));
    std::ranges::partial_sort(below_, below_.begin() + announced, [&](std::size_t a, std::size_t b) {
        const double size_a = std::abs(direction[a]);
        const double size_b = std::abs(direction[b]);
        return size_a != size_b ? size_a > size_b : a < b;
    });
    gram.expect(std::span(below_).first(static_cast<std::size_t>(announced)));
}

}  // namespace sluice::core
