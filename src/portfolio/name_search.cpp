#include "name_search.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <limits>

namespace sluice::portfolio {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Set = std::vector<std::size_t>;

constexpr double kLeastGain = 1e-9;  // of an index's variance: below it two choices are the same up to rounding
constexpr double kNoSpread = 1e-12;  // of a candidate's own variance: it is a combination of the set
constexpr int kMostExchanges = 200;  // each lowers the sum, so that the search ends anyway; about ten are usual

struct Addition {
    double error = std::numeric_limits<double>::infinity();  // of the index once the candidate is in
    std::size_t candidate = 0;
    [[nodiscard]] bool found() const { return error < std::numeric_limits<double>::infinity(); }
};

struct Exchange {
    double gain = kLeastGain;
    std::size_t from = 0;  // the index that gives up `out`
    std::size_t out = 0;
    std::size_t to = 0;  // the index that takes `in`
    std::size_t in = 0;
};

class Search {
  public:
    Search(const NameProblem& problem, NameSets held)
        : problem_(problem),
          G_(problem.G.data(), static_cast<Index>(problem.G.rows()), static_cast<Index>(problem.G.cols())),
          sets_(std::move(held)),
          was_held_(problem.G.rows(), false),
          taken_(problem.G.rows(), false) {
        for (const Set& set : sets_) {
            for (const std::size_t j : set) {
                was_held_[j] = taken_[j] = true;
            }
        }
    }

    NameSets run() {
        while (count() > problem_.names && drop()) {
        }
        while (count() < problem_.names && add()) {
        }
        for (int k = 0; k < kMostExchanges && exchange(); ++k) {
        }
        for (Set& set : sets_) {
            std::ranges::sort(set);
        }
        return std::move(sets_);
    }

  private:
    [[nodiscard]] std::size_t count() const {
        std::size_t n = 0;
        for (const Set& set : sets_) {
            n += set.size();
        }
        return n;
    }

    [[nodiscard]] double cross(std::size_t j, std::size_t k) const { return problem_.M(j, k); }
    [[nodiscard]] double variance(std::size_t k) const { return problem_.v[k] > 0.0 ? problem_.v[k] : 1.0; }

    // G_S = L L', and L^-1 m_S: error = 1 - |L^-1 m_S|^2 / v.
    struct Factor {
        Eigen::LLT<MatrixXd> G;
        VectorXd half;
        double error = 1.0;
    };
    [[nodiscard]] Factor factor(const Set& set, std::size_t k) const {
        const auto n = static_cast<Index>(set.size());
        MatrixXd small(n, n);
        VectorXd m(n);
        for (Index a = 0; a < n; ++a) {
            m(a) = cross(set[static_cast<std::size_t>(a)], k);
            for (Index b = 0; b < n; ++b) {
                small(a, b) = G_(static_cast<Index>(set[static_cast<std::size_t>(a)]),
                                 static_cast<Index>(set[static_cast<std::size_t>(b)]));
            }
        }
        Factor out{.G = Eigen::LLT<MatrixXd>(small), .half = m};
        if (n > 0) {
            out.G.matrixL().solveInPlace(out.half);
            out.error = std::max(0.0, 1.0 - (out.half.squaredNorm() / variance(k)));
        }
        return out;
    }
    [[nodiscard]] double error(const Set& set, std::size_t k) const { return factor(set, k).error; }

    // The best addition to a set. With h_j = L^-1 G_Sj: it lowers m'G^-1 m by (m_j - h_j'half)^2 / (G_jj - h_j'h_j).
    [[nodiscard]] Addition best_addition(const Set& set, std::size_t k) const {
        const Factor f = factor(set, k);
        const auto n = static_cast<Index>(set.size());
        MatrixXd h(n, G_.cols());
        for (Index a = 0; a < n; ++a) {
            h.row(a) = G_.row(static_cast<Index>(set[static_cast<std::size_t>(a)]));
        }
        if (n > 0) {
            f.G.matrixL().solveInPlace(h);
        }
        Addition best;
        double most = 0.0;
        for (std::size_t j = 0; j < taken_.size(); ++j) {
            const auto at = static_cast<Index>(j);
            const double spread = G_(at, at) - h.col(at).squaredNorm();
            if (taken_[j] || !(spread > kNoSpread * G_(at, at))) {
                continue;
            }
            const double covariance = cross(j, k) - h.col(at).dot(f.half);
            const double gain = covariance > 0.0 || !problem_.long_only ? covariance * covariance / spread : 0.0;
            if (gain > most) {
                most = gain;
                best = {.error = std::max(0.0, f.error - (gain / variance(k))), .candidate = j};
            }
        }
        return best;
    }

