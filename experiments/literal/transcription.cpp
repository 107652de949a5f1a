// transcription.cpp -- Algorithm 2 as the paper prints it; each choice of Reading is marked where it is made.
//
//   m <- lambda m + x'y,  C <- lambda C + x'x                                 eq. (15)
//   H  = alpha C + (1 - alpha) m m'                                           eq. (16), never formed
//   a  = H v_r,  v_r as the last row left it                                  eq. (17)
//   q  = a - sum_{k<r} v_k v_k' a,  v_r <- q / |q|                            eq. (18)
//   u* = sgn(q) (|q| - gamma)_+, of unit length                               eq. (19)
//   W  = y's / s's,  s = x U                                                  eq. (20)
//
// The paper writes u^(r) for v_r and u_t^(r) for the sparse u*. Literally, then, iteration and projection go on with the
// dense v_r, and u* is only reported; as we read it, v_r is u*. The two can be chosen separately.
//
// The sum in eq. (18) removes the span of the v_k only where they are orthogonal. With two components there is one.
#include "experiments/literal/transcription.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace sluice::experiments {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// False where there is nothing to bring to unit length.
bool to_unit_length(std::vector<double>& v) {
    const double length = std::sqrt(dot(v, v));
    if (!(length > 0.0)) {
        return false;
    }
    for (double& entry : v) {
        entry /= length;
    }
    return true;
}

// gamma is the (keep + 1)-th largest |v_j|.
void soft_threshold(std::vector<double>& v, std::size_t keep) {
    std::vector<double> sizes(v.size());
    std::ranges::transform(v, sizes.begin(), [](double entry) { return std::abs(entry); });
    std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(keep), std::greater<>());
    const double gamma = sizes[keep];
    for (double& entry : v) {
        entry = std::copysign(std::max(std::abs(entry) - gamma, 0.0), entry);
    }
}

}  // namespace

Transcription::Transcription(std::size_t inputs, const Reading& reading)
    : p_(inputs), reading_(reading), mean_x_(inputs, 0.0), C_(inputs * inputs, 0.0), m_(inputs, 0.0) {
    for (std::size_t r = 0; r < kR; ++r) {  // U = I
        U_.at(r).assign(p_, 0.0);
        U_.at(r)[r] = 1.0;
        along_.at(r) = U_.at(r);
        selected_.at(r) = {r};
    }
}

double Transcription::predict(std::span<const double> x) const {
    double y = mean_y_;
    for (std::size_t r = 0; r < kR; ++r) {
        y += W_.at(r) * (dot(x, U_.at(r)) - dot(mean_x_, U_.at(r)));
    }
    return y;
}

double Transcription::step(std::span<const double> x, double y) {
    const double predicted = predict(x);
    update_moments(x, y);
    std::array<Vector, kR> taken;
    for (std::size_t r = 0; r < kR; ++r) {
        find_component(r, taken);
    }
    find_loadings(x, y);
    return predicted;
}

void Transcription::update_moments(std::span<const double> x, double y) {
    const double lambda = reading_.forgetting;
    n_ = (lambda * n_) + 1.0;
    Vector d(x.begin(), x.end());
    double e = y;
    double weight = 1.0;
    if (reading_.center) {  // deviations from the means before this row
        weight = 1.0 - (1.0 / n_);
        for (std::size_t j = 0; j < p_; ++j) {
            d[j] -= mean_x_[j];
            mean_x_[j] += d[j] / n_;
        }
        e -= mean_y_;
        mean_y_ += e / n_;
    }
    for (std::size_t i = 0; i < p_; ++i) {
        m_[i] = (lambda * m_[i]) + (weight * d[i] * e);
        for (std::size_t j = 0; j < p_; ++j) {
            C_[(i * p_) + j] = (lambda * C_[(i * p_) + j]) + (weight * d[i] * d[j]);
        }
    }
}

Transcription::Vector Transcription::times_h(const Vector& u) const {
    double of_c = reading_.ridge;
    double of_m = 1.0 - reading_.ridge;
    if (reading_.balance) {
        double trace = 0.0;
        for (std::size_t j = 0; j < p_; ++j) {
            trace += C_[(j * p_) + j];
        }
        const double square = dot(m_, m_);
        of_c = trace > 0.0 ? of_c / trace : 0.0;
        of_m = square > 0.0 ? of_m / square : 0.0;
    }
    const double along = of_m * dot(m_, u);
    Vector a(p_);
    const Vector cu = times_c(u);
    for (std::size_t i = 0; i < p_; ++i) {
        a[i] = (of_c * cu[i]) + (along * m_[i]);
    }
    return a;
}

// C is symmetric: its rows are its columns, and only those of u's non-zeros count.
Transcription::Vector Transcription::times_c(const Vector& u) const {
    Vector out(p_, 0.0);
    for (std::size_t j = 0; j < p_; ++j) {
        if (u[j] != 0.0) {
            for (std::size_t i = 0; i < p_; ++i) {
                out[i] += C_[(j * p_) + i] * u[j];
            }
        }
    }
    return out;
}

void Transcription::find_component(std::size_t r, std::array<Vector, kR>& taken) {
    Vector q = times_h(along_.at(r));
    for (std::size_t k = 0; k < r; ++k) {
        const double along = dot(taken.at(k), q);
        for (std::size_t j = 0; j < p_; ++j) {
            q[j] -= along * taken.at(k)[j];
        }
    }
    if (!to_unit_length(q)) {  // the first row, centred: keep what there is
        taken.at(r) = along_.at(r);
        return;
    }
    const Vector dense = q;
    soft_threshold(q, reading_.keep);
    to_unit_length(q);
    U_.at(r) = q;
    along_.at(r) = reading_.iterate_sparse ? q : dense;
    taken.at(r) = reading_.project_sparse ? q : dense;
    selected_.at(r).clear();
    for (std::size_t j = 0; j < p_; ++j) {
        if (q[j] != 0.0) {
            selected_.at(r).push_back(j);
        }
    }
}

void Transcription::find_loadings(std::span<const double> x, double y) {
    if (!reading_.weighted_loadings) {  // eq. (20)
        std::array<double, kR> s{};
        double square = 0.0;
        for (std::size_t r = 0; r < kR; ++r) {
            s.at(r) = dot(x, U_.at(r)) - dot(mean_x_, U_.at(r));
            square += s.at(r) * s.at(r);
        }
        for (std::size_t r = 0; r < kR; ++r) {
            W_.at(r) = square > 0.0 ? s.at(r) * (y - mean_y_) / square : 0.0;
        }
        return;
    }
    // eq. (10): (U'CU) W = U'm, two by two
    const Vector c0 = times_c(U_[0]);
    const Vector c1 = times_c(U_[1]);
    const double a = dot(U_[0], c0);
    const double b = dot(U_[0], c1);
    const double d = dot(U_[1], c1);
    const double f = dot(U_[0], m_);
    const double g = dot(U_[1], m_);
    const double determinant = (a * d) - (b * b);
    constexpr double kSingular = 1e-10;  // one component's worth: as after two centred rows
    if (determinant > kSingular * a * d) {
        W_ = {((d * f) - (b * g)) / determinant, ((a * g) - (b * f)) / determinant};
    } else {
        W_ = {a > 0.0 ? f / a : 0.0, 0.0};
    }
}

}  // namespace sluice::experiments
