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
//   gram_     C       pp     as much of it as its engine keeps; its diagonal is square_
//   M_        M       pq     C and M are divided by scale_, so that forgetting costs one multiplication per row
//   scale_    -       1      lambda^t; brought back by a power of two (exact) before it runs out of exponent
//   weight_   -       1      n, the sum of lambda^age
//   h         x       p      sqrt(f) d: C gains h'h / scale_, M gains h'dy_
//
// A missing input counts as its mean: d = 0. Its mean moves only with the rows in which it was there, whose weight
// n - gap takes the place of n above. An output that is not there was filled in by the caller with the model's own
// prediction, so that M stays in step with C; its variance counts observed values only, on the output's own clock.
//
// A row costs one pass over all inputs, in pieces that fit the nearest cache: x is read, mean, C_jj and M are read and
// written, h is written, 8 (6 + 2 q) bytes an input, and what the step asks of M (Watch) is found in the same pass.
#include "moments.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

constexpr int kNoExponent = -10000;   // no value other than 0 was seen yet
constexpr int kExponentLimit = 1000;  // 2^1000 and 2^-1000 are both normal numbers
// A column whose first value is within these powers of two is kept as it comes: its squares are far from any limit.
constexpr int kPlainExponent = 32;
// A value this far above its column's unit moves the unit.
constexpr double kColumnLimit = Moments::kTame;

// Renormalised when scale_ falls below this: every 2,200 rows at lambda 0.98, 64 rows at 0.5.
constexpr int kScaleBits = 64;
// Numbers below this are zeroed when renormalised: they weigh nothing and would end as slow denormals.
constexpr double kNegligible = 0x1p-900;

constexpr int kLowest = -100000;

double power_of_two(int exponent) {
    return std::ldexp(1.0, exponent);
}

void multiply(std::span<double> values, double factor) {
    for (double& v : values) {
        v *= factor;
        v = std::abs(v) < kNegligible ? 0.0 : v;
    }
}

}  // namespace

Watch::Watch(std::size_t directions, std::size_t outputs, std::size_t most, std::size_t workers)
    : g(directions * outputs, 0.0),
      least_square(directions, 0.0),
      bound_square(directions, 0.0),
      room(most),
      by_worker_(workers) {
    for (Notes& notes : by_worker_) {
        notes.hits.assign(directions, std::vector<std::uint32_t>(room));
        notes.counts.assign(directions, 0);
    }
}

void Watch::clear() {
    for (Notes& notes : by_worker_) {
        std::ranges::fill(notes.counts, 0);
        notes.places.clear();  // a copy of this Watch has lists of its own
        for (auto& list : notes.hits) {
            notes.places.push_back(list.data());
        }
    }
}

std::size_t Watch::count(std::size_t direction) const {
    std::size_t sum = 0;
    for (const Notes& notes : by_worker_) {
        sum += notes.counts[direction];
    }
    return sum;
}

void Watch::hits(std::size_t direction, std::vector<std::size_t>& into) const {
    into.clear();
    for (const Notes& notes : by_worker_) {
        const auto& list = notes.hits[direction];
        into.insert(into.end(), list.begin(), list.begin() + static_cast<std::ptrdiff_t>(notes.counts[direction]));
    }
}

Moments::Columns::Columns(std::size_t size) : exponent(size, kNoExponent), unit(padded(size)), mean(padded(size)) {
    std::ranges::fill(unit.all(), 1.0);
}

Moments::Moments(std::size_t inputs, std::size_t outputs, const StreamOptions& options)
    : p_(inputs),
      q_(outputs),
      stride_(column_stride(inputs)),
      forgetting_(options.forgetting),
      center_(options.center),
      gram_(make_gram(plan_engine(inputs, outputs, options), inputs, outputs, options)),
      square_(padded(inputs)),
      M_(stride_ * outputs),
      x_(inputs),
      y_(outputs),
      gap_(padded(inputs)),
      output_weight_(outputs, 0.0),
      output_squares_(outputs, 0.0),
      observed_weight_(outputs, 0.0),
      observed_rows_(outputs, 0),
      traits_(pieces()),
      dy_(outputs),
      tail_(kPiece),
      piece_square_(pieces(), 0.0),
      piece_trace_(pieces(), 0.0),
      piece_varying_(pieces(), 0),
      workers_(options.threads) {}

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
        gram_->scale(factor);
        multiply(square_.all(), factor);
        multiply(M_.all(), factor);
        multiply(gap_.all(), factor);
        scale_ = nothing_left ? 1.0 : std::ldexp(scale_, bits);
    }
}

