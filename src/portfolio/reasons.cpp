#include "reasons.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "index_weights.hpp"
#include "return_moments.hpp"

namespace sluice::portfolio {

namespace {

// Share of the index that the names do not explain, `without` one of them.
double error_of(const FewMoments& few, const Matrix& G, std::size_t k,
                std::optional<std::size_t> without = std::nullopt) {
    std::vector<Eigen::Index> in;
    for (std::size_t a = 0; a < G.rows(); ++a) {
        if (a != without) {
            in.push_back(static_cast<Eigen::Index>(a));
        }
    }
    if (in.empty() || !(few.v[k] > 0.0)) {
        return 1.0;
    }
    const auto n = static_cast<Eigen::Index>(G.rows());
    const Eigen::Map<const Eigen::MatrixXd> all(G.data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> m(few.M.column(k).data(), n);
    const Eigen::VectorXd part = m(in);
    return 1.0 - (part.dot(all(in, in).llt().solve(part)) / few.v[k]);
}

void add_history(Reason& reason, const Walk& walk, std::size_t periods) {
    std::size_t held = 0;
    std::optional<std::size_t> last;
    for (const Holding& holding : walk.holdings) {
        if (holding.index == reason.index && holding.stock == reason.stock) {
            if (!last || *last + 1 != holding.period) {
                reason.since = holding.period;
            }
            last = holding.period;
            ++held;
        }
    }
    if (!last || *last + 1 != periods) {
        reason.since.reset();  // not held in the last period: it comes back, or is new
    }
    reason.share_of_time = static_cast<double>(held) / static_cast<double>(walk.gross.rows());
}

}  // namespace

std::vector<Reason> reasons(const Walk& walk, const Market& market, const TrackOptions& options) {
    const std::size_t periods = market.index_returns.cols();
    ReturnMoments moments(market.stocks.size(), market.indices.size(), options.model.forgetting);
    std::vector<double> targets(market.indices.size());
    for (std::size_t t = 0; t < periods; ++t) {
        for (std::size_t k = 0; k < targets.size(); ++k) {
            targets[k] = target_return(market, k, t, options);
        }
        moments.add(market.stock_returns.column(t), targets);
    }
    std::vector<Reason> out;
    for (std::size_t k = 0; k < walk.next.cols(); ++k) {
        std::vector<std::size_t> names;
        for (std::size_t j = 0; j < walk.next.rows(); ++j) {
            if (walk.next(j, k) != 0.0) {
                names.push_back(j);
            }
        }
        const FewMoments few = moments.of(names);
        const Matrix G = with_ridge(few, options.model.shrinkage);
        const double error = error_of(few, G, k);
        for (std::size_t a = 0; a < names.size(); ++a) {
            const double along = few.M(a, k);
            const double size = std::sqrt(few.C(a, a) * few.v[k]);
            Reason one{.index = k,
                       .stock = names[a],
                       .weight = walk.next(names[a], k),
                       .beta = few.v[k] > 0.0 ? along / few.v[k] : 0.0,
                       .correlation = size > 0.0 ? along / size : 0.0,
                       .error = error,
                       .error_without = error_of(few, G, k, a)};
            add_history(one, walk, periods);
            out.push_back(one);
        }
    }
    return out;
}

}  // namespace sluice::portfolio
