#include "support/plain_stream.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace sluice::test {

namespace {

using Eigen::Index;
using Number = PlainStream::Number;

// The rules' own tolerances: constant columns, vanished vectors, dependent vectors, rank, and ties.
constexpr Number kConstant = 1e-12L;
constexpr Number kVanished = 1e-12L;
constexpr Number kRank = 1e-12L;
constexpr Number kTie = 1e-12L;
// What is 0 in exact arithmetic is below this in double, which is as far below the tolerances as rounding needs.
constexpr Number kNoise = 1e-14L;
constexpr Number kSpeck = 1e-30L;
constexpr double kHopeless = std::numeric_limits<double>::infinity();

Index at(std::size_t i) {
    return static_cast<Index>(i);
}

Number exact(double value) {
    return static_cast<Number>(value);
}

}  // namespace

PlainStream::PlainStream(std::size_t inputs, std::size_t outputs, StreamOptions options)
    : options_(std::move(options)),
      p_(at(inputs)),
      q_(at(outputs)),
      mean_x_(Vector::Zero(p_)),
      mean_y_(Vector::Zero(q_)),
      sd_x_(Vector::Zero(p_)),
      sd_y_(Vector::Zero(q_)),
      U_(Matrix::Zero(p_, at(options_.components_for(inputs)))),
      W_(Matrix::Zero(U_.cols(), q_)),
      beta_(Matrix::Zero(p_, q_)) {}

void PlainStream::learn(std::span<const double> x, std::span<const double> y) {
    x_.emplace_back(Eigen::Map<const Eigen::VectorXd>(x.data(), p_).cast<Number>());
    y_.emplace_back(Eigen::Map<const Eigen::VectorXd>(y.data(), q_).cast<Number>());
    form_moments();
    S_.clear();
    beta_.setZero();
    const bool any = std::ranges::count(varies_x_, true) > 0 && std::ranges::count(varies_y_, true) > 0;
    if (!any || (M_.norm() == 0 && options_.ridge == 0.0)) {
        return;  // nothing varies
    }
    left_ = M_;
    for (Index r = 0; r < U_.cols(); ++r) {
        find_component(r);
        S_.clear();
        for (Index j = 0; j < p_; ++j) {
            if (!U_.row(j).head(r + 1).isZero(0)) {
                S_.push_back(static_cast<std::size_t>(j));
            }
        }
        if (options_.deflation == Deflation::refit) {
            refit();
        }
    }
    if (options_.deflation == Deflation::project) {
        options_.loadings == Loadings::weighted ? load_weighted() : load_instant();
        beta_ = U_ * W_;
    }
}

// Weighted means and deviations over all rows, the rows in working units, and C~ and M~ as sums over them: eq. (15).
void PlainStream::form_moments() {
    const Index rows = at(x_.size());
    Vector w(rows);
    for (Index t = 0; t < rows; ++t) {
        w(t) = std::pow(exact(options_.forgetting), static_cast<Number>(rows - 1 - t));
    }
    n_ = w.sum();
    farthest_ = 1;
    auto take = [&](const std::vector<Vector>& from, bool scaled, Vector& mean, Vector& sd, std::vector<bool>& varies,
                    Matrix& work) {
        work.resize(rows, mean.size());
        varies.assign(static_cast<std::size_t>(mean.size()), false);
        for (Index j = 0; j < mean.size(); ++j) {
            Vector column(rows);
            for (Index t = 0; t < rows; ++t) {
                column(t) = from[static_cast<std::size_t>(t)](j);
            }
            mean(j) = options_.center ? w.dot(column) / n_ : 0;
            column.array() -= mean(j);
            const Number variance = (w.array() * column.array().square()).sum() / n_;
            sd(j) = std::sqrt(variance);
            const bool alive = variance > std::pow(kConstant * mean(j), 2);
            varies[static_cast<std::size_t>(j)] = alive;
            work.col(j) = alive ? Vector(scaled ? Vector(column / sd(j)) : column) : Vector::Zero(rows);
            farthest_ = alive ? std::max(farthest_, std::abs(mean(j)) / sd(j)) : farthest_;
        }
    };
    take(x_, options_.scale_inputs, mean_x_, sd_x_, varies_x_, X_);
    take(y_, options_.scale_outputs, mean_y_, sd_y_, varies_y_, Y_);
    C_ = X_.transpose() * w.asDiagonal() * X_;
    M_ = X_.transpose() * w.asDiagonal() * Y_;
    lost_ = farthest_;
    margin_ = {.magnified = static_cast<double>(lost_)};
}

