// refit_screen.cpp -- with `deflation = refit`, finds the few inputs whose entries of the direction count.
//
//     a = D (rho C D u + kappa (M E - C b) g),    b = D beta_S,    g = (M E - C b)' D u                  eq. (16), (17)
//       = kappa D M E g + D C v,                  v = rho D u - kappa b g
//
//   code       meaning
//   b          what the refit on the variables S so far explains: |S| x q
//   g          covariance of the outputs, as far as not explained, along u
//   rho, kappa parts of H (subspace.hpp); kappa depends on |M~ - C~_S beta_S|^2, a sum over all inputs
//   reach      |a'_i - a_i| <= reach, where a' is computed in single precision (single_gram.cpp)
//
// Only the `keep` largest entries outside S and the next one are needed. a' is computed at all inputs. With t the
// (keep + 1)-th largest |a'|, the same number of |a| reach t - reach, so that no input with |a'| < t - 2 reach can be among
// them. For the few others a is computed again in double precision: v has few entries.
//
// The sum of squares that kappa needs comes from single precision, too. Only the proportion of the parts matters, and the
// C part weighs `ridge` of the whole: an error of the sum changes a by ridge times as much.
#include "refit_screen.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernels.hpp"
#include "single_gram.hpp"
#include "sparsify.hpp"

