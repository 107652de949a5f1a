// lars.cpp -- the path of least-angle regression and of the lasso (Efron, Hastie, Johnstone, Tibshirani 2004).
//
// All active variables A have the same absolute correlation with the residual, and no other has a larger one:
//     c = g - G b,   c_A = alpha s,   |c_j| <= alpha
// Hence, while alpha falls and A stays,
//     b_A(alpha) = G_AA^-1 g_A - alpha w,   w = G_AA^-1 s,   c(alpha - step) = c - step a,   a = G_:A w
// until the first of
//     step = (alpha - c_j) / (1 - a_j) or (alpha + c_j) / (1 + a_j)      j joins with sign + or -
//     step = |b_i| / |w_i|, where w_i s_i < 0                           lasso: i leaves
//     step = alpha                                                     nothing is left to explain
//
//   code       meaning
//   G, g       X'X and X'y, divided by `square_unit` and `cross_unit`: powers of two, so that nothing overflows
//   A, s       active variables in the order of joining, and the signs of their correlations
//   c, a       correlations of all p inputs, and how fast each falls with alpha
//   barred     inputs that are combinations of the active ones: copies and sums of them
//
// b_A is solved again at each knot, so that rounding errors do not accumulate along the path. An input joins with p + |A|^2 operations
// and one column of G; a step costs p |A|.
#include "lars.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "active_factor.hpp"
#include "power_of_two.hpp"
#include "sluice/error.hpp"

namespace sluice::baselines {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// An input of which the active ones leave less than this share of its square unexplained is a copy of them: moments that are exact
// to rounding leave some 1e-16 times the number of rows.
constexpr double kCopy = 1e-12;
// Correlations below this share of the first are rounding: g - G b is a difference of numbers of size |g|.
constexpr double kNothingLeft = 1e-14;

void require_finite(std::span<const double> values, const char* name) {
    for (std::size_t j = 0; j < values.size(); ++j) {
        if (!std::isfinite(values[j])) {
            throw DataError(fmt::format("{}[{}] is {}: must be finite", name, j, values[j]));
        }
    }
}

enum class Event { end, join, leave };

struct Next {
    Event event = Event::end;
    double step = infinity;
    std::size_t which = 0;  // join: the input; leave: its place in A
    double sign = 0.0;
};

class Walk {
  public:
    Walk(const GramColumn& gram_column, std::span<const double> squares, std::span<const double> cross,
         const LarsOptions& options);
    Path run();

  private:
    void knot(double alpha);
    bool join(std::size_t j, double sign);
    void leave(std::size_t place);
    void aim();
    void advance(double to);
    [[nodiscard]] Next next_event() const;
    void consider_joining(std::size_t j, double sign, Next& next) const;

    const GramColumn& gram_column_;
    std::span<const double> squares_;
    bool lasso_;
    std::size_t max_names_;
    std::size_t max_knots_;
    double square_unit_ = 1.0;
    double cross_unit_ = 1.0;

    std::vector<double> g_;
    std::vector<double> c_;
    std::vector<double> a_;
    std::vector<char> barred_;
    std::vector<char> is_active_;
    std::vector<std::size_t> A_;
    std::vector<double> s_;
    std::vector<double> b_;     // of A
    std::vector<double> base_;  // G_AA^-1 g_A
    std::vector<double> w_;
    std::vector<std::vector<double>> columns_;  // of G, those of A
    ActiveFactor factor_;
    double alpha_ = 0.0;
    std::size_t just_left_;  // its correlation still equals alpha: it may not join again with the same sign at once
    double left_sign_ = 0.0;