// H of eq. (16), with what deflation left of M~.
PlainStream::Matrix PlainStream::bridge() const {
    const Number alpha = exact(options_.ridge);
    const Matrix cross = left_ * left_.transpose();
    if (options_.balance == Balance::raw) {
        return alpha * C_ + (1 - alpha) * cross;
    }
    Matrix H = Matrix::Zero(p_, p_);
    if (C_.trace() > 0) {
        H += alpha * C_ / C_.trace();
    }
    if (cross.trace() > 0) {
        H += (1 - alpha) * cross / cross.trace();
    }
    return H;
}

void PlainStream::find_component(Index r) {
    const bool refit = options_.deflation == Deflation::refit;
    if (refit && r > 0 && options_.ridge < 1.0 && left_.norm() <= kVanished * M_.norm()) {
        margin_.magnified = left_.norm() > kNoise * M_.norm() ? kHopeless : margin_.magnified;
        hold(r);
        return;
    }
    const Matrix H = bridge();
    Vector a = H * (U_.col(r).isZero(0) ? Vector(Vector::Unit(p_, r)) : Vector(U_.col(r)));  // eq. (17)
    if (a.norm() == 0) {
        a = start_afresh(H);
    }
    Vector q = refit ? a : project_out(a, r);  // eq. (18)
    for (Index j = 0; refit && j < p_; ++j) {
        q(j) = is_taken(j) ? 0 : q(j);
    }
    const Number share_left = a.norm() > 0 ? q.norm() / a.norm() : 0;
    if (share_left <= kVanished) {
        margin_.magnified = share_left > kNoise ? kHopeless : margin_.magnified;
        hold(r);
        return;
    }
    // Rounding of H u is relative to |H|, that of q to |a|, that of the threshold to |q| = 1.
    noise_ = lost_ * H.norm() / a.norm();
    noise_ = (refit ? noise_ : std::max(noise_, exact(margin_.magnified))) / share_left;
    q /= q.norm();
    for (Index j = 0; !refit && r > 0 && j < p_; ++j) {
        if (varies_x_[static_cast<std::size_t>(j)] && std::abs(q(j)) < kNoise) {
            q(j) = kSpeck;  // what projection took away altogether is rounding in double, and not known to be 0
        }
    }
    Vector u = threshold(static_cast<std::size_t>(r), q);  // eq. (19)
    for (Number& entry : u) {
        if (entry != 0 && std::abs(entry) < kNoise) {
            margin_.specks = true;
            margin_.magnified = options_.names ? kHopeless : margin_.magnified;  // specks would count as names
            entry = 0;
        }
    }
    U_.col(r).setZero();
    if (u.norm() > 0) {
        Index most = 0;  // the largest entry, the first of equals, is positive
        for (Index j = 0; j < p_; ++j) {
            most = std::abs(u(j)) > std::abs(u(most)) * (1 + kTie) ? j : most;
        }
        U_.col(r) = u / (u(most) < 0 ? -u.norm() : u.norm());
        const Number grown = noise_ / std::min<Number>(u.norm(), 1);
        margin_.magnified = std::max(margin_.magnified, static_cast<double>(grown));
    }
}

// H e_j for the input outside S, and not constant, that has the largest row in what is left of M~.
PlainStream::Vector PlainStream::start_afresh(const Matrix& H) {
    noise_ = lost_;
    Index best = -1;
    const Vector sizes = left_.rowwise().norm();
    for (Index j = 0; j < p_; ++j) {
        if (varies_x_[static_cast<std::size_t>(j)] && !is_taken(j)) {
            best = best < 0 || sizes(j) > sizes(best) * (1 + kTie) ? j : best;
        }
    }
    for (Index j = 0; j < p_ && best >= 0; ++j) {
        if (j != best && varies_x_[static_cast<std::size_t>(j)] && !is_taken(j)) {
            note_gap(sizes(best), sizes(j), sizes(best));
        }
    }
    if (best < 0) {
        margin_.magnified = kHopeless;  // the rules leave this open
        return Vector::Zero(p_);
    }
    return H.col(best);
}

