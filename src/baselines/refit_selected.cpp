#include "refit_selected.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "as_index.hpp"

namespace sluice::baselines {

void refit_selected(const WeightedMoments& moments, CorrelationColumns& columns, std::span<const std::size_t> S,
                    double kappa, std::span<const double> r, std::span<double> b) {
    const Eigen::Index size = as_index(S.size());
    Eigen::MatrixXd A(size, size);
    Eigen::VectorXd rhs(size);
    for (std::size_t i = 0; i < S.size(); ++i) {
        const auto column = columns.column(moments, S[i]);
        for (std::size_t l = 0; l < S.size(); ++l) {
            A(as_index(l), as_index(i)) = column[S[l]];
        }
        A(as_index(i), as_index(i)) += kappa;
        rhs[as_index(i)] = r[S[i]];
    }
    // LDLT: where S contains near copies, rounding may leave A a little short of positive.
    const Eigen::VectorXd solved = A.ldlt().solve(rhs);
    for (std::size_t i = 0; i < S.size(); ++i) {
        b[S[i]] = solved[as_index(i)];
    }
}

}  // namespace sluice::baselines
