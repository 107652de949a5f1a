// moments.cpp -- weighted second moments of the stream.
//
//     C_t = lambda C_{t-1} + x_t'x_t,     M_t = lambda M_{t-1} + x_t'y_t                                      eq. (15)
//
// Centred, the rank-one terms are those of the deviations d = x_t - mean_{t-1}, e = y_t - mean_{t-1}:
//     C_t = lambda C_{t-1} + f d'd,   f = lambda n_{t-1} / n_t,   n_t = lambda n_{t-1} + 1,   mean_t = mean_{t-1} + d / n_t
// This equals sum w x'x - n mean'mean exactly, without its cancellation: a constant column has C_jj = 0 to the bit, and
// a mean a million times the deviation costs no digits. Two consecutive stretches of rows join likewise:
//     C = lambda^n2 C1 + C2 + g (mean1 - mean2)'(mean1 - mean2),   g = n1 n2 / (n1 + n2),   n1 decayed
//
//   code      paper   size   meaning
//   C_, M_    C, M    pp,pq  divided by scale_, so that forgetting costs one multiplication per row, not per element
//   scale_    -       1      lambda^t; brought back by a power of two (exact) before it runs out of exponent
//   weight_   -       1      n, the sum of lambda^age
//   dx_, dy_  x, y    p, q   sqrt(f) d / sqrt(scale_): their outer products are added to C_ and M_
//
// A missing input counts as its mean: d = 0. Its mean moves only with the rows in which it was there, whose weight
// n - gap takes the place of n above. An output that is not there was filled in by the caller with the model's own
// prediction, so that M stays in step with C; its variance counts observed values only, on the output's own clock.
#include "moments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "state.hpp"