namespace sluice::core {

namespace {

// How far below the last threshold the search begins.
constexpr ThresholdSlack::Limits kRefitSlack{.first = 0.1, .least = 0.01, .most = 0.5};

// With more candidates than this number of times those needed, and some, the screen does not pay.
constexpr std::size_t kManyTimes = 8;
constexpr std::size_t kManyMore = 64;

// The bound of the error of what is left of M~, as a share of it, below which there certainly is something left.
constexpr double kMostUncertain = 0.1;
// The expected error of the sum of squares, as a share of it and times the ridge, below which the parts of H are as good as
// exact. (Selections rest on bounds alone. This moves an entry of the direction by that much of the threshold.)
constexpr double kMostError = 1e-10;

// The C part is not computed at all inputs where it is at most this share of the threshold: what it can be is added to
// the reach.
constexpr double kSmallPart = 2e-3;

constexpr std::size_t kSingles = kCacheLine / sizeof(float);

// A power of two of the size of the largest number, so that numbers divided by it fit single precision.
double size_of(double largest) {
    return largest > 0.0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

// Factors between numbers of single precision that leave room for sums.
bool fits_single(double factor) {
    return factor > 0x1p-100 && factor < 0x1p100;
}

std::size_t single_length(std::size_t inputs) {
    return (inputs + kSingles - 1) / kSingles * kSingles;
}

}  // namespace

RefitScreen::RefitScreen(std::size_t inputs, std::size_t outputs, const StreamOptions& options)
    : options_(options),
      p_(inputs),
      slack_(options.components_for(inputs), ThresholdSlack(kRefitSlack)),
      g_(outputs, 0.0),
      scaled_g_(outputs, 0.0),
      piece_left_(pieces_of(inputs)),
      hits_(single_length(inputs)),
      length_(single_length(inputs)),
      cross_(length_ * outputs),
      back_(length_),
      direction_(length_),
      along_(outputs, 0.0F) {
    const std::size_t most = std::min(inputs, 2 * most_selected(inputs, options));
    for (auto* list : {&variables_, &asked_, &scratch_, &found_.inputs}) {
        list->reserve(inputs);
    }
    for (auto* list : {&found_.a, &products_, &sizes_}) {
        list->reserve(inputs);
    }
    b_.reserve(most * outputs);
    weights_.reserve(most);
    coefficients_.reserve(most);
    columns_.reserve(most);
    factors_.reserve(most * outputs);
}

// The largest of what work(first, last) returns, for consecutive parts of all inputs that the threads share.
template <typename Work>
float RefitScreen::largest_of_pieces(const Given& given, const Work& work) {
    std::ranges::fill(piece_left_, PieceLeft{});
    given.moments.inputs.workers().share_inputs(p_, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        if (from < to) {
            piece_left_[from].sums.largest = work(from * kPiece, std::min(to * kPiece, padded(p_)));
        }
    });
    return std::ranges::max(piece_left_, {}, [](const PieceLeft& piece) { return piece.sums.largest; }).sums.largest;
}

const double* RefitScreen::roots_from(const Given& given, std::size_t first) {
    return given.input_roots == nullptr ? nullptr : given.input_roots + first;
}

void RefitScreen::start_row(const Given& given) {
    const InputMoments& inputs = given.moments.inputs;
    cross_unit_ = size_of(std::sqrt(given.units.cross_square()));
    largest_cross_ = largest_of_pieces(given, [&](std::size_t first, std::size_t last) {
        float largest = 0.0F;
        for (std::size_t k = 0; k < g_.size(); ++k) {
            const float own = kernels::to_single(inputs.cross() + (k * inputs.cross_stride()) + first,
                                                 roots_from(given, first), given.units.output_units()[k] / cross_unit_,
                                                 last - first, cross_.data() + (k * length_) + first);
            largest = std::max(largest, own);
        }
        return largest;
    });
    units_known_ = false;
}

bool RefitScreen::find(const Given& given, const Wanted& wanted, double& expected) {
    const InputMoments& inputs = given.moments.inputs;
    Gram& gram = inputs.gram();
    SingleGram& single = *gram.single();
    variables_.assign(wanted.fit.selected.begin(), wanted.fit.selected.end());
    unite(variables_, wanted.u.support, scratch_);
    // In this order: what is prepared may change the units of columns.
    if (!gram.prepare(variables_, inputs.squares(), inputs.workers()) ||
        !single.take(wanted.fit.selected, inputs.workers())) {
        return false;
    }
    find_inner(given, wanted);
    if (!find_left(given, wanted, single)) {
        return false;
    }
    const Parts parts = parts_of(given.units, found_.left_square, options_);
    const double unit = parts.cross * cross_unit_ * g_unit_;  // of direction_
    if (!(unit > 0.0)) {
        return false;
    }
    double C_part = parts.inputs * reach_of_C_part(given, wanted) / unit;
    if (C_part > kSmallPart * expected * largest_) {
        if (!single.take(variables_, inputs.workers()) || !add_C_part(given, wanted, single, parts.inputs / unit)) {
            return false;
        }
        C_part *= single.error() + (static_cast<double>(weights_.size() + 8) * SingleGram::kRounding);
    }
    found_.largest = largest_ * unit;
    for (const std::size_t j : wanted.fit.selected) {
        direction_[j] = 0.0F;
    }
    const double error = C_part + reach(given, wanted, single.error());
    const std::size_t keep = options_.keep_for(wanted.number, p_);
    for (std::size_t need = keep + 1;;) {
        if (!narrow(need, error, slack_[wanted.number], expected) || !compute_exact(given, wanted, parts)) {
            return false;
        }
        const std::size_t more = needed(keep, need);
        if (more <= need) {
            return true;
        }
        need = more;
    }
}

// g, b and D u
void RefitScreen::find_inner(const Given& given, const Wanted& wanted) {
    const auto& S = wanted.fit.selected;
    scaled_weights(given.moments, given.units, wanted.u, weights_);
    inner_product(given.moments, given.units, wanted.u.support, weights_, g_);  // u'D M E
    if (S.empty()) {
        return;
    }
    Regression::explaining_weights(given.moments, given.units, wanted.fit, b_);
    products_.resize(S.size());
    given.moments.inputs.gram().multiply_at(wanted.u.support, weights_, S, products_);
    for (std::size_t s = 0; s < S.size(); ++s) {
        for (std::size_t k = 0; k < g_.size(); ++k) {
            g_[k] -= products_[s] * b_[(s * g_.size()) + k];
        }
    }
}

// direction_ = (M E - C b) g at all inputs, and the sum of squares of what is left. False where that is not certain enough.
bool RefitScreen::find_left(const Given& given, const Wanted& wanted, const SingleGram& single) {
    const InputMoments& inputs = given.moments.inputs;
    const auto& S = wanted.fit.selected;
    const std::size_t q = g_.size();
    g_unit_ = 0.0;
    for (std::size_t k = 0; k < q; ++k) {
        scaled_g_[k] = g_[k] * given.units.output_units()[k];
        g_unit_ = std::max(g_unit_, std::abs(g_[k]));
    }
    g_unit_ = size_of(g_unit_);
    std::ranges::transform(g_, along_.begin(), [&](double g) { return static_cast<float>(g / g_unit_); });
    columns_.clear();
    double largest = 0.0;
    for (std::size_t s = 0; s < S.size(); ++s) {
        columns_.push_back(single.column(S[s]));
        for (std::size_t k = 0; k < q; ++k) {
            largest = std::max(largest, std::abs(b_[(s * q) + k]) * single.inverse_units()[S[s]]);
        }
    }
    const double back = size_of(largest);
    factors_.resize(S.size() * q);
    sizes_.assign(q, 0.0);  // of each output: sum of |b_s| sqrt(C_ss)
    for (std::size_t s = 0; s < S.size(); ++s) {
        const double unit = single.inverse_units()[S[s]] / back;
        const double root = std::sqrt(inputs.square(S[s]));
        for (std::size_t k = 0; k < q; ++k) {
            factors_[(s * q) + k] = static_cast<float>(b_[(s * q) + k] * unit);
            sizes_[k] += std::abs(b_[(s * q) + k]) * root;
        }
    }
    if (!S.empty() && (!find_units(given, single) || !fits_single(back / cross_unit_))) {
        return false;
    }
    const kernels::Left all = run_pass(given, {.M = cross_.data(),
                                               .stride = length_,
                                               .outputs = q,
                                               .g = along_.data(),
                                               .z = back_.data(),
                                               .factor = static_cast<float>(S.empty() ? 1.0 : back / cross_unit_),
                                               .columns = columns_.data(),
                                               .count = S.size(),
                                               .coefficient = factors_.data()});
    largest_ = static_cast<double>(all.largest);
    if (S.empty()) {
        found_.left_square = given.units.cross_square();
        return true;
    }
    // The errors of the entries have random signs: so have those of their rows, and in the sum those of the inputs.
    found_.left_square = all.square * cross_unit_ * cross_unit_;
    const double uncertain = std::inner_product(sizes_.begin(), sizes_.end(), sizes_.begin(), 0.0);
    const double size = std::sqrt(uncertain * given.units.input_trace());
    const double cross = SingleGram::kRounding * std::sqrt(given.units.cross_square());
    const double left = std::sqrt(found_.left_square);
    const double bound =
        ((single.error() + (static_cast<double>(S.size() + 8) * SingleGram::kRounding)) * size) + (4.0 * cross);
    const double expected =
        ((2.0 * SingleGram::kRounding * std::sqrt(std::min(inputs.weight(), 1e6) + 16.0) * size) + cross) /
        std::sqrt(static_cast<double>(given.units.varying_inputs()));
    return bound <= kMostUncertain * left && options_.ridge * expected <= kMostError * left;
}

// back_ = D / unit at all inputs
bool RefitScreen::find_units(const Given& given, const SingleGram& single) {
    if (!units_known_) {
        const float largest = largest_of_pieces(given, [&](std::size_t first, std::size_t last) {
            return kernels::to_single(single.inverse_units() + first, roots_from(given, first), 1.0, last - first,
                                      back_.data() + first);
        });
        units_known_ = std::isfinite(largest);
    }
    return units_known_;
}

kernels::Left RefitScreen::run_pass(const Given& given, const kernels::LeftOfFit& fit) {
    given.moments.inputs.workers().share_inputs(p_, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        for (std::size_t piece = from; piece < to; ++piece) {
            piece_left_[piece].sums =
                kernels::left_of_fit(fit, piece * kPiece, std::min((piece + 1) * kPiece, length_), direction_.data());
        }
    });
    kernels::Left all{.square = 0.0, .largest = 0.0F};
    for (const PieceLeft& piece : piece_left_) {
        all.square += piece.sums.square;
        all.largest = std::max(all.largest, piece.sums.largest);
    }
    return all;
}