// a less its part within the span of u^(1) .. u^(r-1), by Gram-Schmidt done twice.
PlainStream::Vector PlainStream::project_out(const Vector& a, Index r) const {
    std::vector<Vector> basis;
    auto clear = [&](Vector v) {
        for (int pass = 0; pass < 2; ++pass) {
            for (const Vector& b : basis) {
                v -= b.dot(v) * b;
            }
        }
        return v;
    };
    for (Index k = 0; k < r; ++k) {
        const Vector b = clear(U_.col(k));
        if (b.norm() > kRank) {
            basis.push_back(b / b.norm());
        }
    }
    return clear(a);
}

// The last direction stays, unless its variables no longer fit into the limit on names.
void PlainStream::hold(Index r) {
    std::size_t names = S_.size();
    for (Index j = 0; j < p_; ++j) {
        names += U_(j, r) != 0 && !is_taken(j) ? 1U : 0U;
    }
    if (options_.names && names > *options_.names) {
        U_.col(r).setZero();
    }
}

void PlainStream::refit() {
    beta_.setZero();
    left_ = M_;
    if (S_.empty()) {
        return;
    }
    std::vector<Index> S(S_.begin(), S_.end());
    Matrix A = C_(S, S);
    const Number unit = A.diagonal().mean();
    if (unit == 0) {
        return;
    }
    A.diagonal().array() += std::max(exact(options_.shrinkage) / n_, 1e-10L) * unit;
    const Vector strength = Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
    margin_.condition = static_cast<double>(strength(strength.size() - 1) / strength(0));
    const Matrix solution = A.ldlt().solve(M_(S, Eigen::all));
    beta_(S, Eigen::all) = solution;
    left_ = M_ - C_(Eigen::all, S) * solution;
    lost_ = farthest_ * (M_.norm() + C_(Eigen::all, S).norm() * solution.norm()) / left_.norm();
}

