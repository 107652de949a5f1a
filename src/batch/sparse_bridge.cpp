// sparse_bridge.cpp -- Sparse Bridge PLS, section 3.1: the paper's Algorithm 1.
//
//     v <- r-th eigenvector of H
//     repeat   z  = P H v                                                   P: see below
//              u* = sign(z) (|z| - gamma)_+, to unit length                 eq. (13), (14), (19); Sparsifier
//              v  = P H u* / |P H u*|
//     until |u - u*| < tau
//     W = (S'S)^+ S'Y,   beta = U W                                         eq. (10), in describe.cpp
//
// Departs from the paper: printed without P, the loop is a power iteration on H that takes every component to the first
// one (FitControl::as_printed). P takes away the span of the sparse u^(k), k < r, as Algorithm 2 does, eq. (18): share of
// the second component's variables that are right, paper's static simulation, 100 seeds: 0.004 without, 0.995 with P.
//
// Deflation::refit (not in the paper): no P, but before each further component M <- X'(Y - X_S beta_S), with S the
// variables kept so far and beta_S their least-squares fit (refit.cpp), which is also the fit that predicts. The next
// component chooses among the other variables.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "bridge.hpp"
#include "complement.hpp"
#include "methods.hpp"
#include "products.hpp"
#include "refit.hpp"
#include "sparsify.hpp"
#include "text.hpp"

namespace sluice::batch {

namespace {

using Support = std::vector<std::size_t>;

// What projection or deflation leaves of a vector or of M, relative to what was there, that is rounding and not data.
constexpr double vanished = 1e-12;

class SparseSearch {
  public:
    SparseSearch(const Table& table, const StreamOptions& options, const FitControl& control)
        : table_(table),
          options_(options),
          control_(control),
          R_(static_cast<Index>(options.components_for(table.inputs.columns.size()))),
          sparsifier_(table.inputs.columns.size(), options),
          M_(transposed_times(table.inputs.working, table.outputs.working)),
          U_(table.inputs.working.cols(), R_) {}

    Directions by_projection() {
        const BridgeOperator H(table_, M_, options_);
        const Leading leading = leading_eigenvectors(H, R_);
        Complement P(H.size());
        for (Index r = 0; r < leading.values.size() && find_component(H, P, leading.vectors.col(r)); ++r) {
            if (!control_.as_printed) {
                P.add(U_.col(r));
            }
        }
        if (found_ == leading.values.size() && found_ < R_) {
            notes_.push_back(shortfall(H, leading, R_));
        }
        return directions({});
    }

    Directions by_refit() {
        const Complement all(M_.rows());  // nothing is projected out
        MatrixXd beta = MatrixXd::Zero(M_.rows(), M_.cols());
        MatrixXd M = M_;
        while (found_ < R_) {
            if (found_ > 0 && options_.ridge < 1.0 && M.norm() <= vanished * M_.norm()) {
                note("the variables of " + count() + " explain the outputs");
                break;
            }
            const BridgeOperator H(table_, M, options_);
            const Leading leading = leading_eigenvectors(H, 1);
            if (leading.values.size() == 0) {
                notes_.push_back(shortfall(H, leading, R_));
                break;
            }
            if (!find_component(H, all, leading.vectors.col(0))) {
                break;
            }
            beta = refit(table_, taken_, options_.shrinkage);
            const MatrixXd residual = table_.outputs.working - times(table_.inputs.working, beta);
            M = transposed_times(table_.inputs.working, residual);
        }
        return directions(beta);
    }

  private:
    // The inner loop of Algorithm 1. False, with a note, where the data does not support a further component.
    bool find_component(const BridgeOperator& H, const Complement& P, VectorXd v) {
        VectorXd u = VectorXd::Zero(H.size());
        VectorXd u_star(H.size());
        Support support;
        std::size_t iterations = 0;
        for (double moved = 1.0; moved >= control_.tolerance; ++iterations) {
            if (iterations == control_.max_iterations) {
                notes_.push_back("component " + core::text(static_cast<std::size_t>(found_ + 1)) + " still moved by " +
                                 core::text(moved) + " after " + core::text(iterations) + " iterations");
                break;
            }
            const VectorXd Hv = H.times(v);
            VectorXd z = P.project(Hv);
            for (std::size_t i = 0; i < taken_.size() && options_.deflation == Deflation::refit; ++i) {
                z[static_cast<Index>(taken_[i])] = 0.0;  // each component brings variables of its own
            }
            if (z.norm() <= vanished * Hv.norm()) {
                note("after " + count() + " no direction is left");
                return false;
            }
            sparsifier_.choose(static_cast<std::size_t>(found_), {z.data(), static_cast<std::size_t>(z.size())}, taken_,
                               {u_star.data(), static_cast<std::size_t>(u_star.size())}, support);
            if (support.empty()) {
                note("after " + count() + " no variable may be added");
                return false;
            }
            moved = std::min((u - u_star).norm(), (u + u_star).norm());  // H is not negative: a sign never matters
            u = u_star;
            v = P.project(H.times(u)).normalized();
        }
        U_.col(found_++) = u;
        Support all;
        std::ranges::set_union(taken_, support, std::back_inserter(all));
        taken_ = std::move(all);
        return true;
    }

    [[nodiscard]] std::string count() const { return core::text(static_cast<std::size_t>(found_)); }
    void note(const std::string& why) {
        notes_.push_back("components = " + core::text(static_cast<std::size_t>(R_)) + ": " + why);
    }

    Directions directions(std::optional<MatrixXd> coefficients) {
        return {.weights = U_.leftCols(found_),
                .rotation = U_.leftCols(found_),
                .coefficients = std::move(coefficients),
                .notes = std::move(notes_)};
    }

    const Table& table_;
    const StreamOptions& options_;
    const FitControl& control_;
    Index R_;
    core::Sparsifier sparsifier_;
    MatrixXd M_;
    MatrixXd U_;
    Index found_ = 0;
    Support taken_;  // variables of all components so far, ascending
    std::vector<std::string> notes_;
};

}  // namespace

Directions sparse_bridge(const Table& table, const StreamOptions& options, const FitControl& control) {
    SparseSearch search(table, options, control);
    return options.deflation == Deflation::refit ? search.by_refit() : search.by_projection();
}

}  // namespace sluice::batch