namespace sluice::core {

namespace {

constexpr int kNoExponent = -10000;      // no value other than 0 was seen yet
constexpr int kExponentLimit = 1000;     // 2^1000 and 2^-1000 are both normal numbers
constexpr double kColumnLimit = 0x1p64;  // a value this far above its column's unit moves the unit

// Renormalised when scale_ falls below this: every 2,200 rows at lambda 0.98, 64 rows at 0.5.
constexpr int kScaleBits = 64;
// Numbers below this are zeroed when renormalised: they weigh nothing and would end as slow denormals.
constexpr double kNegligible = 0x1p-900;
// A weight below this share of the whole is what rounding leaves of zero.
constexpr double kNoWeight = 1e-12;

double power_of_two(int exponent) {
    return std::ldexp(1.0, exponent);
}

void multiply(std::span<double> values, double factor) {
    for (double& v : values) {
        v *= factor;
        v = std::abs(v) < kNegligible ? 0.0 : v;
    }
}

// target += factor * source
void add_multiple(std::span<double> target, double factor, std::span<const double> source) {
    for (std::size_t i = 0; i < target.size(); ++i) {
        target[i] += factor * source[i];
    }
}

}  // namespace

Moments::Moments(std::size_t inputs, std::size_t outputs, double forgetting, bool center)
    : p_(inputs),
      q_(outputs),
      forgetting_(forgetting),
      center_(center),
      C_(inputs * inputs, 0.0),
      M_(inputs * outputs, 0.0),
      x_{.exponent = std::vector<int>(inputs, kNoExponent),
         .unit = std::vector<double>(inputs, 1.0),
         .mean = std::vector<double>(inputs, 0.0)},
      y_{.exponent = std::vector<int>(outputs, kNoExponent),
         .unit = std::vector<double>(outputs, 1.0),
         .mean = std::vector<double>(outputs, 0.0)},
      gap_(inputs, 0.0),
      output_weight_(outputs, 0.0),
      output_squares_(outputs, 0.0),
      observed_weight_(outputs, 0.0),
      observed_rows_(outputs, 0),
      dx_(inputs, 0.0),
      dy_(outputs, 0.0) {}

void Moments::add(std::span<const double> x, std::span<const double> y, std::span<const unsigned char> observed) {
    assert(x.size() == p_ && y.size() == q_ && observed.size() == q_);
    center_inputs(x);
    center_outputs(y, observed);
    for (std::size_t j = 0; j < p_; ++j) {  // eq. (15)
        if (dx_[j] != 0.0) {
            add_multiple(std::span(C_).subspan(j * p_, p_), dx_[j], dx_);
        }
    }
    for (std::size_t k = 0; k < q_; ++k) {  // eq. (15)
        if (dy_[k] != 0.0) {
            add_multiple(std::span(M_).subspan(k * p_, p_), dy_[k], dx_);
        }
    }
    weight_ += 1.0;
    ++rows_;
}

void Moments::forget() {
    weight_ *= forgetting_;
    scale_ *= forgetting_;
    for (double& w : output_weight_) {
        w *= forgetting_;
    }
    if (scale_ < power_of_two(-kScaleBits)) {
        // A forgetting near the smallest number leaves nothing at all of what was there.
        const bool nothing_left = scale_ < power_of_two(-kExponentLimit);
        const int bits = nothing_left ? 0 : -std::ilogb(scale_);
        const double factor = nothing_left ? 0.0 : power_of_two(-bits);
        multiply(C_, factor);
        multiply(M_, factor);
        multiply(gap_, factor);
        scale_ = nothing_left ? 1.0 : std::ldexp(scale_, bits);
    }
}

// The value in column units; a column takes its unit from its first value that is not zero, and gives it up for a
// larger one where a later value would overflow when squared.
double Moments::enter(Columns& columns, std::size_t column, double value, bool is_input) {
    const double scaled = value * columns.unit[column];
    if (std::abs(scaled) <= kColumnLimit && columns.exponent[column] != kNoExponent) {
        return scaled;
    }
    if (value == 0.0) {
        return 0.0;
    }
    const int exponent = std::clamp(std::ilogb(value), -kExponentLimit, kExponentLimit);
    if (is_input) {
        rescale_input(column, exponent);
    } else {
        rescale_output(column, exponent);
    }
    return value * columns.unit[column];
}

void Moments::rescale_input(std::size_t j, int exponent) {
    if (x_.exponent[j] != kNoExponent && x_.exponent[j] != exponent) {
        const double factor = power_of_two(std::max(x_.exponent[j] - exponent, -kExponentLimit));
        multiply(std::span(x_.mean).subspan(j, 1), factor);
        multiply(std::span(C_).subspan(j * p_, p_), factor);
        for (std::size_t i = 0; i < p_; ++i) {
            multiply(std::span(C_).subspan((i * p_) + j, 1), factor);
        }
        for (std::size_t k = 0; k < q_; ++k) {
            multiply(std::span(M_).subspan((k * p_) + j, 1), factor);
        }
    }
    x_.exponent[j] = exponent;
    x_.unit[j] = power_of_two(-exponent);
}

void Moments::rescale_output(std::size_t k, int exponent) {
    if (y_.exponent[k] != kNoExponent && y_.exponent[k] != exponent) {
        const double factor = power_of_two(std::max(y_.exponent[k] - exponent, -kExponentLimit));
        multiply(std::span(y_.mean).subspan(k, 1), factor);
        multiply(std::span(M_).subspan(k * p_, p_), factor);
        multiply(std::span(output_squares_).subspan(k, 1), factor);
        multiply(std::span(output_squares_).subspan(k, 1), factor);
    }
    y_.exponent[k] = exponent;
    y_.unit[k] = power_of_two(-exponent);
}

void Moments::center_inputs(std::span<const double> x) {
    const double root = std::sqrt(weight_ / (weight_ + 1.0));
    const double step = 1.0 / (weight_ + 1.0);
    const double unscale = 1.0 / std::sqrt(scale_);
    for (std::size_t j = 0; j < p_; ++j) {
        if (std::isnan(x[j])) {
            dx_[j] = center_ ? 0.0 : x_.mean[j] * unscale;
            gap_[j] += 1.0 / scale_;
            continue;
        }
        const double value = enter(x_, j, x[j], true);
        double f_root = root;
        double mean_step = step;
        double present = weight_;
        if (gap_[j] != 0.0) {
            present = std::max(weight_ - (scale_ * gap_[j]), 0.0);
            present = present < kNoWeight * weight_ ? 0.0 : present;
            f_root = std::sqrt(present / (present + 1.0));
            mean_step = 1.0 / (present + 1.0);
        }
        const double deviation = value - x_.mean[j];
        x_.mean[j] = present == 0.0 ? value : x_.mean[j] + (deviation * mean_step);
        dx_[j] = (center_ ? f_root * deviation : value) * unscale;
    }
}

void Moments::center_outputs(std::span<const double> y, std::span<const unsigned char> observed) {
    const double unscale = 1.0 / std::sqrt(scale_);
    for (std::size_t k = 0; k < q_; ++k) {
        if (std::isnan(y[k])) {
            dy_[k] = 0.0;
            continue;
        }
        const double value = enter(y_, k, y[k], false);
        const double before = output_weight_[k];
        const double deviation = value - y_.mean[k];
        y_.mean[k] = before == 0.0 ? value : y_.mean[k] + (deviation / (before + 1.0));
        dy_[k] = (center_ ? std::sqrt(before / (before + 1.0)) * deviation : value) * unscale;
        output_weight_[k] = before + 1.0;
        if (observed[k] != 0) {
            const double clock = forgetting_ * observed_weight_[k];
            const double square = center_ ? clock / (clock + 1.0) * deviation * deviation : value * value;
            output_squares_[k] = (forgetting_ * output_squares_[k]) + square;
            observed_weight_[k] = clock + 1.0;
            ++observed_rows_[k];
        }
    }
}

void Moments::append(const Moments& later_rows) {
    assert(later_rows.p_ == p_ && later_rows.q_ == q_);
    if (later_rows.rows_ == 0) {
        return;
    }
    Moments later = later_rows;
    auto align = [](Moments& a, Moments& b, bool is_input, std::size_t column) {
        const Columns& ca = is_input ? a.x_ : a.y_;
        const Columns& cb = is_input ? b.x_ : b.y_;
        const int exponent = std::max(ca.exponent[column], cb.exponent[column]);
        if (exponent == kNoExponent) {
            return;
        }
        for (Moments* m : {&a, &b}) {
            if (is_input) {
                m->rescale_input(column, exponent);
            } else {
                m->rescale_output(column, exponent);
            }
        }
    };
    for (std::size_t j = 0; j < p_; ++j) {
        align(*this, later, true, j);
    }
    for (std::size_t k = 0; k < q_; ++k) {
        align(*this, later, false, k);
    }

    // From here on everything in the later stretch's scale.
    const double decay = std::pow(forgetting_, static_cast<double>(later.rows_));
    auto joint = [](double n1, double n2) { return n1 + n2 > 0.0 ? n1 * n2 / (n1 + n2) : 0.0; };
    const double unscale = 1.0 / std::sqrt(later.scale_);
    for (std::size_t j = 0; j < p_; ++j) {
        const double n1 = decay * input_weight(j);
        const double n2 = later.input_weight(j);
        const double apart = n1 > 0.0 && n2 > 0.0 ? later.x_.mean[j] - x_.mean[j] : 0.0;
        dx_[j] = center_ ? std::sqrt(joint(n1, n2)) * apart * unscale : 0.0;
        x_.mean[j] = n2 == 0.0 ? x_.mean[j] : (n1 == 0.0 ? later.x_.mean[j] : x_.mean[j] + (apart * n2 / (n1 + n2)));
    }
    for (std::size_t k = 0; k < q_; ++k) {
        const double n1 = decay * output_weight_[k];
        const double n2 = later.output_weight_[k];
        const double apart = n1 > 0.0 && n2 > 0.0 ? later.y_.mean[k] - y_.mean[k] : 0.0;
        dy_[k] = center_ ? std::sqrt(joint(n1, n2)) * apart * unscale : 0.0;
        y_.mean[k] = n2 == 0.0 ? y_.mean[k] : (n1 == 0.0 ? later.y_.mean[k] : y_.mean[k] + (apart * n2 / (n1 + n2)));
        output_weight_[k] = n1 + n2;
        // The output's own clock ran as often as it was observed.
        const double clock = std::pow(forgetting_, static_cast<double>(later.observed_rows_[k]));
        const double o1 = clock * observed_weight_[k];
        const double o2 = later.observed_weight_[k];
        const double between = center_ ? joint(o1, o2) * apart * apart : 0.0;
        output_squares_[k] = (clock * output_squares_[k]) + later.output_squares_[k] + between;
        observed_weight_[k] = o1 + o2;
        observed_rows_[k] += later.observed_rows_[k];
    }
    const double factor = decay * scale_ / later.scale_;
    auto join = [&](std::vector<double>& ours, const std::vector<double>& theirs) {
        multiply(ours, factor);
        add_multiple(ours, 1.0, theirs);
    };
    join(C_, later.C_);
    join(M_, later.M_);
    join(gap_, later.gap_);
    for (std::size_t j = 0; j < p_; ++j) {
        add_multiple(std::span(C_).subspan(j * p_, p_), dx_[j], dx_);
    }
    for (std::size_t k = 0; k < q_; ++k) {
        add_multiple(std::span(M_).subspan(k * p_, p_), dy_[k], dx_);
    }
    scale_ = later.scale_;
    weight_ = (decay * weight_) + later.weight_;
    rows_ += later.rows_;
}

double Moments::input_in_callers_units(std::size_t j, double value) const {
    return value == 0.0 ? 0.0 : std::ldexp(value, x_.exponent[j]);
}

double Moments::output_in_callers_units(std::size_t k, double value) const {
    return value == 0.0 ? 0.0 : std::ldexp(value, y_.exponent[k]);
}

double Moments::input_deviation(std::size_t j, double x) const {
    if (std::isnan(x)) {
        return center_ ? 0.0 : x_.mean[j];
    }
    constexpr double kMost = std::numeric_limits<double>::max();
    return std::clamp(x * x_.unit[j], -kMost, kMost) - (center_ ? x_.mean[j] : 0.0);
}

double Moments::output_deviation(std::size_t k, double y) const {
    return std::isnan(y) ? 0.0 : (y * y_.unit[k]) - (center_ ? y_.mean[k] : 0.0);
}

void Moments::save(StateWriter& out) const {
    out.put(rows_);
    out.put(weight_);
    out.put(scale_);
    out.put_all(C_);
    out.put_all(M_);
    for (const Columns* columns : {&x_, &y_}) {
        out.put_all(columns->exponent);
        out.put_all(columns->mean);
    }
    out.put_all(gap_);
    out.put_all(output_weight_);
    out.put_all(output_squares_);
    out.put_all(observed_weight_);
    out.put_all(observed_rows_);
}

void Moments::load(StateReader& in) {
    in.get(rows_);
    in.get(weight_);
    in.get(scale_);
    in.get_all(C_);
    in.get_all(M_);
    for (Columns* columns : {&x_, &y_}) {
        in.get_all(columns->exponent);
        in.get_all(columns->mean);
        for (std::size_t i = 0; i < columns->exponent.size(); ++i) {
            const int exponent = columns->exponent[i];
            in.require(exponent == kNoExponent || std::abs(exponent) <= kExponentLimit,
                       "a column's unit is out of range");
            columns->unit[i] = exponent == kNoExponent ? 1.0 : power_of_two(-exponent);
        }
    }
    in.get_all(gap_);
    in.get_all(output_weight_);
    in.get_all(output_squares_);
    in.get_all(observed_weight_);
    in.get_all(observed_rows_);
    in.require(scale_ >= power_of_two(-kScaleBits) && scale_ <= 2.0 && weight_ >= 0.0,
               "the moments' weight is out of range");
}

double Moments::input_weight(std::size_t j) const {
    const double present = weight_ - (scale_ * gap_[j]);
    return present < kNoWeight * weight_ ? 0.0 : present;
}

double Moments::input_variance(std::size_t j) const {
    const double n = center_ ? input_weight(j) : weight_;
    return n > 0.0 ? scale_ * input_square(j) / n : 0.0;
}

double Moments::output_variance(std::size_t k) const {
    return observed_weight_[k] > 0.0 ? output_squares_[k] / observed_weight_[k] : 0.0;
}

}  // namespace sluice::core