void Moments::add(std::span<const double> x, std::span<const double> y, std::span<const unsigned char> observed) {
    begin(x, y, observed, false);
    const std::vector<double> e(q_, 1.0);
    Survey survey{.e = e};
    finish(survey, nullptr);
}

void Moments::begin(std::span<const double> x, std::span<const double> y, std::span<const unsigned char> observed,
                    bool tame) {
    assert(x.size() == p_ && y.size() == q_ && observed.size() == q_);
    row_ = x;
    tame_ = tame;
    before_ = weight_;
    root_ = std::sqrt(weight_ / (weight_ + 1.0));
    step_ = 1.0 / (weight_ + 1.0);
    settle_units(x, tame);
    center_outputs(y, observed);
}

void Moments::finish(Survey& survey, Watch* watch) {
    if (watch != nullptr) {
        watch->clear();
    }
    double* h = gram_->row();
    auto first_half = [&](std::size_t piece) {
        double* own = h + (piece * kPiece);
        center_piece(piece, own);
        kernels::add_squares(own, row_weight(), piece_size(piece), square_.data() + (piece * kPiece));
    };
    auto second_half = [&](std::size_t piece, std::size_t worker) {
        alignas(64) std::array<double, kPiece> w;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
        const auto sums = piece_units(piece, survey, w.data());
        piece_trace_[piece] = sums.trace;
        piece_varying_[piece] = sums.varies;
        piece_square_[piece] = cross_piece(piece, h + (piece * kPiece), w.data(), survey, watch, worker);
    };
    // Piece by piece through both halves, unless some columns have units of their own: the largest of those that vary
    // must be known first.
    weight_ += 1.0;  // as of which variances are taken; what the row does was settled in begin()
    survey.top_exponent = 0;
    workers_.share(pieces(), [&](std::size_t worker, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
            first_half(piece);
            if (!any_units_) {
                second_half(piece, worker);
            }
        }
    });
    if (any_units_) {
        survey.top_exponent = top_exponent();
        workers_.share(pieces(), [&](std::size_t worker, std::size_t first, std::size_t last) {
            for (std::size_t piece = first; piece < last; ++piece) {
                second_half(piece, worker);
            }
        });
    }
    sum_up(survey);
    gram_->take(row_weight(), workers_);
    ++rows_;
    row_ = {};
}

void Moments::look(Survey& survey, Watch* watch) const {
    if (watch != nullptr) {
        watch->clear();
    }
    survey.top_exponent = any_units_ ? top_exponent() : 0;
    workers_.share(pieces(), [&](std::size_t worker, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
            alignas(64) std::array<double, kPiece> w;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
            const auto sums = piece_units(piece, survey, w.data());
            piece_trace_[piece] = sums.trace;
            piece_varying_[piece] = sums.varies;
            piece_square_[piece] = cross_piece(piece, nullptr, w.data(), survey, watch, worker);
        }
    });
    sum_up(survey);
}

void Moments::input_weights(const Survey& survey, std::span<double> w) const {
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
        (void)piece_units(piece, survey, w.data() + (piece * kPiece));
    }
}

void Moments::sum_up(Survey& survey) const {
    survey.input_trace = std::accumulate(piece_trace_.begin(), piece_trace_.end(), 0.0);
    survey.cross_square = std::accumulate(piece_square_.begin(), piece_square_.end(), 0.0);
    survey.varying = std::accumulate(piece_varying_.begin(), piece_varying_.end(), std::size_t{0});
}

