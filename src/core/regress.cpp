// regress.cpp -- from selected variables to predictions of the outputs.
//
//     W = (U'CU)^+ U'M,   beta = U W                                                                     eq. (3), (10)
//     W = s'y / s's                                                                                           eq. (20)
//     beta_S = (C_SS + (r/n) I)^-1 M_S                                       refit on the support S, not in the paper
//
//   code   paper   size     meaning
//   A      -       R R      U'C~U, or C~_SS plus the ridge, |S| x |S|
//   W      W       R q      loadings, in working units
//   beta   beta    |S| q    coefficients of the selected variables, in working units
//
// (r/n) is in units of the mean diagonal of C_SS, which is 1 when inputs are scaled: the refit does not depend on units.
// An output first seen late has a smaller weight n_k than the inputs' n: its column of M is brought to the same weight,
// M_k n / n_k, and it is shrunk by r / n_k.
#include "regress.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "small_dense.hpp"
#include "sparse_vector.hpp"

namespace sluice::core {

namespace {

// Directions of U'CU whose strength is below this share of the strongest are rounding, not data.
constexpr double kRank = 1e-12;
// Diagonal of the Cholesky factor, least against largest: above this A is inverted to about ten digits.
constexpr double kSafePivot = 1e-3;
// The least ridge: duplicate columns make C_SS singular, and this leaves ten digits of the others.
constexpr double kLeastRidge = 1e-10;

// n / n_k, which brings a column of M to the weight of the inputs; 0 for an output never seen.
double weight_ratio(const Moments& moments, std::size_t k) {
    const double own = moments.outputs.weight(k);
    return own > 0.0 ? moments.inputs.weight() / own : 0.0;
}

}  // namespace

struct Regression::Scratch {
    explicit Scratch(std::size_t components)
        : small(components * components),
          small_factor(components * components),
          forward(components),
          pseudo_inverse(components) {}

    std::vector<double> A;                  // C~_SS
    std::vector<double> factor;             // scratch for its Cholesky factor
    std::vector<double> small;              // U'C~U
    std::vector<double> small_factor;       // and its Cholesky factor
    std::vector<double> forward;            // L^-1 U'M~ of one output
    PseudoInverse pseudo_inverse;           // of U'C~U
    std::vector<double> scaled;             // D u of one component, or D beta
    std::vector<std::vector<double>> each;  // likewise of each component
    std::vector<std::size_t> united;
    std::vector<std::span<const std::size_t>> supports;
    std::vector<std::span<const double>> coefficients;
};

Regression::Regression(std::size_t inputs, const StreamOptions& options)
    : shrinkage_(options.shrinkage), scratch_(std::make_unique<Scratch>(options.components_for(inputs))) {
    scratch_->united.reserve(inputs);
}

Regression::~Regression() = default;
Regression::Regression(const Regression& other)
    : shrinkage_(other.shrinkage_),
      covariance_square_(other.covariance_square_),
      scratch_(std::make_unique<Scratch>(*other.scratch_)) {}
Regression& Regression::operator=(const Regression& other) {
    if (this != &other) {
        *this = Regression(other);
    }
    return *this;
}
Regression::Regression(Regression&&) noexcept = default;
Regression& Regression::operator=(Regression&&) noexcept = default;

void Regression::reserve(std::size_t variables) {
    scratch_->A.reserve(variables * variables);
    scratch_->factor.reserve(variables * variables);
}

// A = U'C~U in the scratch space, and D u of each component.
void Regression::take_inner_products(const Moments& moments, const WorkingUnits& units,
                                     std::span<const Component> components, std::span<const std::size_t> selected) {
    const std::size_t R = components.size();
    const bool fits = moments.inputs.gram().prepare(selected, moments.inputs.squares(), moments.inputs.workers());
    assert(fits);
    (void)fits;
    scratch_->each.resize(std::max(R, scratch_->each.size()));  // fewer components follow more, row by row
    scratch_->supports.clear();
    scratch_->coefficients.clear();
    for (std::size_t r = 0; r < R; ++r) {
        scaled_weights(moments, units, components[r], scratch_->each[r]);
        scratch_->supports.emplace_back(components[r].support);
        scratch_->coefficients.emplace_back(scratch_->each[r]);
    }
    moments.inputs.gram().inner_products(scratch_->supports, scratch_->coefficients, selected,
                                         {scratch_->small.data(), R * R});
}

// u_r'M~_k
double Regression::inner_cross(const Moments& moments, std::size_t r, const Component& component, std::size_t k) const {
    return sparse_dot(scratch_->each[r], component.support, moments.inputs.cross_column(k));
}

void Regression::weighted_loadings(const Moments& moments, const WorkingUnits& units,
                                   std::span<const Component> components, std::span<const std::size_t> selected,
                                   std::span<double> W) {
    const std::size_t R = components.size();
    take_inner_products(moments, units, components, selected);
    const std::span<const double> A(scratch_->small.data(), R * R);
    // W = A^-1 U'M~ by Cholesky where A is far from singular; else by the pseudo-inverse, which costs more.
    const std::span<double> L(scratch_->small_factor.data(), R * R);
    std::ranges::copy(A, L.begin());
    const bool regular = small_cholesky_in_place(L, R) > kSafePivot;
    if (!regular) {
        scratch_->pseudo_inverse.compute(A, R);
    }
    covariance_square_ = 0.0;
    for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t k = 0; k < units.output_units().size(); ++k) {
            const double inner = inner_cross(moments, r, components[r], k) * units.output_units()[k];
            covariance_square_ += inner * inner;
            W[(k * R) + r] = inner * weight_ratio(moments, k);
        }
    }
    for (std::size_t k = 0; k < units.output_units().size(); ++k) {
        const auto w = W.subspan(k * R, R);
        if (regular) {
            small_cholesky_solve(L, R, w);
        } else {
            scratch_->pseudo_inverse.solve(w, kRank);
        }
    }
}

