// screen.cpp -- finds the few inputs that a component may choose, without C u at the others.
//
//     a_i / cross = M~_i g + kappa (C~ u)_i,        kappa = inputs / cross of Parts                      eq. (16), (17)
//     |(C~ u)_i| <= sqrt(C~_ii  u'C~u)                                                                 Cauchy-Schwarz
//
// With alpha small an input whose |M~_i g| plus that bound stays below the (keep+1)-th largest |a| cannot be chosen, and
// its entry of C u is never computed. The pass over M notes the inputs that may reach a little less than what the
// (keep+1)-th largest was in the last row; for these the exact a is computed, and it must prove the guess right: the
// (keep+1)-th largest of them must reach what the pass looked for, so that no input left out can. Where it does not, a
// second pass looks further down. Exact whatever was guessed; a bad guess costs time only.
//
//   code        meaning
//   share       the (keep+1)-th largest |a| / cross, divided by |g| |M~|: free of units and of the length of memory
//   bound       kappa sqrt(u'C~u)
#include "screen.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "state.hpp"

namespace sluice::core {

namespace {

// Rounding of bounds and weights is far below this.
constexpr double kMargin = 1e-9;
// As sparsify.cpp: entries closer than this are tied.
constexpr double kTie = 1e-12;
constexpr double kLeastSlack = 0.01;
constexpr double kMostSlack = 0.4;
constexpr int kAttempts = 4;
// A share so small that the pass notes every input that varies.
constexpr double kAnything = 1e-200;

std::size_t most_kept(std::size_t inputs, const StreamOptions& options) {
    std::size_t most = 0;
    for (std::size_t r = 0; r < options.components_for(inputs); ++r) {
        most = std::max(most, options.keep_for(r, inputs));
    }
    return most;
}

// More hits than this are not few.
std::size_t room_for_hits(std::size_t inputs, const StreamOptions& options) {
    return std::min(inputs, (16 * most_kept(inputs, options)) + 256);
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
      watch_(options.components_for(inputs), outputs, room_for_hits(inputs, options), options.threads),
      again_(1, outputs, room_for_hits(inputs, options), options.threads),
      expected_(options.components_for(inputs)),
      aimed_bound_(expected_.size(), 0.0),
      g_(outputs, 0.0) {
    const std::size_t most = watch_.room + (options.components_for(inputs) * most_kept(inputs, options)) + 1;
    for (auto* list : {&hits_, &asked_, &scratch_}) {
        list->reserve(most);
    }
    candidates_.reserve(most);
    for (auto* list : {&weights_, &sizes_, &products_}) {
        list->reserve(most);
    }
}

double Screen::aimed(const Expected& expected, double g_length, double cross_square) const {
    return expected.share * (1.0 - expected.slack) * g_length * std::sqrt(cross_square);
}

void Screen::aim_at_nothing() {
    std::ranges::fill(aimed_bound_, -1.0);
}

void Screen::aim(const Moments& moments, const Working& working, std::span<const Component> components) {
    const std::size_t q = g_.size();
    const auto e = working.output_units();
    for (std::size_t r = 0; r < components.size(); ++r) {
        watch_.least_square[r] = std::numeric_limits<double>::infinity();  // nothing
        watch_.bound_square[r] = 0.0;
        aimed_bound_[r] = -1.0;
        if (components[r].support.empty() || expected_[r].share == 0.0) {
            continue;
        }
        std::ranges::fill(g_, 0.0);
        for (const std::size_t j : components[r].support) {
            const auto next = moments.preview(j);
            const double u = components[r].u[j] * working.input_unit(j, next.square, moments);
            for (std::size_t k = 0; k < q; ++k) {
                g_[k] += u * (moments.cross(j, k) + (next.deviation * moments.output_step(k)));
            }
        }
        for (std::size_t k = 0; k < q; ++k) {
            g_[k] *= e[k];
            watch_.g[(r * q) + k] = g_[k] * e[k];
        }
        const double least = aimed(expected_[r], length_of(g_), working.cross_square());
        aimed_bound_[r] = 2.0 * expected_[r].bound;  // it seldom doubles from one row to the next
        watch_.least_square[r] = least * least;
        watch_.bound_square[r] = aimed_bound_[r] * aimed_bound_[r];
    }
}

bool Screen::find(std::size_t r, const Moments& moments, const Working& working, const Component& u, bool fresh,
                  std::span<const std::size_t> taken, std::vector<std::size_t>& inputs, std::vector<double>& a) {
    const Parts parts = parts_of(working, working.cross_square(), options_);
    Expected& expected = expected_[r];
    inner_product(moments, working, u, g_);
    const double g_length = length_of(g_);
    if (parts.cross == 0.0 || g_length == 0.0 || expected.share == 0.0) {
        return false;
    }
    const double kappa = parts.inputs / parts.cross;
    scaled_weights(moments, working, u, weights_);
    Gram& gram = moments.gram();
    double bound = 0.0;
    if (kappa > 0.0) {
        if (!gram.prepare(u.support, moments.input_squares(), moments.workers())) {
            return false;
        }
        products_.resize(u.support.size());
        gram.multiply_at(u.support, weights_, u.support, products_);
        double square = 0.0;  // u'C~u
        for (std::size_t s = 0; s < products_.size(); ++s) {
            square += weights_[s] * products_[s];
        }
        bound = kappa * std::sqrt(std::max(square, 0.0)) * (1.0 + kMargin);
    }
    expected.bound = bound;

    std::size_t need = options_.keep_for(r, p_) + 1;
    bool aimed_well = !fresh && aimed_bound_[r] >= bound;
    double least = std::sqrt(watch_.least_square[r]);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::size_t count = watch_.count(r);
        if (aimed_well) {
            if (count <= watch_.room) {
                watch_.hits(r, hits_);
            }
        } else {  // a pass of its own
            least = aimed(expected, g_length, working.cross_square());
            for (std::size_t k = 0; k < g_.size(); ++k) {
                again_.g[k] = g_[k] * working.output_units()[k];
            }
            again_.least_square[0] = least * least;
            again_.bound_square[0] = bound * bound;
            Survey survey = working.blank_survey();
            moments.look(survey, &again_);
            count = again_.count(0);
            if (count <= again_.room) {
                again_.hits(0, hits_);
            }
        }
        if (count > watch_.room) {  // looked too far down, or there is nothing to tell inputs apart
            if (expected.slack <= kLeastSlack) {
                return false;
            }
            expected.slack = std::max(expected.slack / 4.0, kLeastSlack);
            aimed_well = false;
            continue;
        }
        const bool all = count == working.varying_inputs();  // nothing was left out
        gather(moments, working, bound, taken);
        while (candidates_.size() >= need || all) {
            // Exact weights of all that may reach the need-th largest.
            const double floor = candidates_.size() >= need ? lowest_needed(need) * (1.0 - kMargin) : 0.0;
            inputs.clear();
            for (const Candidate& candidate : candidates_) {
                if (std::abs(candidate.b) + candidate.reach >= floor) {
                    inputs.push_back(candidate.input);
                }
            }
            const std::size_t outside = inputs.size();
            unite(inputs, taken, scratch_);
            products_.assign(inputs.size(), 0.0);
            if (kappa > 0.0) {
                asked_.assign(inputs.begin(), inputs.end());
                unite(asked_, u.support, scratch_);
                if (!gram.prepare(asked_, moments.input_squares(), moments.workers())) {
                    return false;
                }
                gram.multiply_at(u.support, weights_, inputs, products_);
            }
            a.resize(inputs.size());
            sizes_.clear();
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const std::size_t j = inputs[i];
                double along = 0.0;
                for (std::size_t k = 0; k < g_.size(); ++k) {
                    along += moments.cross(j, k) * (working.output_units()[k] * g_[k]);
                }
                a[i] = working.input_unit(moments, j) * ((parts.inputs * products_[i]) + (parts.cross * along));
                if (!std::ranges::binary_search(taken, j)) {
                    sizes_.push_back(std::abs(a[i]) / parts.cross);
                }
            }
            if (sizes_.size() < need) {  // all that vary are here
                expected.share = kAnything;
                return all && outside == candidates_.size();
            }
            std::ranges::nth_element(sizes_, sizes_.begin() + static_cast<std::ptrdiff_t>(need - 1), std::greater{});
            const double reached = sizes_[need - 1];
            if (!all && reached < least * (1.0 + kMargin)) {
                break;  // an input left out might reach this: look further down
            }
            // On a tie at the threshold the next smaller weight is needed too.
            std::size_t above = 0;
            std::size_t with_ties = 0;
            for (const double size : sizes_) {
                above += size > reached * (1.0 + kTie) ? 1U : 0U;
                with_ties += size >= reached * (1.0 - kTie) ? 1U : 0U;
            }
            if (above + 1 < need && with_ties >= need && need <= options_.keep_for(r, p_) + 1 && reached > 0.0) {
                need = with_ties + 1;
                continue;
            }
            expected.share = reached / (g_length * std::sqrt(working.cross_square()));
            if (attempt == 0) {
                const bool many = count > 3 * need + taken.size();
                expected.slack = std::clamp(many ? expected.slack * 0.75 : expected.slack, kLeastSlack, kMostSlack);
            }
            return true;
        }
        expected.slack = std::min(expected.slack * 2.0, kMostSlack);
        if (attempt > 0) {
            expected.share *= 0.5;
        }
        aimed_well = false;
    }
    return false;
}

// b and its reach for all hits outside `taken`.
void Screen::gather(const Moments& moments, const Working& working, double bound,
                    std::span<const std::size_t> taken) {
    candidates_.clear();
    for (const std::size_t j : hits_) {
        if (std::ranges::binary_search(taken, j)) {
            continue;
        }
        const double d = working.input_unit(moments, j);
        double along = 0.0;
        for (std::size_t k = 0; k < g_.size(); ++k) {
            along += moments.cross(j, k) * (working.output_units()[k] * g_[k]);
        }
        candidates_.push_back(
            {.input = j, .b = d * along, .reach = bound * d * std::sqrt(moments.input_square(j))});
    }
}

// At least `need` inputs weigh so much, whatever C u is.
double Screen::lowest_needed(std::size_t need) {
    sizes_.clear();
    for (const Candidate& candidate : candidates_) {
        sizes_.push_back(std::max(std::abs(candidate.b) - candidate.reach, 0.0));
    }
    std::ranges::nth_element(sizes_, sizes_.begin() + static_cast<std::ptrdiff_t>(need - 1), std::greater{});
    return sizes_[need - 1];
}

void Screen::learn(std::size_t r, const Working& working, const Parts& parts, std::span<const double> g,
                   double least) {
    const double size = length_of(g) * std::sqrt(working.cross_square()) * parts.cross;
    const double share = size > 0.0 ? std::max(least / size, kAnything) : 0.0;
    expected_[r].share = std::isfinite(share) ? share : 0.0;
}

void Screen::save(StateWriter& out) const {
    for (const Expected& expected : expected_) {
        out.put(expected.share);
        out.put(expected.slack);
        out.put(expected.bound);
    }
}

void Screen::load(StateReader& in) {
    for (Expected& expected : expected_) {
        in.get(expected.share);
        in.get(expected.slack);
        in.get(expected.bound);
    }
}

}  // namespace sluice::core
