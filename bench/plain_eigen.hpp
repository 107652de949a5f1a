// plain_eigen.hpp -- the peer: Algorithm 2 as a competent engineer writes it in an afternoon with Eigen.
//
// Dense C, full rank-one update, dense products with U, H not formed; lasso threshold by sorting. Centred, trace balance.
// Compiled for AVX2 with fused multiply-add, as that engineer would.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "sluice/options.hpp"

namespace sluice::bench {

class PlainEigen {
  public:
    /// Follows components, keep, forgetting, ridge, scaling, deflation and shrinkage; the rest must be as in
    /// StreamOptions::paper().
    PlainEigen(std::size_t inputs, std::size_t outputs, const StreamOptions& options);
    ~PlainEigen();

    [[nodiscard]] static bool runs_here();  ///< whether this processor has what it was compiled for
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs);

    void learn(std::span<const double> x, std::span<const double> y);
    void predict(std::span<const double> x, std::span<double> y) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::bench