std::size_t Moments::piece_size(std::size_t piece) const {
    return std::min(kPiece, padded(p_) - (piece * kPiece));
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
    int exponent = std::clamp(std::ilogb(value), -kExponentLimit, kExponentLimit);
    if (columns.exponent[column] == kNoExponent && std::abs(exponent) <= kPlainExponent) {
        exponent = 0;
    }
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
        x_.mean[j] *= factor;
        gram_->scale_input(j, factor);
        multiply({&square_[j], 1}, factor);
        multiply({&square_[j], 1}, factor);
        for (std::size_t k = 0; k < q_; ++k) {
            multiply({&M_[(k * stride_) + j], 1}, factor);
        }
    }
    x_.exponent[j] = exponent;
    x_.unit[j] = power_of_two(-exponent);
}

void Moments::rescale_output(std::size_t k, int exponent) {
    if (y_.exponent[k] != kNoExponent && y_.exponent[k] != exponent) {
        const double factor = power_of_two(std::max(y_.exponent[k] - exponent, -kExponentLimit));
        y_.mean[k] *= factor;
        multiply({&M_[k * stride_], p_}, factor);
        multiply({&output_squares_[k], 1}, factor);
        multiply({&output_squares_[k], 1}, factor);
    }
    y_.exponent[k] = exponent;
    y_.unit[k] = power_of_two(-exponent);
}

// Gives new columns their units, and others a larger one where a value calls for it, before anything is added.
void Moments::settle_units(std::span<const double> x, bool tame) {
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
        const std::size_t first = piece * kPiece;
        const std::size_t size = std::min(kPiece, p_ - first);
        const bool units = traits_[piece].units;
        const bool fits = (tame && !units) ||
                          kernels::within(x.data() + first, units ? x_.unit.data() + first : nullptr, size, kTame);
        if (fits && !traits_[piece].fresh) {
            continue;
        }
        for (std::size_t j = first; j < first + size; ++j) {
            if (!std::isnan(x[j])) {
                (void)enter(x_, j, x[j], true);
            }
        }
        note_piece(piece);
    }
}

void Moments::note_piece(std::size_t piece) {
    Traits traits{.fresh = false};
    for (std::size_t j = piece * kPiece; j < std::min((piece + 1) * kPiece, p_); ++j) {
        const bool fresh = x_.exponent[j] == kNoExponent;
        traits.fresh = traits.fresh || fresh;
        traits.units = traits.units || (!fresh && x_.exponent[j] != 0);
        traits.gaps = traits.gaps || gap_[j] != 0.0;
    }
    traits_[piece] = traits;
    any_units_ = any_units_ || traits.units;
}

Moments::Entry Moments::entry(std::size_t j, double x) const {
    const double mean = x_.mean[j];
    if (std::isnan(x)) {
        return {.h = center_ ? 0.0 : mean, .mean = mean, .gap = gap_[j] + row_weight()};
    }
    const double value = x * x_.unit[j];
    double root = root_;
    double step = step_;
    double present = before_;
    if (gap_[j] != 0.0) {
        present = std::max(before_ - (scale_ * gap_[j]), 0.0);
        present = present < kNoWeight * before_ ? 0.0 : present;
        root = std::sqrt(present / (present + 1.0));
        step = 1.0 / (present + 1.0);
    }
    const double deviation = value - mean;
    return {.h = center_ ? deviation * root : value,
            .mean = present == 0.0 ? value : mean + (deviation * step),
            .gap = gap_[j]};
}

Moments::Preview Moments::preview(std::size_t j) const {
    const double h = entry(j, row_[j]).h;
    return {.square = square_[j] + (h * h * row_weight()), .deviation = h};
}

void Moments::center_piece(std::size_t piece, double* h) {
    const std::size_t first = piece * kPiece;
    const std::size_t size = std::min(kPiece, p_ - first);
    const double* unit = traits_[piece].units ? x_.unit.data() + first : nullptr;
    const bool fast = before_ > 0.0 && !traits_[piece].gaps &&
                      ((tame_ && unit == nullptr) || kernels::within(row_.data() + first, unit, size, kTame));
    if (fast) {
        const double* x = row_.data() + first;
        if (size != padded(size)) {  // the row ends within a vector
            std::copy_n(x, size, tail_.data());
            std::fill_n(tail_.data() + size, padded(size) - size, 0.0);
            x = tail_.data();
        }
        kernels::centre(x, unit, padded(size), {.step = step_, .root = root_, .center = center_},
                        x_.mean.data() + first, h);
        return;
    }
    bool gaps = false;
    for (std::size_t i = 0; i < size; ++i) {
        const Entry done = entry(first + i, row_[first + i]);
        h[i] = done.h;
        x_.mean[first + i] = done.mean;
        gap_[first + i] = done.gap;
        gaps = gaps || done.gap != 0.0;
    }
    std::fill(h + size, h + padded(size), 0.0);
    traits_[piece].gaps = gaps;
}

