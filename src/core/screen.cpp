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
// What C u adds to a is computed to this share of the threshold, which is about what rounding leaves of the sum.
constexpr double kNegligible = 1e-14;
// The threshold may fall by this much from one row to the next before more digits of C u are computed.
constexpr double kHeadroom = 0.5;
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

// Rows whose weight, relative to the newest, is below this add less than rounding to entries of a that are `exact_from` or
// larger; `reach`: the most that C u can have in them.
double least_weight(double exact_from, double reach) {
    return reach > 0.0 ? std::min(kNegligible * exact_from / reach, 1.0) : 1.0;
}

/// Marks the inputs of a list for as long as it lives.
class Marked {
  public:
    Marked(std::vector<std::uint8_t>& marks, std::span<const std::size_t> inputs) : marks_(&marks), inputs_(inputs) {
        set(1);
    }
    ~Marked() { set(0); }
    Marked(const Marked&) = delete;
    Marked(Marked&&) = delete;
    Marked& operator=(const Marked&) = delete;
    Marked& operator=(Marked&&) = delete;

  private:
    void set(std::uint8_t mark) {
        for (const std::size_t j : inputs_) {
            (*marks_)[j] = mark;
        }
    }
    std::vector<std::uint8_t>* marks_;
    std::span<const std::size_t> inputs_;
};

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
      output_step_(outputs, 0.0),
      is_taken_(inputs, 0),
      input_weights_(padded(inputs)),
      all_least_(padded(inputs)),
      all_most_(padded(inputs)),
      numbers_(filter_.capacity()) {
    const std::size_t most = filter_.capacity() + (options.components_for(inputs) * most_kept(inputs, options)) + 1;
    for (auto* list : {&asked_, &scratch_, &chosen_}) {
        list->reserve(most);
    }
    for (auto* list : {&chosen_along_, &taken_along_, &along_}) {
        list->reserve(most);
    }
    view_.g.resize(outputs);
    view_.scaled_g.resize(outputs);
    view_.hits.reserve(most);
    for (auto* list : {&view_.weights, &view_.along, &view_.least, &view_.most, &view_.least_outside}) {
        list->reserve(padded(most));
    }
    for (auto* list : {&sizes_, &products_}) {
        list->reserve(padded(most));
    }
}

void Screen::forget_aim() {
    std::ranges::fill(aimed_bound_, -1.0);
    least_weight_ = 1.0;
}

CandidateFilter* Screen::aim(const Moments& moments, const WorkingUnits& units, std::span<const Component> components,
                             const Row& row) {
    const std::size_t q = g_.size();
    const auto e = units.output_units();
    const auto weights = moments.inputs.next_weights();
    for (std::size_t k = 0; k < q; ++k) {
        output_step_[k] = moments.outputs.deviations()[k] * moments.inputs.row_weight();
    }
    least_weight_ = 1.0;
    for (std::size_t r = 0; r < components.size(); ++r) {
        filter_.least_square[r] = std::numeric_limits<double>::infinity();  // nothing
        filter_.bound_square[r] = 0.0;
        aimed_bound_[r] = -1.0;
        if (components[r].support.empty() || expected_[r].share == 0.0) {
            continue;
        }
        std::ranges::fill(g_, 0.0);
        double root = 0.0;
        for (const std::size_t j : components[r].support) {
            const auto next = moments.inputs.preview(j, row.x[j], weights);
            const double unit = units.input_unit(j, next.square, moments);
            const double u = components[r].u[j] * unit;
            root = std::max(root, unit * std::sqrt(next.square));
            for (std::size_t k = 0; k < q; ++k) {
                g_[k] += u * (moments.inputs.cross(j, k) + (next.deviation * output_step_[k]));
            }
        }
        for (std::size_t k = 0; k < q; ++k) {
            g_[k] *= e[k];
            filter_.g[(r * q) + k] = g_[k] * e[k];
        }
        const double guess = guessed_threshold(r, length_of(g_) * std::sqrt(units.cross_square()));
        least_weight_ = std::min(least_weight_, least_weight(kHeadroom * guess, expected_[r].bound * root));
        const double least = guess * expected_[r].slack.reach();
        aimed_bound_[r] = 8.0 * expected_[r].bound;  // it seldom grows so much from one row to the next
        filter_.least_square[r] = least * least;
        filter_.bound_square[r] = aimed_bound_[r] * aimed_bound_[r];
    }
    return &filter_;
}

