// screen.cpp -- finds the few inputs that a component may choose, without C u at the others.
//
//     a_i / cross = M~_i g + kappa (C~ u)_i,        kappa = inputs / cross of Parts                      eq. (16), (17)
//     |(C~ u)_i| <= sqrt(C~_ii  u'C~u)                                                                 Cauchy-Schwarz
//
// With alpha small an input whose |M~_i g| plus that bound stays below the (keep+1)-th largest |a| cannot be chosen, and
// its entry of C u is never computed. The pass over M notes the inputs that may reach a little less than what the
// (keep+1)-th largest was in the last row; for these the exact a is computed, and it must prove the guess right: the
// (keep+1)-th largest of them must reach what the pass looked for, so that no input left out can. Where it does not, all
// inputs are searched. Exact whatever was guessed; a bad guess costs time only.
//
//   code        meaning
//   share       the (keep+1)-th largest |a| / cross, divided by |g| |M~|: free of units and of the length of memory
//   bound       kappa sqrt(u'C~u)
#include "screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels.hpp"
#include "sparsify.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

// Rounding of bounds and weights is far below this.
constexpr double kMargin = 1e-9;
// A bound below this share of the threshold leaves hardly more candidates than the tightest would.
constexpr double kSmallBound = 1e-4;
// Beyond a few times `keep`, one input in 200 may be a candidate before there are too many.
constexpr std::size_t kCheapShare = 200;
// A share so small that the pass notes every input that varies.
constexpr double kAnything = 1e-200;

std::size_t most_kept(std::size_t inputs, const StreamOptions& options) {
    std::size_t most = 0;
    for (std::size_t r = 0; r < options.components_for(inputs); ++r) {
        most = std::max(most, options.keep_for(r, inputs));
    }
    return most;
}

// With more candidates than this the screen does not pay.
std::size_t candidate_capacity(std::size_t inputs, const StreamOptions& options) {
    return std::min(inputs, std::max((16 * most_kept(inputs, options)) + 256, inputs / 16));
}

double length_of(std::span<const double> v) {
    double sum = 0.0;
    for (const double a : v) {
        sum += a * a;
    }
    return std::sqrt(sum);
}

}  // namespace

Screen::Screen(std::size_t inputs, std::size_t outputs, const StreamOptions& options)
    : options_(options),
      p_(inputs),
      filter_(options.components_for(inputs), outputs, candidate_capacity(inputs, options), options.threads),
      expected_(options.components_for(inputs)),
      aimed_bound_(expected_.size(), -1.0),
      g_(outputs, 0.0),
      scaled_g_(outputs, 0.0),
      output_step_(outputs, 0.0),
      input_weights_(padded(inputs)),
      all_least_(padded(inputs)),
      all_most_(padded(inputs)),
      numbers_(filter_.capacity()) {
    const std::size_t most = filter_.capacity() + (options.components_for(inputs) * most_kept(inputs, options)) + 1;
    for (auto* list : {&hits_, &asked_, &scratch_}) {
        list->reserve(most);
    }
    candidates_.reserve(most);
    for (auto* list : {&weights_, &sizes_, &products_}) {
        list->reserve(padded(most));
    }
}

double Screen::aimed(const Expected& expected, double g_length, double cross_square) const {
    return expected.share * expected.slack.reach() * g_length * std::sqrt(cross_square);
}

void Screen::forget_aim() {
    std::ranges::fill(aimed_bound_, -1.0);
}

CandidateFilter* Screen::aim(const Moments& moments, const WorkingUnits& units, std::span<const Component> components,
                             const Row& row) {
    const std::size_t q = g_.size();
    const auto e = units.output_units();
    const auto weights = moments.inputs.next_weights();
    for (std::size_t k = 0; k < q; ++k) {
        output_step_[k] = moments.outputs.deviations()[k] * moments.inputs.row_weight();
    }
    for (std::size_t r = 0; r < components.size(); ++r) {
        filter_.least_square[r] = std::numeric_limits<double>::infinity();  // nothing
        filter_.bound_square[r] = 0.0;
        aimed_bound_[r] = -1.0;
        if (components[r].support.empty() || expected_[r].share == 0.0) {
            continue;
        }
        std::ranges::fill(g_, 0.0);
        for (const std::size_t j : components[r].support) {
            const auto next = moments.inputs.preview(j, row.x[j], weights);
            const double u = components[r].u[j] * units.input_unit(j, next.square, moments);
            for (std::size_t k = 0; k < q; ++k) {
                g_[k] += u * (moments.inputs.cross(j, k) + (next.deviation * output_step_[k]));
            }
        }
        for (std::size_t k = 0; k < q; ++k) {
            g_[k] *= e[k];
            filter_.g[(r * q) + k] = g_[k] * e[k];
        }
        const double least = aimed(expected_[r], length_of(g_), units.cross_square());
        aimed_bound_[r] = 8.0 * expected_[r].bound;  // it seldom grows so much from one row to the next
        filter_.least_square[r] = least * least;
        filter_.bound_square[r] = aimed_bound_[r] * aimed_bound_[r];
    }
    return &filter_;
}

