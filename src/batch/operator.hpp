// operator.hpp -- H of eq. (6), never formed: it is only ever applied to a vector.
#pragma once

#include <Eigen/Core>

#include "sluice/options.hpp"
#include "table.hpp"

namespace sluice::batch {

/// H = a X'X + b N N', with N = M / |M| and a, b from ridge and balance. Refers to the table that it was made of.
class BridgeOperator {
  public:
    /// `cross` is M = X'Y, or what deflation left of it.
    BridgeOperator(const Table& table, const MatrixXd& cross, const StreamOptions& options);

    [[nodiscard]] Index size() const { return X_.cols(); }  ///< p
    [[nodiscard]] Index root_rows() const { return (b_ > 0.0 ? N_.cols() : 0) + (a_ > 0.0 ? X_.rows() : 0); }
    /// What is rounding beside the largest singular value of K, relative to it.
    [[nodiscard]] double resolution() const { return resolution_; }
    [[nodiscard]] VectorXd times(const VectorXd& v) const;       ///< H v
    [[nodiscard]] MatrixXd root() const;                         ///< K with K'K = H, root_rows() x p
    [[nodiscard]] bool sees_inputs() const { return a_ > 0.0; }  ///< false: H is M M' alone

  private:
    const MatrixXd& X_;
    MatrixXd N_;
    double a_ = 0.0;
    double b_ = 0.0;
    double resolution_ = 0.0;
};

}  // namespace sluice::batch