kernels::InputSums Moments::piece_units(std::size_t piece, const Survey& survey, double* w) const {
    const std::size_t first = piece * kPiece;
    const std::size_t size = std::min(kPiece, p_ - first);
    const kernels::Units how{
        .variance = scale_ / weight_, .floor = center_ ? kConstant * kConstant : 0.0, .scale = survey.scale_inputs};
    if (!traits_[piece].gaps && !traits_[piece].units && weight_ > 0.0) {
        return kernels::input_units(square_.data() + first, x_.mean.data() + first, how, padded(size), w);
    }
    kernels::InputSums sums{.trace = 0.0, .varies = 0};
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t j = first + i;
        w[i] = 0.0;
        if (input_varies(j)) {
            w[i] = survey.scale_inputs ? 1.0 / square_[j]
                                       : power_of_two(2 * std::max(x_.exponent[j] - survey.top_exponent, -500));
            ++sums.varies;
        }
    }
    std::fill(w + size, w + padded(size), 0.0);
    sums.trace = kernels::weighted_sum(w, square_.data() + first, padded(size));
    return sums;
}

double Moments::cross_piece(std::size_t piece, const double* h, const double* w, const Survey& survey, Watch* watch,
                            std::size_t worker) const {
    const std::size_t first = piece * kPiece;
    kernels::CrossPass pass{.M = M_.data() + first,
                            .stride = stride_,
                            .outputs = q_,
                            .h = h,
                            .dy = dy_.data(),
                            .e = survey.e.data(),
                            .w = w,
                            .square = square_.data() + first,
                            .directions = 0,
                            .g = nullptr,
                            .least_square = nullptr,
                            .bound_square = nullptr,
                            .first = first,
                            .hits = nullptr,
                            .counts = nullptr,
                            .room = 0};
    if (watch != nullptr) {
        Watch::Notes& notes = watch->by_worker_[worker];
        pass.directions = watch->least_square.size();
        pass.g = watch->g.data();
        pass.least_square = watch->least_square.data();
        pass.bound_square = watch->bound_square.data();
        pass.hits = notes.places.data();
        pass.counts = notes.counts.data();
        pass.room = watch->room;
    }
    return kernels::cross_pass(pass, piece_size(piece));
}

int Moments::top_exponent() const {
    int top = kLowest;
    for (std::size_t j = 0; j < p_; ++j) {
        if (x_.exponent[j] > top && input_varies(j)) {
            top = x_.exponent[j];
        }
    }
    return top == kLowest ? 0 : top;
}