bool Screen::find(std::size_t r, const Moments& moments, const WorkingUnits& units, const Component& u, bool fresh,
                  std::span<const std::size_t> taken, std::vector<std::size_t>& inputs, std::vector<double>& a) {
    const Parts parts = parts_of(units, units.cross_square(), options_);
    Expected& expected = expected_[r];
    scaled_weights(moments, units, u, weights_);
    inner_product(moments, units, u.support, weights_, g_);
    const double size = length_of(g_) * std::sqrt(units.cross_square());
    if (parts.cross == 0.0 || size == 0.0) {
        return false;
    }
    for (std::size_t k = 0; k < g_.size(); ++k) {
        scaled_g_[k] = g_[k] * units.output_units()[k];
    }
    const double kappa = parts.inputs / parts.cross;
    if (!set_bound(kappa, expected.share * size, moments, u)) {
        return false;
    }
    expected.bound = bound_;

    const double guess = std::isfinite(expected.share * size) ? expected.share * size : 0.0;
    std::size_t need = options_.keep_for(r, p_) + 1;
    const double least = std::sqrt(filter_.least_square[r]);
    bool complete =
        fresh || aimed_bound_[r] < bound_ || filter_.count(r) > filter_.capacity();  // the pass does not serve
    if (!complete) {
        filter_.candidates(r, hits_);
        const bool many = hits_.size() > (4 * need) + taken.size() + (p_ / kCheapShare);
        if (many) {
            expected.slack.tighten();
        }
        gather_candidates(moments, units, taken);
    } else if (filter_.count(r) > filter_.capacity()) {  // looked too far down
        expected.slack.tighten_much();
    }
    bool tied = false;
    for (bool search = complete;;) {
        const bool all = !search && hits_.size() == units.varying_inputs();  // nothing is left out
        if (!search && !complete && !all && candidates_.size() < need) {
            expected.slack.widen();
            search = true;
        }
        if (search) {
            if (!search_all(need, guess, moments, units, taken)) {
                return false;
            }
            gather_candidates(moments, units, taken);
            complete = true;
            search = false;
        }
        if (!compute_exact(need, guess, moments, units, parts, u, taken, inputs, a)) {
            return false;
        }
        if (sizes_.size() < need) {  // all that vary are here
            expected.share = kAnything;
            return true;
        }
        const double reached = nth_size(need, guess);
        if (!complete && !all && reached < least * (1.0 + kMargin)) {
            expected.slack.widen();
            search = true;  // an input left out might reach this
            continue;
        }
        // On a tie at the threshold the next smaller weight is needed too.
        std::size_t above = 0;
        std::size_t with_ties = 0;
        for (const double one : sizes_) {
            above += one > reached * (1.0 + kTie) ? 1U : 0U;
            with_ties += one >= reached * (1.0 - kTie) ? 1U : 0U;
        }
        const std::size_t keep = options_.keep_for(r, p_);
        if (above < keep && !tied && reached > 0.0) {
            tied = true;
            need = with_ties + 1;
            search = complete;
            continue;
        }
        expected.share = std::max(reached / size, kAnything);
        return true;
    }
}

// bound_ = kappa sqrt(u'C~u), or where that is small already, the larger kappa sum |u_j| sqrt(C~_jj), which needs no
// product. False where the block has no room.
bool Screen::set_bound(double kappa, double expected_least, const Moments& moments, const Component& u) {
    bound_ = 0.0;
    if (kappa == 0.0) {
        return true;
    }
    for (std::size_t s = 0; s < weights_.size(); ++s) {
        bound_ += std::abs(weights_[s]) * std::sqrt(moments.inputs.square(u.support[s]));
    }
    bound_ *= kappa * (1.0 + kMargin);
    if (bound_ <= kSmallBound * expected_least) {
        return true;
    }
    if (!moments.inputs.gram().prepare(u.support, moments.inputs.squares(), moments.inputs.workers())) {
        return false;
    }
    products_.resize(u.support.size());
    moments.inputs.gram().multiply_at(u.support, weights_, u.support, products_);
    double square = 0.0;
    for (std::size_t s = 0; s < products_.size(); ++s) {
        square += weights_[s] * products_[s];
    }
    bound_ = kappa * std::sqrt(std::max(square, 0.0)) * (1.0 + kMargin);
    return true;
}

