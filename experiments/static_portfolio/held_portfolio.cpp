#include "experiments/static_portfolio/held_portfolio.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lars.hpp"
#include "quadratic_program.hpp"
#include "sluice/error.hpp"
#include "sluice/fit.hpp"

namespace sluice::experiments {

namespace {

// X'X and X'y over the first periods, through the origin.
struct Moments {
    Matrix gram;
    std::vector<double> cross;
};

Moments moments_of(const PaperMarket& market, std::size_t to) {
    const std::size_t stocks = market.market.stocks.size();
    Moments m{.gram = Matrix(stocks, stocks), .cross = std::vector<double>(stocks, 0.0)};
    for (std::size_t t = 0; t < to; ++t) {
        const auto x = market.market.stock_returns.column(t);
        const double y = market.target(0, t);
        for (std::size_t j = 0; j < stocks; ++j) {
            m.cross[j] += x[j] * y;
            for (std::size_t i = 0; i < stocks; ++i) {
                m.gram(i, j) += x[i] * x[j];
            }
        }
    }
    return m;
}

HeldPortfolio with_names(std::vector<double> weights) {
    HeldPortfolio held{.weights = std::move(weights), .names = {}};
    for (std::size_t i = 0; i < held.weights.size(); ++i) {
        if (held.weights[i] != 0.0) {
            held.names.push_back(i);
        }
    }
    return held;
}

StreamOptions through_the_origin(StreamOptions options) {
    options.forgetting = 1.0;
    options.center = false;
    return options;
}

Fit fitted(const PaperMarket& market, std::size_t to, const StreamOptions& options) {
    const std::size_t stocks = market.market.stocks.size();
    std::vector<double> y;
    for (std::size_t t = 0; t < to; ++t) {
        y.push_back(market.target(0, t));
    }
    return fit(Method::sparse_bridge, Rows({market.market.stock_returns.data(), to * stocks}, stocks), Rows(y, 1),
               options);
}

}  // namespace

double HeldPortfolio::invested() const {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

HeldPortfolio by_lars(const PaperMarket& market, std::size_t to) {
    Moments m = moments_of(market, to);
    const std::size_t stocks = m.cross.size();
    std::vector<double> length(stocks);
    for (std::size_t j = 0; j < stocks; ++j) {
        length[j] = std::sqrt(m.gram(j, j));
    }
    for (std::size_t j = 0; j < stocks; ++j) {
        m.cross[j] /= length[j];
        for (std::size_t i = 0; i < stocks; ++i) {
            m.gram(i, j) /= length[i] * length[j];
        }
    }
    const baselines::Path path = baselines::lars(m.gram, m.cross, {.max_names = kHeld});
    const auto last = path.coefficients.column(path.coefficients.cols() - 1);
    std::vector<double> weights(last.begin(), last.end());
    for (std::size_t j = 0; j < stocks; ++j) {
        weights[j] /= length[j];
    }
    return with_names(std::move(weights));
}

HeldPortfolio by_sparse_bridge(const PaperMarket& market, std::size_t to) {
    StreamOptions options = through_the_origin(StreamOptions::paper());
    options.components = 1;
    options.keep = {kHeld};
    const Fit model = fitted(market, to, options);
    const auto weights = model.coefficients.column(0);
    return with_names({weights.begin(), weights.end()});
}

HeldPortfolio by_constrained_refit(const PaperMarket& market, std::size_t to) {
    StreamOptions options = through_the_origin({});
    options.components = kHeld / 2;
    options.keep = {2};
    const Fit model = fitted(market, to, options);
    std::vector<std::size_t> names;
    for (const auto& component : model.selected) {
        names.insert(names.end(), component.begin(), component.end());
    }
    std::ranges::sort(names);
    const Moments m = moments_of(market, to);
    portfolio::QuadraticProgram program{.Q = Matrix(names.size(), names.size()),
                                        .c = std::vector<double>(names.size()),
                                        .lower = std::vector<double>(names.size(), 0.0),
                                        .total = 1.0};
    for (std::size_t a = 0; a < names.size(); ++a) {
        program.c[a] = m.cross[names[a]];
        for (std::size_t b = 0; b < names.size(); ++b) {
            program.Q(a, b) = m.gram(names[a], names[b]);
        }
    }
    const portfolio::QuadraticSolution solution = portfolio::solve(program);
    if (solution.status != portfolio::QuadraticStatus::solved) {
        throw DataError("the weights of a portfolio cannot be found: " + solution.conflict);
    }
    std::vector<double> weights(market.market.stocks.size(), 0.0);
    for (std::size_t a = 0; a < names.size(); ++a) {
        weights[names[a]] = solution.weights[a];
    }
    return with_names(std::move(weights));
}

std::vector<double> earned(const PaperMarket& market, const HeldPortfolio& held, std::size_t from, double costs) {
    std::vector<double> out;
    double traded = 0.0;  // to have the weights at the beginning of the period, as a share of the portfolio
    for (const std::size_t i : held.names) {
        traded += std::abs(held.weights[i]);
    }
    for (std::size_t t = from; t < market.periods(); ++t) {
        const auto x = market.market.stock_returns.column(t);
        double r = 0.0;
        for (const std::size_t i : held.names) {
            r += held.weights[i] * x[i];
        }
        constexpr double kBasisPoint = 1e-4;
        out.push_back(((1.0 - (costs * kBasisPoint * traded)) * (1.0 + r)) - 1.0);
        traded = 0.0;
        for (const std::size_t i : held.names) {
            traded += std::abs(held.weights[i] - (held.weights[i] * (1.0 + x[i]) / (1.0 + r)));
        }
    }
    return out;
}

}  // namespace sluice::experiments