    bool add() {
        double most = 0.0;
        std::size_t to = 0;
        Addition best;
        for (std::size_t k = 0; k < sets_.size(); ++k) {
            const Addition one = best_addition(sets_[k], k);
            const double gain = one.found() ? error(sets_[k], k) - one.error : 0.0;
            if (gain > most) {
                most = gain;
                to = k;
                best = one;
            }
        }
        if (most > 0.0) {
            sets_[to].push_back(best.candidate);
            taken_[best.candidate] = true;
        }
        return most > 0.0;
    }

    // Drops the name that matters least: only where more are held than allowed.
    bool drop() {
        double least = std::numeric_limits<double>::infinity();
        std::size_t from = 0;
        std::size_t out = 0;
        for (std::size_t k = 0; k < sets_.size(); ++k) {
            const double now = error(sets_[k], k);
            for (const std::size_t i : sets_[k]) {
                const double loss = error(without(sets_[k], i), k) - now;
                if (loss < least) {
                    least = loss;
                    from = k;
                    out = i;
                }
            }
        }
        sets_[from] = without(sets_[from], out);
        taken_[out] = false;
        return true;
    }

    static Set without(const Set& set, std::size_t name) {
        Set rest = set;
        std::erase(rest, name);
        return rest;
    }

    // The gain that an exchange must exceed.
    [[nodiscard]] double bonus(std::size_t out, std::size_t in, double error) const {
        return was_held_[out] && !was_held_[in] ? problem_.hold_bonus * error : 0.0;
    }

    bool exchange() {
        const std::size_t q = sets_.size();
        std::vector<double> now(q);
        std::vector<Addition> more(q);
        for (std::size_t k = 0; k < q; ++k) {
            now[k] = error(sets_[k], k);
            more[k] = best_addition(sets_[k], k);
        }
        Exchange best;
        const auto offer = [&](const Exchange& one) {
            if (one.gain > best.gain) {
                best = one;
            }
        };
        for (std::size_t k = 0; k < q; ++k) {
            for (const std::size_t i : sets_[k]) {
                const Set rest = without(sets_[k], i);
                if (const Addition same = best_addition(rest, k); same.found()) {
                    offer({.gain = now[k] - same.error - bonus(i, same.candidate, now[k]),
                           .from = k,
                           .out = i,
                           .to = k,
                           .in = same.candidate});
                }
                const double left = error(rest, k);
                for (std::size_t other = 0; other < q; ++other) {
                    if (other != k && more[other].found()) {
                        const double before = now[k] + now[other];
                        offer(
                            {.gain = before - left - more[other].error - bonus(i, more[other].candidate, before / 2.0),
                             .from = k,
                             .out = i,
                             .to = other,
                             .in = more[other].candidate});
                    }
                }
            }
        }
        if (best.gain <= kLeastGain) {
            return false;
        }
        sets_[best.from] = without(sets_[best.from], best.out);
        sets_[best.to].push_back(best.in);
        taken_[best.out] = false;
        taken_[best.in] = true;
        return true;
    }

    const NameProblem& problem_;
    Eigen::Map<const MatrixXd> G_;
    NameSets sets_;
    std::vector<bool> was_held_;
    std::vector<bool> taken_;
};

}  // namespace

NameSets choose_names(const NameProblem& problem, NameSets held) {
    assert(held.size() == problem.v.size() && problem.G.rows() == problem.M.rows());
    return Search(problem, std::move(held)).run();
}

}  // namespace sluice::portfolio
