#include "reasons.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "index_weights.hpp"
#include "return_moments.hpp"
#include "small_dense.hpp"

namespace sluice::portfolio {

namespace {

// Share of the index that the names do not explain, `without` one of them.
double error_of(const FewMoments& few, const Matrix& G, std::size_t k,
                std::optional<std::size_t> without = std::nullopt) {
    std::vector<std::size_t> in;
    for (std::size_t a = 0; a < G.rows(); ++a) {
        if (a != without) {
            in.push_back(a);
        }
    }
    if (in.empty() || !(few.v[k] > 0.0)) {
        return 1.0;
    }
    std::vector<double> L;
    std::vector<double> m;
    for (const std::size_t a : in) {
        m.push_back(few.M(a, k));
        for (const std::size_t b : in) {
            L.push_back(G(b, a));
        }
    }
    std::vector<double> weights = m;
    core::cholesky_in_place(L, in.size());
    core::cholesky_solve(L, in.size(), weights);
    return 1.0 - (std::inner_product(m.begin(), m.end(), weights.begin(), 0.0) / few.v[k]);
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
