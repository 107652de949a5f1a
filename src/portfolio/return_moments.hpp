// return_moments.hpp -- second moments of returns about zero, with forgetting: a portfolio has no intercept.
//
//     C_t = lambda C_(t-1) + x x',   M_t = lambda M_(t-1) + x y',   v_t = lambda v_(t-1) + y^2      paper eq. (15)
//
// All p x p are kept, because weekly and daily markets are small and the exact step may need any pair. A stock that did not
// trade counts as one that did not move.
#pragma once

#include <span>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::portfolio {

/// The moments of a few stocks, divided by the weight: means.
struct FewMoments {
    Matrix C;               ///< n x n
    Matrix M;               ///< n x q
    std::vector<double> v;  ///< q
    double weight = 0.0;    ///< the sum of lambda^age
};

class ReturnMoments {
  public:
    ReturnMoments(std::size_t stocks, std::size_t indices, double forgetting);

    void add(std::span<const double> stocks, std::span<const double> targets);
    [[nodiscard]] FewMoments of(std::span<const std::size_t> stocks) const;
    /// Share of the weight in which a stock traded.
    [[nodiscard]] double traded_share(std::size_t stock) const;

  private:
    double forgetting_;
    double weight_ = 0.0;
    Matrix C_;  // on and below the diagonal
    Matrix M_;
    std::vector<double> v_;
    std::vector<double> traded_;
    std::vector<double> x_;  // the row without its gaps
};

}  // namespace sluice::portfolio
