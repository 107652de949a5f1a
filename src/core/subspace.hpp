// subspace.hpp -- one simultaneous iteration on the bridge matrix H, and the projection between components.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/options.hpp"
#include "working_units.hpp"

namespace sluice::core {

/// One component: sparse unit-length weights and where they are not zero. Empty until it has found a direction.
struct Component {
    std::vector<double> u;
    std::vector<std::size_t> support;  // ascending
};

/// The most variables that all components can select together, by `keep` and `names`.
[[nodiscard]] std::size_t most_selected(std::size_t inputs, const StreamOptions& options);

/// What the two terms of H u are multiplied by, as the option `balance` wants it. `cross_square`: of M~, or of what
/// deflation left of it.
struct Parts {
    double inputs;  // multiplies C~ u
    double cross;   // multiplies M~ M~' u
};
[[nodiscard]] Parts parts_of(const WorkingUnits& units, double cross_square, const StreamOptions& options);

/// D u on the support of u, so that C~ u = D C (D u).
void scaled_weights(const Moments& moments, const WorkingUnits& units, const Component& component,
                    std::vector<double>& out);

/// g = M~'u, over the support of u only; scaled: D u there.
void inner_product(const Moments& moments, const WorkingUnits& units, std::span<const std::size_t> support,
                   std::span<const double> scaled, std::span<double> g);

/// The span of the sparse vectors u^(1) .. u^(r-1), and the projection onto its complement.
class SparseSpan {
  public:
    SparseSpan(std::size_t inputs, std::size_t components);

    void clear() { size_ = 0; }
    void add(const Component& component);
    /// Takes the part within the span out of a; only entries on the supports are read or changed.
    void project_out(std::span<double> a) const;

  private:
    std::vector<std::vector<double>> basis_;          // orthonormal, on the supports
    std::vector<std::vector<std::size_t>> supports_;  // of each basis vector, ascending
    std::size_t size_ = 0;
    std::vector<double> dense_;  // scratch: zeros
    std::vector<std::size_t> scratch_;
};

/// into <- union of both ascending lists; `scratch` keeps the memory.
void unite(std::vector<std::size_t>& into, std::span<const std::size_t> other, std::vector<std::size_t>& scratch);

}  // namespace sluice::core
