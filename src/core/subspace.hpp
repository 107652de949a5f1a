// subspace.hpp -- one simultaneous iteration on the bridge matrix H, and the projection between components.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/options.hpp"
#include "working.hpp"

namespace sluice::core {

/// One component: sparse unit-length weights and where they are not zero. Empty until it has found a direction.
struct Component {
    std::vector<double> u;
    std::vector<std::size_t> support;  // ascending
};

/// a = H u for a u with few non-zeros; H is never formed. `cross` is M~ or what deflation left of it, p x q by columns,
/// and `cross_square` the sum of its squares. Returns |a|. `g` is scratch of q numbers.
double bridge_product(const Moments& moments, const Working& working, std::span<const double> cross,
                      double cross_square, const StreamOptions& options, const Component& component,
                      std::span<double> g, std::span<double> a);

/// The span of the sparse vectors u^(1) .. u^(r-1), and the projection onto its complement.
class SparseSpan {
  public:
    SparseSpan(std::size_t inputs, std::size_t components);

    void clear();
    void add(const Component& component);
    /// Takes the part within the span out of a; returns the length of what is left.
    double project_out(std::span<double> a) const;

  private:
    std::vector<std::vector<double>> basis_;          // orthonormal, zero outside the supports
    std::vector<std::vector<std::size_t>> supports_;  // of each basis vector, ascending
    std::size_t size_ = 0;
    std::vector<std::size_t> scratch_;
};

[[nodiscard]] double length_of(std::span<const double> v);

/// into <- union of both ascending lists; `scratch` keeps the memory.
void unite(std::vector<std::size_t>& into, std::span<const std::size_t> other, std::vector<std::size_t>& scratch);

}  // namespace sluice::core