    Path path_;
    std::vector<double> coefficients_;  // knot after knot
};

Walk::Walk(const GramColumn& gram_column, std::span<const double> squares, std::span<const double> cross,
           const LarsOptions& options)
    : gram_column_(gram_column),
      squares_(squares),
      lasso_(options.variant == LarsVariant::lasso),
      max_names_(options.max_names.value_or(cross.size())),
      max_knots_(options.max_knots > 0 ? options.max_knots : (8 * cross.size()) + 64),
      g_(cross.begin(), cross.end()),
      a_(cross.size(), 0.0),
      barred_(cross.size(), 0),
      is_active_(cross.size(), 0),
      just_left_(cross.size()) {
    double largest_cross = 0.0;
    double largest_square = 0.0;
    for (std::size_t j = 0; j < g_.size(); ++j) {
        largest_square = std::max(largest_square, squares[j]);
        if (!(squares[j] > 0.0)) {  // an input of zeros explains nothing, whatever its correlation
            g_[j] = 0.0;
            barred_[j] = 1;
        }
        largest_cross = std::max(largest_cross, std::abs(g_[j]));
    }
    square_unit_ = power_of_two_near(largest_square);
    cross_unit_ = power_of_two_near(largest_cross);
    for (double& value : g_) {
        value /= cross_unit_;
    }
    c_ = g_;
}

void Walk::knot(double alpha) {
    path_.alphas.push_back(alpha * cross_unit_);
    const std::size_t start = coefficients_.size();
    coefficients_.resize(start + g_.size(), 0.0);
    for (std::size_t i = 0; i < A_.size(); ++i) {
        coefficients_[start + A_[i]] = b_[i] * cross_unit_ / square_unit_;
    }
}

bool Walk::join(std::size_t j, double sign) {
    std::vector<double> column(g_.size());
    gram_column_(j, column);
    for (double& value : column) {
        value /= square_unit_;
    }
    std::vector<double> products(A_.size());
    std::ranges::transform(A_, products.begin(), [&](std::size_t i) { return column[i]; });
    if (!factor_.join(products, squares_[j] / square_unit_, kCopy)) {
        barred_[j] = 1;
        return false;
    }
    is_active_[j] = 1;
    A_.push_back(j);
    s_.push_back(sign);
    b_.push_back(0.0);
    columns_.push_back(std::move(column));
    path_.joined.push_back(j);
    just_left_ = g_.size();
    return true;
}

void Walk::leave(std::size_t place) {
    const auto at = static_cast<std::ptrdiff_t>(place);
    just_left_ = A_[place];
    left_sign_ = s_[place];
    is_active_[A_[place]] = 0;
    factor_.leave(place);
    A_.erase(A_.begin() + at);
    s_.erase(s_.begin() + at);
    b_.erase(b_.begin() + at);
    columns_.erase(columns_.begin() + at);
    for (std::size_t j = 0; j < g_.size(); ++j) {  // what was a combination with this variable may join now
        barred_[j] = squares_[j] > 0.0 ? 0 : 1;
    }
}

// w and a of the present A.
void Walk::aim() {
    base_.resize(A_.size());
    std::ranges::transform(A_, base_.begin(), [&](std::size_t i) { return g_[i]; });
    w_ = s_;
    factor_.solve(base_);
    factor_.solve(w_);
    std::ranges::fill(a_, 0.0);
    for (std::size_t i = 0; i < A_.size(); ++i) {
        for (std::size_t j = 0; j < a_.size(); ++j) {
            a_[j] += columns_[i][j] * w_[i];
        }
    }
}

// To a smaller alpha along the present direction.
void Walk::advance(double to) {
    alpha_ = to;
    c_ = g_;
    for (std::size_t i = 0; i < A_.size(); ++i) {
        b_[i] = base_[i] - (to * w_[i]);
        for (std::size_t j = 0; j < c_.size(); ++j) {
            c_[j] -= columns_[i][j] * b_[i];
        }
    }
}

void Walk::consider_joining(std::size_t j, double sign, Next& next) const {
    if (j == just_left_ && sign == left_sign_) {
        return;
    }
    const double closing = 1.0 - (sign * a_[j]);  // how fast alpha comes down to the correlation of j
    if (!(closing > 0.0)) {
        return;
    }
    const double step = std::max(alpha_ - (sign * c_[j]), 0.0) / closing;
    if (step < next.step) {
        next = {.event = Event::join, .step = step, .which = j, .sign = sign};
    }
}

Next Walk::next_event() const {
    Next next{.event = Event::end, .step = alpha_, .which = 0, .sign = 0.0};
    for (std::size_t j = 0; j < g_.size(); ++j) {
        if (is_active_[j] == 0 && barred_[j] == 0) {
            consider_joining(j, 1.0, next);
            consider_joining(j, -1.0, next);
        }
    }
    for (std::size_t i = 0; lasso_ && i < A_.size(); ++i) {
        const double shrinking = -s_[i] * w_[i];
        if (shrinking > 0.0) {
            const double step = std::max(s_[i] * b_[i], 0.0) / shrinking;
            if (step < next.step) {
                next = {.event = Event::leave, .step = step, .which = i, .sign = 0.0};
            }
        }
    }
    return next;
}

Path Walk::run() {
    const std::size_t p = g_.size();
    std::size_t first = p;
    for (std::size_t j = 0; j < p; ++j) {
        if (std::abs(g_[j]) > alpha_) {
            alpha_ = std::abs(g_[j]);
            first = j;
        }
    }
    const double least = kNothingLeft * alpha_;
    knot(alpha_);
    path_.complete = first == p;
    bool walking = first < p && max_names_ > 0 && join(first, std::copysign(1.0, g_[first]));
    while (walking && path_.alphas.size() < max_knots_) {
        aim();
        const Next next = next_event();
        const bool ends = next.event == Event::end || alpha_ - next.step <= least;
        advance(ends ? 0.0 : alpha_ - next.step);
        if (ends) {
            path_.complete = true;
            knot(0.0);
            break;
        }
        if (next.event == Event::leave) {
            b_[next.which] = 0.0;
            knot(alpha_);
            leave(next.which);
            walking = !A_.empty();
        } else if (A_.size() == max_names_) {
            knot(alpha_);
            walking = false;
        } else if (join(next.which, next.sign)) {
            knot(alpha_);
        }  // else barred: the path continues without a knot
    }
    path_.active = A_;
    path_.coefficients = Matrix(p, path_.alphas.size());
    std::ranges::copy(coefficients_, path_.coefficients.data());
    return std::move(path_);
}

}  // namespace

Path lars(const GramColumn& gram_column, std::span<const double> squares, std::span<const double> cross,
          const LarsOptions& options) {
    if (squares.size() != cross.size()) {
        throw DataError(
            fmt::format("{} squares and {} products with the output: must be as many", squares.size(), cross.size()));
    }
    require_finite(squares, "squares");
    require_finite(cross, "cross");
    return Walk(gram_column, squares, cross, options).run();
}

Path lars(const Matrix& gram, std::span<const double> cross, const LarsOptions& options) {
    const std::size_t p = cross.size();
    if (gram.rows() != p || gram.cols() != p) {
        throw DataError(fmt::format("gram is {} x {}: must be {} x {}, as there are products with the output",
                                    gram.rows(), gram.cols(), p, p));
    }
    require_finite({gram.data(), p * p}, "gram");
    std::vector<double> squares(p);
    for (std::size_t j = 0; j < p; ++j) {
        squares[j] = gram(j, j);
    }
    const GramColumn column = [&gram](std::size_t j, std::span<double> out) {
        std::ranges::copy(gram.column(j), out.begin());
    };
    return lars(column, squares, cross, options);
}

}  // namespace sluice::baselines