// direction_ gains `proportion` times D C D u.
bool RefitScreen::add_C_part(const Given& given, const Wanted& wanted, const SingleGram& single, double proportion) {
    columns_.clear();
    factors_.resize(weights_.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        largest = std::max(largest, std::abs(weights_[i]) * single.inverse_units()[wanted.u.support[i]]);
    }
    const double back = size_of(largest);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        columns_.push_back(single.column(wanted.u.support[i]));
        factors_[i] = static_cast<float>(-weights_[i] * single.inverse_units()[wanted.u.support[i]] / back);
    }
    if (!find_units(given, single) || !fits_single(back * proportion)) {
        return false;
    }
    const float one = 1.0F;
    const kernels::Left all = run_pass(given, {.M = direction_.data(),
                                               .stride = length_,
                                               .outputs = 1,
                                               .g = &one,
                                               .z = back_.data(),
                                               .factor = static_cast<float>(back * proportion),
                                               .columns = columns_.data(),
                                               .count = columns_.size(),
                                               .coefficient = factors_.data()});
    largest_ = static_cast<double>(all.largest);
    return true;
}

// The largest D_i sqrt(C_ii).
double RefitScreen::largest_deviation(const Given& given) const {
    if (options_.scale_inputs) {
        return 1.0;
    }
    double most = 0.0;
    for (std::size_t i = 0; i < p_; ++i) {
        most = std::max(most, given.input_weights[i] * given.moments.inputs.square(i));
    }
    return std::sqrt(most);
}

