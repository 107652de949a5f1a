// subspace.cpp -- one simultaneous iteration on the bridge matrix H, and the projection between components.
//
//     H = alpha C + (1 - alpha) M M'                                                                    eq. (6), (16)
//     a^(r) = H u^(r),   q^(r) = (I - P) a^(r)                                                          eq. (17), (18)
//
//   code    paper   size   meaning
//   u       u       p      the component's weights of the last row; `keep` of them are not zero
//   g       M'u     q      taken over the non-zeros of u only
//   a       a       p      alpha C u + (1 - alpha) M g: `keep` columns of C and all of M are read, never H
//   basis_  -       p r    orthonormal basis of the span of the sparse u^(1) .. u^(r-1), on their supports
//
// Departs from the paper: by default each part of H is divided by its trace (units do not matter), and P projects onto
// the span of the *sparse* vectors of this row. The printed sum of u u' is that projection only while they are
// orthogonal to each other, which thresholding undoes from the third component on.
#include "subspace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "index_words.hpp"
#include "sparse_vector.hpp"

namespace sluice::core {

namespace {

// A vector that keeps less than this of its length after projection is rounding and not a direction.
constexpr double kDependent = 1e-12;

}  // namespace

std::size_t most_selected(std::size_t inputs, const StreamOptions& options) {
    std::size_t most = 0;
    for (std::size_t r = 0; r < options.components_for(inputs); ++r) {
        most += options.keep_for(r, inputs);
    }
    return std::min({most, inputs, options.names.value_or(inputs)});
}

Parts parts_of(const WorkingUnits& units, double cross_square, const StreamOptions& options) {
    const double alpha = options.ridge;
    if (options.balance == Balance::trace) {
        return {.inputs = alpha > 0.0 ? alpha / units.input_trace() : 0.0,
                .cross = cross_square > 0.0 ? (1.0 - alpha) / cross_square : 0.0};
    }
    const double gain = units.raw_gain();  // only the proportion matters: neither part may overflow
    return gain > 1.0 ? Parts{.inputs = alpha / gain, .cross = 1.0 - alpha}
                      : Parts{.inputs = alpha, .cross = (1.0 - alpha) * gain};
}

void scaled_weights(const Moments& moments, const WorkingUnits& units, const Component& component,
                    std::vector<double>& out) {
    out.resize(component.support.size());
    if (units.input_units_are_ones()) {
        gather(component.u.data(), component.support, out.data());
        return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t j = component.support[i];
        out[i] = units.input_unit(moments, j) * component.u[j];
    }
}

void inner_product(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> support,
                   std::span<const double> scaled, std::span<double> g) {
    for (std::size_t k = 0; k < g.size(); ++k) {
        g[k] = sparse_dot(scaled, support, moments.inputs.cross_column(k)) * units.output_units()[k];
    }
}

SparseSpan::SparseSpan(std::size_t inputs, std::size_t components)
    : basis_(components), supports_(components), dense_(inputs, 0.0) {
    for (std::size_t r = 0; r < components; ++r) {
        basis_[r].reserve(inputs);
        supports_[r].reserve(inputs);
    }
    scratch_.reserve(inputs);
}

void SparseSpan::add(const Component& component) {
    std::vector<double>& b = basis_[size_];
    std::vector<std::size_t>& support = supports_[size_];
    // The new vector lives on the supports of all so far, which are those of the last one.
    support.assign(component.support.begin(), component.support.end());
    if (size_ > 0) {
        unite(support, supports_[size_ - 1], scratch_);
    }
    b.resize(support.size());
    if (size_ == 0) {
        gather(component.u.data(), support, b.data());
    } else {
        for (const std::size_t j : component.support) {
            dense_[j] = component.u[j];
        }
        for (int pass = 0; pass < 2;
             ++pass) {  // twice is enough: rounding of the first pass is taken out by the second
            project_out(dense_);
        }
        gather(dense_.data(), support, b.data());
        for (const std::size_t j : support) {
            dense_[j] = 0.0;
        }
    }
    double square = 0.0;
    for (const double entry : b) {
        square += entry * entry;
    }
    const double left = std::sqrt(square);
    if (left <= kDependent) {  // within the span already
        return;
    }
    const double inverse = 1.0 / left;
    for (double& entry : b) {
        entry *= inverse;
    }
    ++size_;
}

void SparseSpan::project_out(std::span<double> a) const {
    for (std::size_t r = 0; r < size_; ++r) {
        const std::vector<double>& b = basis_[r];
        const std::vector<std::size_t>& support = supports_[r];
        const double along = sparse_dot(b, support, a.data());
        for (std::size_t i = 0; i < b.size(); ++i) {
            a[support[i]] -= along * b[i];
        }
    }
}

void unite(std::vector<std::size_t>& into, std::span<const std::size_t> other, std::vector<std::size_t>& scratch) {
    if (into.empty() || other.empty()) {
        into.insert(into.end(), other.begin(), other.end());
        return;
    }
    const std::size_t most = 1 + std::max(into.back(), other.back());  // as the numbers ascend
    scratch.resize(std::min(into.size() + other.size(), most));
    std::size_t count = 0;
    if (words_pay(into, other)) {
        for_each_word(into, other, [&](std::size_t first, std::uint64_t a, std::uint64_t b) {
            count += list_bits(a | b, first, scratch.data() + count);
        });
        scratch.resize(count);
        std::swap(into, scratch);
        return;
    }
    // No branch on which of the two is smaller: of interleaved lists it would often be guessed wrong.
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < into.size() && j < other.size()) {
        const std::size_t a = into[i];
        const std::size_t b = other[j];
        const std::size_t least = std::min(a, b);
        scratch[count++] = least;
        i += a == least ? 1U : 0U;
        j += b == least ? 1U : 0U;
    }
    auto end = scratch.begin() + static_cast<std::ptrdiff_t>(count);
    end = std::copy(into.begin() + static_cast<std::ptrdiff_t>(i), into.end(), end);
    end = std::copy(other.begin() + static_cast<std::ptrdiff_t>(j), other.end(), end);
    scratch.erase(end, scratch.end());
    std::swap(into, scratch);
}

}  // namespace sluice::core