// W = (U'C~U)^+ U'M~, eq. (10).
void PlainStream::load_weighted() {
    const Eigen::JacobiSVD<Matrix> svd(U_.transpose() * C_ * U_, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Vector& sigma = svd.singularValues();
    Vector inverse = Vector::Zero(sigma.size());
    for (Index i = 0; i < sigma.size() && sigma(i) > kNoise * sigma(0); ++i) {
        inverse(i) = sigma(i) > kRank * sigma(0) ? 1 / sigma(i) : 0;
        margin_.condition = static_cast<double>(sigma(0) / sigma(i));
    }
    W_ = svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose() * (U_.transpose() * M_);
}

// W = s'y / s's of the last row, eq. (20).
void PlainStream::load_instant() {
    const Index last = X_.rows() - 1;
    const Vector s = U_.transpose() * X_.row(last).transpose();
    if (s.norm() == 0) {
        margin_.condition = kHopeless;  // W stays, in units that have changed: the rules leave open which
        return;
    }
    W_ = s * Y_.row(last) / s.squaredNorm();
    Number terms = 0;  // what s is the small difference of
    for (Index j = 0; j < p_; ++j) {
        const Number unit = options_.scale_inputs && sd_x_(j) > 0 ? sd_x_(j) : 1;
        terms += U_.row(j).norm() * (std::abs(X_(last, j)) + std::abs(mean_x_(j)) / unit);
    }
    margin_.condition = static_cast<double>(terms / s.norm());
}

bool PlainStream::is_taken(Index j) const {
    return std::ranges::binary_search(S_, static_cast<std::size_t>(j));
}

PlainStream::Vector PlainStream::predict(std::span<const double> x) const {
    Vector d = Eigen::Map<const Eigen::VectorXd>(x.data(), p_).cast<Number>() - mean_x_;
    if (options_.clip) {
        const Vector bound = exact(*options_.clip) * sd_x_;
        d = d.cwiseMin(bound).cwiseMax(-bound);
    }
    return mean_y_ + coefficients().transpose() * d;
}

PlainStream::Matrix PlainStream::coefficients() const {
    Matrix beta = beta_;
    for (Index j = 0; j < p_ && !x_.empty(); ++j) {
        beta.row(j) *= !varies_x_[static_cast<std::size_t>(j)] ? 0 : (options_.scale_inputs ? 1 / sd_x_(j) : 1);
    }
    for (Index k = 0; k < q_ && !x_.empty(); ++k) {
        beta.col(k) *= !varies_y_[static_cast<std::size_t>(k)] ? 0 : (options_.scale_outputs ? sd_y_(k) : 1);
    }
    return beta;
}

PlainStream::Vector PlainStream::intercept() const {
    return mean_y_ - coefficients().transpose() * mean_x_;
}

std::vector<std::size_t> PlainStream::selected(std::size_t component) const {
    std::vector<std::size_t> support;
    for (Index j = 0; j < p_; ++j) {
        if (U_(j, at(component)) != 0) {
            support.push_back(static_cast<std::size_t>(j));
        }
    }
    return support;
}

bool PlainStream::sign_is_open(std::size_t component) const {
    const Vector u = U_.col(at(component));
    const Number top = u.cwiseAbs().maxCoeff();
    return (u.array() > top * (1 - 1e-7L)).any() && (u.array() < -top * (1 - 1e-7L)).any();
}

// Rounding decides between kept and dropped where they are close, unless they tie cleanly.
void PlainStream::note_gap(Number kept, Number dropped, Number most) {
    const bool tied = kept - dropped <= kTie / 10 * kept && kept >= 1e-3L * most && noise_ < 1e3L;
    if (kept > kNoise && !(tied && dropped > 0)) {
        margin_.gap = std::min(margin_.gap, static_cast<double>((kept - dropped) / most));
    }
}

// Leaves, of the sizes that are not 0, the `count` largest; on ties those of lowest index. Returns the smallest size
// below all that tie with the last one kept: 0 where there is none.
PlainStream::Number PlainStream::leave_largest(Vector& sizes, std::size_t count) {
    std::vector<Number> order(sizes.begin(), sizes.end());
    std::ranges::sort(order, std::greater{});
    if (count >= order.size() || order[count] == 0) {
        const auto kept = std::ranges::find_if(order.rbegin(), order.rend(), [](Number s) { return s > 0; });
        note_gap(kept == order.rend() ? 0 : *kept, 0, 1);
        return 0;
    }
    if (count == 0) {
        sizes.setZero();
        return order[0];
    }
    note_gap(order[count - 1], order[count], 1);
    const bool tied = order[count - 1] <= order[count] * (1 + kTie);
    const Number last = order[count - 1];
    const auto below = std::ranges::find_if(order, [&](Number s) { return s < last * (1 - kTie); });
    const Number next = !tied ? order[count] : (below == order.end() ? 0 : *below);
    if (tied) {
        note_gap(last, next, 1);
    }
    auto room =
        count - static_cast<std::size_t>(std::ranges::count_if(order, [&](Number s) { return s > last * (1 + kTie); }));
    for (Number& s : sizes) {
        if (s <= last * (1 + kTie)) {
            const bool stays = s >= last * (1 - kTie) && room > 0;
            room -= stays ? 1U : 0U;
            s = stays ? s : 0;
        }
    }
    return next;
}

// eq. (19), and its like for the other penalties; z of unit length.
PlainStream::Vector PlainStream::threshold(std::size_t r, Vector z) {
    const auto inputs = static_cast<std::size_t>(p_);
    const std::size_t keep = options_.gamma ? inputs : options_.keep_for(r, inputs);
    const std::size_t room = options_.names ? *options_.names - std::min(*options_.names, S_.size()) : keep;
    if (options_.penalty == Penalty::group_lasso) {
        return threshold_groups(keep, room, z);
    }
    Vector sizes = z.cwiseAbs();
    if (options_.names) {
        Vector fresh = sizes;
        for (const std::size_t j : S_) {
            fresh(at(j)) = 0;
        }
        leave_largest(fresh, room);
        for (Index j = 0; j < p_; ++j) {
            sizes(j) = is_taken(j) ? sizes(j) : fresh(j);
        }
    }
    const Number t = exact(options_.adaptive_power);
    const Number mix = exact(options_.elastic_mix);
    const bool elastic = options_.penalty == Penalty::elastic_net;
    const bool adaptive = options_.penalty == Penalty::adaptive_lasso;
    Number gamma = 0;
    if (options_.gamma) {
        gamma = exact(*options_.gamma);
        const Number survivor = elastic ? gamma * mix : (adaptive ? std::pow(gamma, 1 / (1 + t)) : gamma);
        const Number most = sizes.maxCoeff();
        for (const Number s : sizes) {
            margin_.gap = s > kNoise ? std::min(margin_.gap, static_cast<double>(std::abs(s - survivor))) : margin_.gap;
        }
        if (most <= survivor) {  // the largest stays
            leave_largest(sizes, 1);
            return sizes.cwiseProduct(z.cwiseSign());
        }
        sizes = (sizes.array() > survivor).select(sizes, Vector::Zero(p_));
    } else {
        const Number survivor = leave_largest(sizes, keep);
        gamma = elastic ? survivor / mix : (adaptive ? std::pow(survivor, 1 + t) : survivor);
    }
    return sizes.unaryExpr([&](Number s) { return s > 0 ? step(s, gamma) : 0; }).cwiseProduct(z.cwiseSign());
}

// Where (u - z)^2 / 2 + P(u) is least for a z > 0 that survives.
PlainStream::Number PlainStream::step(Number z, Number g) const {
    const Number m = exact(options_.elastic_mix);
    const Number a = exact(options_.scad_knee);
    const Number b = exact(options_.mcp_knee);
    switch (options_.penalty) {
        case Penalty::hard:
            return z;
        case Penalty::elastic_net:
            return (z - g * m) / (1 + g * (1 - m));
        case Penalty::scad:
            return z <= 2 * g ? z - g : (z <= a * g ? ((a - 1) * z - a * g) / (a - 2) : z);
        case Penalty::mcp:
            return z <= b * g ? (z - g) / (1 - 1 / b) : z;
        case Penalty::adaptive_lasso:
            return z - g * std::pow(z, -exact(options_.adaptive_power));
        default:
            return z - g;
    }
}

// Whole groups, those of the best score first, as long as they fit.
PlainStream::Vector PlainStream::threshold_groups(std::size_t keep, std::size_t room, const Vector& z) {
    struct Group {
        Number score = 0;
        std::vector<Index> members;
        std::size_t fresh = 0;
    };
    std::vector<Group> groups(static_cast<std::size_t>(p_));
    for (Index j = 0; j < p_; ++j) {
        Group& group = groups[options_.groups[static_cast<std::size_t>(j)]];
        group.members.push_back(j);
        group.fresh += is_taken(j) ? 0U : 1U;
        group.score = z(group.members).norm() / std::sqrt(static_cast<Number>(group.members.size()));
    }
    std::ranges::stable_sort(groups, std::greater{}, &Group::score);
    const Number fixed = exact(options_.gamma.value_or(0.0));
    room = options_.names ? room : static_cast<std::size_t>(p_);
    std::size_t chosen = 0;
    while (chosen < groups.size() && groups[chosen].score > 0 && groups[chosen].members.size() <= keep &&
           groups[chosen].fresh <= room && (chosen == 0 || groups[chosen].score > fixed)) {
        keep -= groups[chosen].members.size();
        room -= groups[chosen].fresh;
        ++chosen;
    }
    // Equal scores are not told apart by a rule of their own: all gaps count.
    for (std::size_t g = 0; g < std::min(chosen + 1, groups.size()) && groups[g].score > kNoise; ++g) {
        const Number next = g + 1 < groups.size() ? groups[g + 1].score : 0;
        margin_.gap = std::min(margin_.gap, static_cast<double>((groups[g].score - next) / groups[0].score));
        margin_.gap = std::min(margin_.gap, static_cast<double>(std::abs(groups[g].score - fixed)));
    }
    const Number gamma = options_.gamma || chosen == groups.size() ? fixed : groups[chosen].score;
    Vector u = Vector::Zero(p_);
    for (std::size_t g = 0; g < chosen; ++g) {
        const Number factor = groups[g].score > gamma ? 1 - gamma / groups[g].score : 1;
        for (const Index j : groups[g].members) {
            u(j) = factor * z(j);
        }
    }
    return u;
}

}  // namespace sluice::test