// Whether the pass has noted all inputs that component r may choose.
bool Screen::pass_serves(std::size_t r, double bound) const {
    return aimed_bound_[r] >= bound && filter_.count(r) <= filter_.capacity();
}

// The (keep+1)-th largest |a| / cross that the last row lets us expect; 0: nothing is known.
double Screen::guessed_threshold(std::size_t r, double size) const {
    const double guess = expected_[r].share * size;
    return std::isfinite(guess) ? guess : 0.0;
}

// g, and kappa sum |u_j| sqrt(C~_jj), which is no less than kappa sqrt(u'C~u) and needs no product.
void Screen::set_view(View& view, const Moments& moments, const WorkingUnits& units, const Parts& parts,
                      const Component& u) {
    scaled_weights(moments, units, u, view.weights);
    inner_product(moments, units, u.support, view.weights, view.g);
    for (std::size_t k = 0; k < view.g.size(); ++k) {
        view.scaled_g[k] = view.g[k] * units.output_units()[k];
    }
    view.size = length_of(view.g) * std::sqrt(units.cross_square());
    view.bound = 0.0;
    if (parts.inputs > 0.0 && parts.cross > 0.0) {
        for (std::size_t s = 0; s < view.weights.size(); ++s) {
            view.bound += std::abs(view.weights[s]) * std::sqrt(moments.inputs.square(u.support[s]));
        }
        view.bound *= parts.inputs / parts.cross * (1.0 + kMargin);
    }
}

bool Screen::find(std::size_t r, const Moments& moments, const WorkingUnits& units, const Component& u, bool fresh,
                  std::span<const std::size_t> taken, std::vector<std::size_t>& inputs, std::vector<double>& a) {
    const Parts parts = parts_of(units, units.cross_square(), options_);
    Expected& expected = expected_[r];
    View& view = view_;
    set_view(view, moments, units, parts, u);
    if (parts.cross == 0.0 || view.size == 0.0) {
        return false;
    }
    if (!tighten_bound(view, parts.inputs / parts.cross, expected.share * view.size, moments, u)) {
        return false;
    }
    expected.bound = view.bound;

    const double guess = guessed_threshold(r, view.size);
    std::size_t need = options_.keep_for(r, p_) + 1;
    const double least = std::sqrt(filter_.least_square[r]);
    bool complete = fresh || !pass_serves(r, view.bound);
    if (!complete) {
        filter_.candidates(r, view.hits);
        gather_candidates(view, moments, units);
    } else if (filter_.count(r) > filter_.capacity()) {  // looked too far down
        expected.slack.tighten_much();
    }
    const Marked marked(is_taken_, taken);
    std::size_t candidates = complete ? 0 : collect_least(view);
    if (candidates > (3 * need) + (p_ / kCheapShare)) {  // many
        expected.slack.tighten();
    }
    bool tied = false;
    double exact_from = guess;  // entries of a from this size on are exact
    for (bool search = complete;;) {
        const bool all = !search && view.hits.size() == units.varying_inputs();  // nothing is left out
        if (!search && !complete && !all && candidates < need) {
            expected.slack.widen();
            search = true;
        }
        if (search) {
            if (!search_all(view, need, guess, moments, units, taken)) {
                return false;
            }
            gather_candidates(view, moments, units);
            candidates = collect_least(view);
            complete = true;
            search = false;
        }
        const double floor = candidates >= need ? nth_size(view.least_outside, need, guess) * (1.0 - kMargin) : 0.0;
        choose_inputs(view, floor, moments, taken, inputs);
        if (!compute_exact(view, exact_from, moments, units, parts, u, taken, inputs, a)) {
            return false;
        }
        if (sizes_.size() < need) {  // all that vary are here
            expected.share = kAnything;
            return true;
        }
        const double reached = nth_size(sizes_, need, guess);
        if (reached < kHeadroom * exact_from) {
            exact_from = reached;
            continue;
        }
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
        expected.share = std::max(reached / view.size, kAnything);
        return true;
    }
}