// hits_: of all inputs, those that may be among the `need` largest, which are expected to be above `guess`. False where
// these are too many.
bool Screen::search_all(std::size_t need, double guess, const Moments& moments, const WorkingUnits& units,
                        std::span<const std::size_t> taken) {
    units.input_weights(moments, input_weights_.all());
    const InputMoments& of = moments.inputs;
    of.workers().share((p_ + kPiece - 1) / kPiece, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        const std::size_t first = from * kPiece;
        const std::size_t count = std::min(to * kPiece, padded(p_)) - first;
        kernels::cross_bounds(of.cross() + first, of.cross_stride(), g_.size(), scaled_g_.data(),
                              input_weights_.data() + first, of.squares().data() + first, bound_, count,
                              all_least_.data() + first, all_most_.data() + first);
    });
    for (const std::size_t j : taken) {
        all_least_[j] = 0.0;
    }
    std::fill(all_least_.data() + p_, all_least_.data() + padded(p_), -1.0);
    const double floor =
        need <= p_ ? kernels::nth_largest(all_least_.data(), p_, need - 1, guess) * (1.0 - kMargin) : 0.0;
    hits_.clear();
    if (floor > 0.0) {  // what does not vary has 0 in all_most_
        const std::size_t count =
            kernels::entries_from(all_most_.data(), floor, padded(p_), numbers_.data(), filter_.capacity());
        hits_.assign(numbers_.begin(),
                     numbers_.begin() + static_cast<std::ptrdiff_t>(std::min(count, numbers_.size())));
        return count <= filter_.capacity();
    }
    for (std::size_t j = 0; j < p_; ++j) {
        if (input_weights_[j] > 0.0) {
            if (hits_.size() == filter_.capacity()) {
                return false;
            }
            hits_.push_back(j);
        }
    }
    return true;
}

// a at the candidates that may be among the `need` largest and at all of `taken`; sizes_: of those outside `taken`, in
// the units of b. False where the block has no room.
bool Screen::compute_exact(std::size_t need, double guess, const Moments& moments, const WorkingUnits& units,
                           const Parts& parts, const Component& u, std::span<const std::size_t> taken,
                           std::vector<std::size_t>& inputs, std::vector<double>& a) {
    const double floor = candidates_.size() >= need ? lowest_needed(need, guess) * (1.0 - kMargin) : 0.0;
    inputs.clear();
    for (const Candidate& candidate : candidates_) {
        if (std::abs(candidate.b) + candidate.reach >= floor) {
            inputs.push_back(candidate.input);
        }
    }
    unite(inputs, taken, scratch_);
    products_.assign(inputs.size(), 0.0);
    if (parts.inputs > 0.0) {
        asked_.assign(inputs.begin(), inputs.end());
        unite(asked_, u.support, scratch_);
        if (!moments.inputs.gram().prepare(asked_, moments.inputs.squares(), moments.inputs.workers())) {
            return false;
        }
        moments.inputs.gram().multiply_at(u.support, weights_, inputs, products_);
    }
    a.resize(inputs.size());
    sizes_.clear();
    auto next_taken = taken.begin();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::size_t j = inputs[i];
        double along = 0.0;
        for (std::size_t k = 0; k < g_.size(); ++k) {
            along += moments.inputs.cross(j, k) * scaled_g_[k];
        }
        a[i] = units.input_unit(moments, j) * ((parts.inputs * products_[i]) + (parts.cross * along));
        if (next_taken != taken.end() && *next_taken == j) {
            ++next_taken;
        } else {
            sizes_.push_back(std::abs(a[i]) / parts.cross);
        }
    }
    return true;
}

// b and its reach for all hits outside `taken`.
void Screen::gather_candidates(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> taken) {
    candidates_.clear();
    auto next_taken = taken.begin();
    for (const std::size_t j : hits_) {
        next_taken = std::find_if(next_taken, taken.end(), [&](std::size_t t) { return t >= j; });
        if (next_taken != taken.end() && *next_taken == j) {
            continue;
        }
        const double d = units.input_unit(moments, j);
        double along = 0.0;
        for (std::size_t k = 0; k < g_.size(); ++k) {
            along += moments.inputs.cross(j, k) * scaled_g_[k];
        }
        candidates_.push_back({.input = j, .b = d * along, .reach = bound_ * d * std::sqrt(moments.inputs.square(j))});
    }
}

// At least `need` inputs weigh this much, whatever C u is.
double Screen::lowest_needed(std::size_t need, double guess) {
    sizes_.clear();
    for (const Candidate& candidate : candidates_) {
        sizes_.push_back(std::max(std::abs(candidate.b) - candidate.reach, 0.0));
    }
    return nth_size(need, guess);
}

// The `need`-th largest of sizes_.
double Screen::nth_size(std::size_t need, double guess) {
    const std::size_t n = sizes_.size();
    sizes_.resize(padded(n), -1.0);
    const double size = kernels::nth_largest(sizes_.data(), n, need - 1, guess);
    sizes_.resize(n);
    return size;
}

void Screen::expect(std::size_t r, const WorkingUnits& units, const Parts& parts, std::span<const double> g,
                    double least) {
    const double size = length_of(g) * std::sqrt(units.cross_square()) * parts.cross;
    const double share = size > 0.0 ? std::max(least / size, kAnything) : 0.0;
    expected_[r].share = std::isfinite(share) ? share : 0.0;
}

void Screen::save(StateWriter& out) const {
    for (const Expected& expected : expected_) {
        out.put(expected.share);
        out.put(expected.slack.share());
        out.put(expected.bound);
    }
}

void Screen::load(StateReader& in) {
    for (Expected& expected : std::span(expected_).first(options_.components_for(in.stored_inputs(p_)))) {
        in.get(expected.share);
        double slack = 0.0;
        in.get(slack);
        expected.slack.set_share(slack);
        in.get(expected.bound);
    }
}

}  // namespace sluice::core