void Moments::center_outputs(std::span<const double> y, std::span<const unsigned char> observed) {
    for (std::size_t k = 0; k < q_; ++k) {
        if (std::isnan(y[k])) {
            dy_[k] = 0.0;
            continue;
        }
        const double value = enter(y_, k, y[k], false);
        const double before = output_weight_[k];
        const double deviation = value - y_.mean[k];
        y_.mean[k] = before == 0.0 ? value : y_.mean[k] + (deviation / (before + 1.0));
        dy_[k] = (center_ ? std::sqrt(before / (before + 1.0)) * deviation : value) * row_weight();
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
    std::vector<double> h(p_, 0.0);
    for (std::size_t j = 0; j < p_; ++j) {
        const double n1 = decay * input_weight(j);
        const double n2 = later.input_weight(j);
        const double apart = n1 > 0.0 && n2 > 0.0 ? later.x_.mean[j] - x_.mean[j] : 0.0;
        h[j] = center_ ? std::sqrt(joint(n1, n2)) * apart : 0.0;
        x_.mean[j] = n2 == 0.0 ? x_.mean[j] : (n1 == 0.0 ? later.x_.mean[j] : x_.mean[j] + (apart * n2 / (n1 + n2)));
    }
    for (std::size_t k = 0; k < q_; ++k) {
        const double n1 = decay * output_weight_[k];
        const double n2 = later.output_weight_[k];
        const double apart = n1 > 0.0 && n2 > 0.0 ? later.y_.mean[k] - y_.mean[k] : 0.0;
        dy_[k] = center_ ? std::sqrt(joint(n1, n2)) * apart * later.row_weight() : 0.0;
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
    auto join = [&](double& ours, double theirs) {
        multiply({&ours, 1}, factor);
        ours += theirs;
    };
    for (std::size_t j = 0; j < p_; ++j) {
        join(square_[j], later.square_[j]);
        join(gap_[j], later.gap_[j]);
        square_[j] += h[j] * h[j] * later.row_weight();
        for (std::size_t k = 0; k < q_; ++k) {
            join(M_[(k * stride_) + j], later.M_[(k * stride_) + j]);
            M_[(k * stride_) + j] += h[j] * dy_[k];
        }
    }
    gram_->append(*later.gram_, factor, h, later.row_weight());
    scale_ = later.scale_;
    weight_ = (decay * weight_) + later.weight_;
    rows_ += later.rows_;
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
        note_piece(piece);
    }
}

double Moments::input_in_callers_units(std::size_t j, double value) const {
    return value == 0.0 ? 0.0 : std::ldexp(value, x_.exponent[j]);
}

double Moments::output_in_callers_units(std::size_t k, double value) const {
    return value == 0.0 ? 0.0 : std::ldexp(value, y_.exponent[k]);
}

double Moments::output_deviation(std::size_t k, double y) const {
    return std::isnan(y) ? 0.0 : (y * y_.unit[k]) - (center_ ? y_.mean[k] : 0.0);
}

std::size_t Moments::bytes() const {
    return gram_->bytes() + square_.bytes() + M_.bytes() + x_.unit.bytes() + x_.mean.bytes() + gap_.bytes() +
           (x_.exponent.size() * sizeof(int));
}

void Moments::save(StateWriter& out) const {
    out.put(rows_);
    out.put(weight_);
    out.put(scale_);
    out.put_all(square_.all().first(p_));
    for (std::size_t k = 0; k < q_; ++k) {
        out.put_all(std::span<const double>(M_.data() + (k * stride_), p_));
    }
    for (const Columns* columns : {&x_, &y_}) {
        out.put_all(columns->exponent);
        out.put_all(columns->mean.all().first(columns->exponent.size()));
    }
    out.put_all(gap_.all().first(p_));
    out.put_all(output_weight_);
    out.put_all(output_squares_);
    out.put_all(observed_weight_);
    out.put_all(observed_rows_);
    gram_->save(out);
}

void Moments::load(StateReader& in) {
    in.get(rows_);
    in.get(weight_);
    in.get(scale_);
    in.get_all(square_.all().first(p_));
    for (std::size_t k = 0; k < q_; ++k) {
        in.get_all(M_.all().subspan(k * stride_, p_));
    }
    for (Columns* columns : {&x_, &y_}) {
        in.get_all(columns->exponent);
        in.get_all(columns->mean.all().first(columns->exponent.size()));
        for (std::size_t i = 0; i < columns->exponent.size(); ++i) {
            const int exponent = columns->exponent[i];
            in.require(exponent == kNoExponent || std::abs(exponent) <= kExponentLimit,
                       "a column's unit is out of range");
            columns->unit[i] = exponent == kNoExponent ? 1.0 : power_of_two(-exponent);
        }
    }
    in.get_all(gap_.all().first(p_));
    in.get_all(output_weight_);
    in.get_all(output_squares_);
    in.get_all(observed_weight_);
    in.get_all(observed_rows_);
    in.require(scale_ >= power_of_two(-kScaleBits) && scale_ <= 2.0 && weight_ >= 0.0,
               "the moments' weight is out of range");
    gram_->load(in);
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
        note_piece(piece);
    }
}

double Moments::output_variance(std::size_t k) const {
    return observed_weight_[k] > 0.0 ? output_squares_[k] / observed_weight_[k] : 0.0;
}

}  // namespace sluice::core