// kappa sqrt(u'C~u), where the bound without a product is not small already. False where the block has no room.
bool Screen::tighten_bound(View& view, double kappa, double expected_least, const Moments& moments,
                           const Component& u) {
    if (kappa == 0.0 || view.bound <= kSmallBound * expected_least) {
        return true;
    }
    if (!moments.inputs.gram().prepare(u.support, moments.inputs.squares(), moments.inputs.workers())) {
        return false;
    }
    products_.resize(u.support.size());
    moments.inputs.gram().multiply_at(u.support, view.weights, u.support, products_);
    double square = 0.0;
    for (std::size_t s = 0; s < products_.size(); ++s) {
        square += view.weights[s] * products_[s];
    }
    view.bound = kappa * std::sqrt(std::max(square, 0.0)) * (1.0 + kMargin);
    return true;
}

// view.hits: of all inputs, those that may be among the `need` largest, which are expected to be above `guess`. False
// where these are too many.
bool Screen::search_all(View& view, std::size_t need, double guess, const Moments& moments, const WorkingUnits& units,
                        std::span<const std::size_t> taken) {
    units.input_weights(moments, input_weights_.all());
    const InputMoments& of = moments.inputs;
    of.workers().share_inputs(p_, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        const std::size_t first = from * kPiece;
        const std::size_t count = std::min(to * kPiece, padded(p_)) - first;
        kernels::cross_bounds(of.cross() + first, of.cross_stride(), view.g.size(), view.scaled_g.data(),
                              input_weights_.data() + first, of.squares().data() + first, view.bound, count,
                              all_least_.data() + first, all_most_.data() + first);
    });
    for (const std::size_t j : taken) {
        all_least_[j] = 0.0;
    }
    std::fill(all_least_.data() + p_, all_least_.data() + padded(p_), -1.0);
    const double floor =
        need <= p_ ? kernels::nth_largest(all_least_.data(), p_, need - 1, guess) * (1.0 - kMargin) : 0.0;
    view.hits.clear();
    if (floor > 0.0) {  // what does not vary has 0 in all_most_
        const std::size_t count =
            kernels::entries_from(all_most_.data(), floor, padded(p_), numbers_.data(), filter_.capacity());
        view.hits.assign(numbers_.begin(),
                         numbers_.begin() + static_cast<std::ptrdiff_t>(std::min(count, numbers_.size())));
        return count <= filter_.capacity();
    }
    for (std::size_t j = 0; j < p_; ++j) {
        if (input_weights_[j] > 0.0) {
            if (view.hits.size() == filter_.capacity()) {
                return false;
            }
            view.hits.push_back(j);
        }
    }
    return true;
}

// a at the inputs; sizes_: of those outside `taken`, in the units of b. `exact_from`: entries of this size have all their
// digits. False where the block has no room.
//
// A row of the history whose weight is the share w of the newest adds about w (C~ u)_i to (C~ u)_i, which is at most
// w bound root / kappa: rows with w bound root < 1e-14 exact_from are left out. Where the input was F times as large so
// long ago, they have F times as much. That the scores h u were not larger then is tested (score_cache.cpp).
bool Screen::compute_exact(const View& view, double exact_from, const Moments& moments, const WorkingUnits& units,
                           const Parts& parts, const Component& u, std::span<const std::size_t> taken,
                           std::span<const std::size_t> inputs, std::vector<double>& a) {
    products_.assign(inputs.size(), 0.0);
    if (parts.inputs > 0.0) {
        asked_.assign(inputs.begin(), inputs.end());
        unite(asked_, u.support, scratch_);
        if (!moments.inputs.gram().prepare(asked_, moments.inputs.squares(), moments.inputs.workers())) {
            return false;
        }
        double root = view.root;
        for (const std::size_t j : taken) {
            root = std::max(root, units.input_unit(moments, j) * std::sqrt(moments.inputs.square(j)));
        }
        const double weight = std::min(least_weight_, least_weight(exact_from, view.bound * root));
        moments.inputs.gram().multiply_newest_at(u.support, view.weights, inputs, weight, products_);
    }
    a.resize(inputs.size());
    sizes_.resize(inputs.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        a[i] = units.input_unit(moments, inputs[i]) * ((parts.inputs * products_[i]) + (parts.cross * along_[i]));
        sizes_[count] = std::abs(a[i]) / parts.cross;
        count += is_taken_[inputs[i]] == 0 ? 1U : 0U;
    }
    sizes_.resize(count);
    return true;
}