// The most that D C D u can be at an input: |C_ij| <= sqrt(C_ii C_jj).
double RefitScreen::reach_of_C_part(const Given& given, const Wanted& wanted) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        sum += std::abs(weights_[i]) * std::sqrt(given.moments.inputs.square(wanted.u.support[i]));
    }
    return sum * largest_deviation(given);
}

// The largest error of D (M E - C b) g at an input, in units of direction_.
double RefitScreen::reach(const Given& given, const Wanted& wanted, double error) const {
    const auto& S = wanted.fit.selected;
    const std::size_t q = g_.size();
    double of_C = 0.0;     // sum of |b_s g| sqrt(C_ss)
    double of_sums = 0.0;  // the same of the terms of the sums in single precision
    for (std::size_t s = 0; s < S.size(); ++s) {
        double explained = 0.0;
        double terms = 0.0;
        for (std::size_t k = 0; k < q; ++k) {
            explained += b_[(s * q) + k] * g_[k];
            terms += std::abs(b_[(s * q) + k] * g_[k]);
        }
        const double root = std::sqrt(given.moments.inputs.square(S[s]));
        of_C += std::abs(explained) * root;
        of_sums += terms * root;
    }
    double of_cross = 0.0;
    for (const float g : along_) {
        of_cross += std::abs(static_cast<double>(g));
    }
    const double roundings = static_cast<double>(q + 8) * SingleGram::kRounding;
    const double C_part =
        (error * of_C) + ((roundings + (static_cast<double>(S.size()) * SingleGram::kRounding)) * of_sums);
    return (C_part * largest_deviation(given) / (cross_unit_ * g_unit_)) +
           (roundings * static_cast<double>(largest_cross_) * of_cross);
}