void instant_loadings(std::span<const double> s, std::span<const double> y, std::span<double> W) {
    double square = 0.0;
    for (const double a : s) {
        square += a * a;
    }
    if (square == 0.0) {
        return;
    }
    for (std::size_t k = 0; k < y.size(); ++k) {
        for (std::size_t r = 0; r < s.size(); ++r) {
            W[(k * s.size()) + r] = s[r] * y[k] / square;
        }
    }
}

void Regression::combine(std::span<const Component> components, std::span<const double> W, std::size_t outputs,
                         Coefficients& out) {
    const std::size_t size = out.selected.size();
    const std::size_t R = components.size();
    out.beta.resize(size * outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
        for (std::size_t r = 0; r < R; ++r) {
            const double* u = components[r].u.data();
            const std::size_t* selected = out.selected.data();
            double* beta = out.beta.data() + (k * size);
            const double w = W[(k * R) + r];
            for (std::size_t i = 0; i < size; ++i) {
                beta[i] = (r == 0 ? 0.0 : beta[i]) + (u[selected[i]] * w);
            }
        }
    }
}

void Regression::refit(const Moments& moments, const WorkingUnits& units, Coefficients& out) {
    out.beta.resize(out.selected.size() * units.output_units().size());
    const double unit = take_block(moments, units, out.selected);
    solve(moments, units, out.selected, unit, out.beta);
}

void Regression::refit_each(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> selected,
                            std::span<const double> shrinkages, std::span<std::vector<double>> betas) {
    const double unit = take_block(moments, units, selected);
    const double own = shrinkage_;
    for (std::size_t i = 0; i < shrinkages.size(); ++i) {
        shrinkage_ = shrinkages[i];
        betas[i].resize(selected.size() * units.output_units().size());
        solve(moments, units, selected, unit, betas[i]);
    }
    shrinkage_ = own;
}

// A = C~_SS and D_S in the scratch space; returns the mean diagonal of A.
double Regression::take_block(const Moments& moments, const WorkingUnits& units,
                              std::span<const std::size_t> selected) {
    const std::size_t size = selected.size();
    scratch_->A.resize(size * size);
    scratch_->factor.resize(size * size);
    const bool fits = moments.inputs.gram().prepare(selected, moments.inputs.squares(), moments.inputs.workers());
    assert(fits);
    (void)fits;
    scratch_->scaled.clear();
    for (const std::size_t j : selected) {
        scratch_->scaled.push_back(units.input_unit(moments, j));
    }
    moments.inputs.gram().block(selected, scratch_->A);
    double diagonal = 0.0;
    for (std::size_t c = 0; c < size; ++c) {
        for (std::size_t i = 0; i < size; ++i) {
            scratch_->A[(c * size) + i] *= scratch_->scaled[i] * scratch_->scaled[c];
        }
        diagonal += scratch_->A[(c * size) + c];
    }
    return size > 0 ? diagonal / static_cast<double>(size) : 0.0;
}

void Regression::solve(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> selected,
                       double unit, std::span<double> betas) {
    const std::size_t size = selected.size();
    const std::size_t q = units.output_units().size();
    for (std::size_t first = 0, last = 0; first < q; first = last) {  // outputs of equal weight n_k share a factor
        const double n_k = moments.outputs.weight(first);
        for (last = first + 1; last < q && moments.outputs.weight(last) == n_k;) {
            ++last;
        }
        const auto B = betas.subspan(first * size, (last - first) * size);
        if (n_k == 0.0 || unit == 0.0) {  // never seen, or no variable has any variance
            std::ranges::fill(B, 0.0);
            continue;
        }
        for (std::size_t k = first; k < last; ++k) {
            const double unit_k = units.output_units()[k] * weight_ratio(moments, k);
            for (std::size_t i = 0; i < size; ++i) {
                B[((k - first) * size) + i] = scratch_->scaled[i] * moments.inputs.cross(selected[i], k) * unit_k;
            }
        }
        solve_with_ridge(scratch_->A, size, ridge(n_k) * unit, scratch_->factor, B);
    }
}

double Regression::ridge(double n_k) const {
    return std::max(shrinkage_ / n_k, kLeastRidge);
}

void Regression::explaining_weights(const Moments& moments, const WorkingUnits& units, const Coefficients& fit,
                                    std::vector<double>& b) {
    const std::size_t q = units.output_units().size();
    const std::size_t size = fit.selected.size();
    b.resize(size * q);
    for (std::size_t k = 0; k < q; ++k) {
        const double ratio = weight_ratio(moments, k);
        const double share = ratio > 0.0 ? 1.0 / ratio : 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            b[(i * q) + k] = fit.beta[(k * size) + i] * share;
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        const double d = units.input_unit(moments, fit.selected[i]);
        for (std::size_t k = 0; k < q; ++k) {
            b[(i * q) + k] *= d;
        }
    }
}

void Regression::explain(const Moments& moments, const WorkingUnits& units, const Coefficients& fit,
                         std::span<double> explained) {
    explaining_weights(moments, units, fit, scratch_->scaled);
    moments.inputs.gram().multiply(fit.selected, scratch_->scaled, units.output_units().size(), explained.data(),
                                   moments.inputs.cross_stride(), moments.inputs.workers());
}

}  // namespace sluice::core