// along = M E g at the given inputs.
void Screen::multiply_cross(std::span<const std::size_t> inputs, std::span<const double> scaled_g,
                            const Moments& moments, std::vector<double>& along) {
    along.assign(inputs.size(), 0.0);
    for (std::size_t k = 0; k < scaled_g.size(); ++k) {
        const double* M = moments.inputs.cross() + (k * moments.inputs.cross_stride());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            along[i] += M[inputs[i]] * scaled_g[k];
        }
    }
}

void Screen::gather_candidates(View& view, const Moments& moments, const WorkingUnits& units) {
    multiply_cross(view.hits, view.scaled_g, moments, view.along);
    view.least.resize(view.hits.size());
    view.most.resize(view.hits.size());
    view.root = 0.0;
    for (std::size_t i = 0; i < view.hits.size(); ++i) {
        const double d = units.input_unit(moments, view.hits[i]);
        const double root = d * std::sqrt(moments.inputs.square(view.hits[i]));
        const double size = d * std::abs(view.along[i]);
        view.least[i] = std::max(size - (view.bound * root), 0.0);
        view.most[i] = size + (view.bound * root);
        view.root = std::max(view.root, root);
    }
}

// inputs: the candidates that may reach the floor and all that are taken, ascending; along_: M E g at these.
void Screen::choose_inputs(const View& view, double floor, const Moments& moments, std::span<const std::size_t> taken,
                           std::vector<std::size_t>& inputs) {
    const std::size_t n = view.hits.size();
    chosen_.resize(n);
    chosen_along_.resize(n);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {  // without a branch, here and below
        chosen_[count] = view.hits[i];
        chosen_along_[count] = view.along[i];
        count += view.most[i] >= floor && is_taken_[view.hits[i]] == 0 ? 1U : 0U;
    }
    multiply_cross(taken, view.scaled_g, moments, taken_along_);
    inputs.resize(count + taken.size());
    along_.resize(inputs.size());
    std::size_t c = 0;
    std::size_t t = 0;
    while (c < count && t < taken.size()) {
        const bool chosen = chosen_[c] < taken[t];
        inputs[c + t] = chosen ? chosen_[c] : taken[t];
        along_[c + t] = chosen ? chosen_along_[c] : taken_along_[t];
        c += chosen ? 1U : 0U;
        t += chosen ? 0U : 1U;
    }
    for (; c < count; ++c) {
        inputs[c + t] = chosen_[c];
        along_[c + t] = chosen_along_[c];
    }
    for (; t < taken.size(); ++t) {
        inputs[c + t] = taken[t];
        along_[c + t] = taken_along_[t];
    }
}

// view.least_outside: what each candidate outside `taken` weighs at least, whatever C u is. Returns how many there are.
std::size_t Screen::collect_least(View& view) const {
    view.least_outside.resize(view.hits.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < view.hits.size(); ++i) {  // without a branch
        view.least_outside[count] = view.least[i];
        count += is_taken_[view.hits[i]] == 0 ? 1U : 0U;
    }
    view.least_outside.resize(count);
    return count;
}

// The `need`-th largest of some sizes.
double Screen::nth_size(std::vector<double>& sizes, std::size_t need, double guess) {
    const std::size_t n = sizes.size();
    sizes.resize(padded(n), -1.0);
    const double size = kernels::nth_largest(sizes.data(), n, need - 1, guess);
    sizes.resize(n);
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