// found_.inputs: those whose entry may be among the `need` largest.
bool RefitScreen::narrow(std::size_t need, double reach, ThresholdSlack& slack, double& expected) {
    for (const double share : {expected * slack.reach(), 0.0}) {  // a little below the last threshold, then everywhere
        const auto least = static_cast<float>(share * largest_);
        const std::size_t count = kernels::entries_from(direction_.data(), least, length_, hits_.data());
        if (count < need) {
            slack.widen();
            continue;
        }
        sizes_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            sizes_[i] = std::abs(static_cast<double>(direction_[hits_[i]]));
        }
        const auto nth = sizes_.begin() + static_cast<std::ptrdiff_t>(need - 1);
        std::ranges::nth_element(sizes_, nth, std::greater{});
        const double floor = *nth - (2.0 * reach);
        if (!(floor > 0.0)) {
            return false;
        }
        if (floor < static_cast<double>(least)) {
            slack.widen();
            continue;
        }
        if (count > 4 * need) {
            slack.tighten();
        }
        expected = floor / largest_;
        found_.inputs.clear();
        for (std::size_t i = 0; i < count; ++i) {
            if (std::abs(static_cast<double>(direction_[hits_[i]])) >= floor) {
                found_.inputs.push_back(hits_[i]);
            }
        }
        return found_.inputs.size() <= (kManyTimes * need) + kManyMore;
    }
    return false;
}

// a at found_.inputs
bool RefitScreen::compute_exact(const Given& given, const Wanted& wanted, const Parts& parts) {
    const InputMoments& inputs = given.moments.inputs;
    Gram& gram = inputs.gram();
    const auto& S = wanted.fit.selected;
    const std::size_t q = g_.size();
    coefficients_.assign(variables_.size(), 0.0);
    const auto at = [&](std::size_t j) -> double& {
        const auto place = std::ranges::lower_bound(variables_, j) - variables_.begin();
        return coefficients_[static_cast<std::size_t>(place)];
    };
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        at(wanted.u.support[i]) += parts.inputs * weights_[i];
    }
    for (std::size_t s = 0; s < S.size(); ++s) {
        double explained = 0.0;
        for (std::size_t k = 0; k < q; ++k) {
            explained += b_[(s * q) + k] * g_[k];
        }
        at(S[s]) -= parts.cross * explained;
    }
    asked_.assign(variables_.begin(), variables_.end());
    unite(asked_, found_.inputs, scratch_);
    if (!gram.prepare(asked_, inputs.squares(), inputs.workers())) {
        return false;
    }
    products_.resize(found_.inputs.size());
    gram.multiply_at(variables_, coefficients_, found_.inputs, products_);
    found_.a.resize(found_.inputs.size());
    for (std::size_t i = 0; i < found_.inputs.size(); ++i) {
        const std::size_t j = found_.inputs[i];
        double along = 0.0;
        for (std::size_t k = 0; k < q; ++k) {
            along += inputs.cross(j, k) * scaled_g_[k];
        }
        const double d = given.input_roots == nullptr ? 1.0 : given.input_roots[j];
        found_.a[i] = d * (products_[i] + (parts.cross * along));
    }
    return true;
}

// Entries that tie at the threshold need the next smaller one, too.
std::size_t RefitScreen::needed(std::size_t keep, std::size_t need) {
    sizes_.resize(found_.a.size());
    std::ranges::transform(found_.a, sizes_.begin(), [](double a) { return std::abs(a); });
    const auto nth = sizes_.begin() + static_cast<std::ptrdiff_t>(need - 1);
    std::ranges::nth_element(sizes_, nth, std::greater{});
    const double reached = *nth;
    std::size_t above = 0;
    std::size_t with_ties = 0;
    for (const double size : sizes_) {
        above += size > reached * (1.0 + kTie) ? 1U : 0U;
        with_ties += size >= reached * (1.0 - kTie) ? 1U : 0U;
    }
    return above < keep && reached > 0.0 && with_ties + 1 > need ? with_ties + 1 : need;
}

}  // namespace sluice::core
