// kernels.cpp -- the loops over all inputs, compiled once for each set of vector instructions.
//
// Bytes moved are what these loops cost; the comment of each gives them per input and call. Where a sum is wanted, several
// accumulators hide the latency of the additions and are joined in a fixed order.
#include "kernels.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

// SSSE3 and the later subsets of AVX-512 have nothing that these loops use: left out, to compile less.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep: includes this file again for each target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Numbers = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Numbers>;

HWY_INLINE std::size_t lanes() {
    return hn::Lanes(Numbers());
}

// 8 bytes read.
bool Within(const double* x, const double* unit, std::size_t n, double limit) {
    const Numbers d;
    const Vec most = hn::Set(d, limit);
    std::size_t i = 0;
    auto good = hn::Eq(most, most);
    for (; i + lanes() <= n; i += lanes()) {
        const Vec value = unit == nullptr ? hn::LoadU(d, x + i) : hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, unit + i));
        good = hn::And(good, hn::Le(hn::Abs(value), most));  // NaN is not
    }
    bool all = hn::AllTrue(d, good);
    for (; i < n; ++i) {
        all = all && std::abs(x[i] * (unit == nullptr ? 1.0 : unit[i])) <= limit;
    }
    return all;
}

// 16 bytes read, 16 written. No fused multiply-add: moments.cpp does the same one by one for inputs with gaps.
void Centre(const double* x, const double* unit, std::size_t n, const Centring& how, double* mean, double* h) {
    const Numbers d;
    const Vec step = hn::Set(d, how.step);
    const Vec root = hn::Set(d, how.root);
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec value = unit == nullptr ? hn::LoadU(d, x + i) : hn::Mul(hn::LoadU(d, x + i), hn::Load(d, unit + i));
        const Vec before = hn::Load(d, mean + i);
        const Vec deviation = hn::Sub(value, before);
        hn::Store(hn::Add(before, hn::Mul(deviation, step)), d, mean + i);
        hn::Store(how.center ? hn::Mul(deviation, root) : value, d, h + i);
    }
}

// 16 bytes read, 8 written.
void AddSquares(const double* h, double weight, std::size_t n, double* square) {
    const Numbers d;
    const Vec w = hn::Set(d, weight);
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec v = hn::Load(d, h + i);
        hn::Store(hn::Add(hn::Load(d, square + i), hn::Mul(hn::Mul(v, v), w)), d, square + i);
    }
}

// 16 bytes read, 8 written to the first-level cache.
InputSums InputUnits(const double* square, const double* mean, const Units& how, std::size_t n, double* w) {
    const Numbers d;
    const Vec one = hn::Set(d, 1.0);
    const Vec variance = hn::Set(d, how.variance);
    const Vec floor = hn::Set(d, how.floor);
    Vec trace = hn::Zero(d);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec C = hn::Load(d, square + i);
        const Vec m = hn::Load(d, mean + i);
        const auto varies = hn::Gt(hn::Mul(C, variance), hn::Mul(floor, hn::Mul(m, m)));
        const Vec unit = how.scale ? hn::Div(one, C) : one;
        const Vec kept = hn::IfThenElseZero(varies, unit);
        hn::Store(kept, d, w + i);
        trace = hn::Add(trace, hn::Mul(kept, C));
        count += hn::CountTrue(d, varies);
    }
    return {hn::GetLane(hn::SumOfLanes(d, trace)), count};
}

double WeightedSum(const double* w, const double* square, std::size_t n) {
    const Numbers d;
    Vec sum = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        sum = hn::Add(sum, hn::Mul(hn::Load(d, w + i), hn::Load(d, square + i)));
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

// (sqrt(b) + sqrt(e))^2 <= (1 + delta) b + (1 + 1/delta) e for every delta > 0: no root is needed to be safe.
constexpr double kDelta = 0.02;

// 16 q bytes read, 8 q written, 24 read from the first-level cache.
template <int R, bool kUpdate>
double CrossPart(const CrossPass& pass, std::size_t from, std::size_t n) {
    const Numbers d;
    Vec total = hn::Zero(d);
    const std::size_t q = pass.outputs;
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec w = hn::Load(d, pass.w + i);
        Vec h = hn::Zero(d);
        if constexpr (kUpdate) {
            h = hn::Load(d, pass.h + i);
        }
        Vec square = hn::Zero(d);
        Vec b0 = hn::Zero(d);
        Vec b1 = hn::Zero(d);
        Vec b2 = hn::Zero(d);
        Vec b3 = hn::Zero(d);
        const double* g = pass.g + (from * q);
        for (std::size_t k = 0; k < q; ++k) {
            double* place = pass.M + (k * pass.stride) + i;
            Vec M = hn::Load(d, place);
            if constexpr (kUpdate) {
                M = hn::MulAdd(h, hn::Set(d, pass.dy[k]), M);  // eq. (15)
                hn::Store(M, d, place);
            }
            if (from == 0) {
                const Vec scaled = hn::Mul(M, hn::Set(d, pass.e[k]));
                square = hn::MulAdd(scaled, scaled, square);
            }
            if constexpr (R > 0) {
                b0 = hn::MulAdd(M, hn::Set(d, g[k]), b0);
            }
            if constexpr (R > 1) {
                b1 = hn::MulAdd(M, hn::Set(d, g[q + k]), b1);
            }
            if constexpr (R > 2) {
                b2 = hn::MulAdd(M, hn::Set(d, g[(2 * q) + k]), b2);
            }
            if constexpr (R > 3) {
                b3 = hn::MulAdd(M, hn::Set(d, g[(3 * q) + k]), b3);
            }
        }
        total = hn::MulAdd(w, square, total);
        if constexpr (R > 0) {
            const Vec v = hn::Mul(w, hn::Load(d, pass.square + i));  // D^2 C_ii
            const auto varies = hn::Gt(w, hn::Zero(d));
            auto hit = [&](const Vec& b, std::size_t r) HWY_ATTR {
                const Vec size = hn::MulAdd(hn::Mul(w, hn::Set(d, 1.0 + kDelta)), hn::Mul(b, b),
                                            hn::Mul(v, hn::Set(d, (1.0 + (1.0 / kDelta)) * pass.bound_square[r])));
                return hn::And(varies, hn::Ge(size, hn::Set(d, pass.least_square[r])));
            };
            auto note = [&](const hn::Mask<Numbers>& mask, std::size_t r) HWY_ATTR {
                alignas(8) std::array<std::uint8_t, 8> bytes{};
                hn::StoreMaskBits(d, mask, bytes.data());
                for (unsigned bits = bytes[0]; bits != 0; bits &= bits - 1U) {  // from one set bit to the next
                    if (pass.counts[r] < pass.room) {
                        pass.hits[r][pass.counts[r]] = static_cast<std::uint32_t>(
                            pass.first + i + static_cast<std::size_t>(std::countr_zero(bits)));
                    }
                    ++pass.counts[r];
                }
            };
            const auto h0 = hit(b0, from);
            const auto h1 = R > 1 ? hit(b1, from + 1) : h0;
            const auto h2 = R > 2 ? hit(b2, from + 2) : h0;
            const auto h3 = R > 3 ? hit(b3, from + 3) : h0;
            if (!hn::AllFalse(d, hn::Or(hn::Or(h0, h1), hn::Or(h2, h3)))) {
                note(h0, from);
                if constexpr (R > 1) {
                    note(h1, from + 1);
                }
                if constexpr (R > 2) {
                    note(h2, from + 2);
                }
                if constexpr (R > 3) {
                    note(h3, from + 3);
                }
            }
        }
    }
    return hn::GetLane(hn::SumOfLanes(d, total));
}

template <bool kUpdate>
double CrossGroup(const CrossPass& pass, std::size_t from, std::size_t n) {
    switch (pass.directions - from) {
        case 0:
            return CrossPart<0, kUpdate>(pass, from, n);
        case 1:
            return CrossPart<1, kUpdate>(pass, from, n);
        case 2:
            return CrossPart<2, kUpdate>(pass, from, n);
        case 3:
            return CrossPart<3, kUpdate>(pass, from, n);
        default:
            return CrossPart<4, kUpdate>(pass, from, n);
    }
}

double RunCrossPass(const CrossPass& pass, std::size_t n) {
    const double square = pass.h != nullptr ? CrossGroup<true>(pass, 0, n) : CrossGroup<false>(pass, 0, n);
    for (std::size_t from = 4; from < pass.directions; from += 4) {
        (void)CrossGroup<false>(pass, from, n);
    }
    return square;
}

// 8 q bytes read, 8 written.
void CrossProduct(const double* M, std::size_t stride, std::size_t outputs, const double* ge, std::size_t n,
                  double* b) {
    const Numbers d;
    for (std::size_t i = 0; i < n; i += lanes()) {
        Vec sum = hn::Zero(d);
        for (std::size_t k = 0; k < outputs; ++k) {
            sum = hn::MulAdd(hn::Load(d, M + (k * stride) + i), hn::Set(d, ge[k]), sum);
        }
        hn::Store(sum, d, b + i);
    }
}

// 16 q bytes read, 8 written.
double DeflatedProduct(const double* M, const double* P, std::size_t stride, std::size_t outputs, const double* e,
                       const double* g, const double* w, std::size_t n, double* b) {
    const Numbers d;
    Vec total = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        Vec sum = hn::Zero(d);
        Vec square = hn::Zero(d);
        for (std::size_t k = 0; k < outputs; ++k) {
            const Vec left =
                hn::MulSub(hn::Load(d, M + (k * stride) + i), hn::Set(d, e[k]), hn::Load(d, P + (k * stride) + i));
            sum = hn::MulAdd(left, hn::Set(d, g[k]), sum);
            square = hn::MulAdd(left, left, square);
        }
        total = hn::MulAdd(hn::Load(d, w + i), square, total);
        hn::Store(sum, d, b + i);
    }
    return hn::GetLane(hn::SumOfLanes(d, total));
}

// 24 bytes read, 8 written.
double Combine(const double* c, double c_part, const double* b, double b_part, const double* w, std::size_t n,
               double* a) {
    const Numbers d;
    const Vec bs = hn::Set(d, b_part);
    const Vec cs = hn::Set(d, c_part);
    Vec most = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        Vec sum = hn::Mul(hn::Load(d, b + i), bs);
        if (c != nullptr) {
            sum = hn::MulAdd(hn::Load(d, c + i), cs, sum);
        }
        const Vec value = w != nullptr ? hn::Mul(hn::Sqrt(hn::Load(d, w + i)), sum) : sum;
        hn::Store(value, d, a + i);
        most = hn::Max(most, hn::Abs(value));
    }
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

// 8 bytes read. One bit for each of 64 entries, then from one set bit to the next: fewer branches are guessed wrong.
std::size_t EntriesFrom(const double* a, double least, std::size_t n, std::uint32_t* hits, std::size_t room) {
    const Numbers d;
    const Vec bound = hn::Set(d, least);
    std::size_t count = 0;
    for (std::size_t first = 0; first < n; first += 64) {
        const std::size_t size = n - first < 64 ? n - first : 64;
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < size; i += lanes()) {
            alignas(8) std::array<std::uint8_t, 8> bytes{};
            hn::StoreMaskBits(d, hn::Ge(hn::Abs(hn::Load(d, a + first + i)), bound), bytes.data());
            bits |= std::uint64_t{bytes[0]} << i;
        }
        for (; bits != 0; bits &= bits - 1U) {
            if (count < room) {
                hits[count] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(std::countr_zero(bits));
            }
            ++count;
        }
    }
    return count;
}

// count columns read once for up to kTargets results, which stay in registers.
constexpr std::size_t kTargets = 6;

template <std::size_t T>
void ColumnsPart(const double* const* columns, std::size_t count, const double* coefficient, std::size_t targets,
                 std::size_t first, std::size_t last, double* out, std::size_t out_stride) {
    const Numbers d;
    for (std::size_t i = first; i < last; i += lanes()) {
        Vec s0 = hn::Zero(d);
        Vec s1 = s0;
        Vec s2 = s0;
        Vec s3 = s0;
        Vec s4 = s0;
        Vec s5 = s0;
        for (std::size_t c = 0; c < count; ++c) {
            const Vec v = hn::Load(d, columns[c] + i);
            const double* factor = coefficient + (c * targets);
            s0 = hn::MulAdd(v, hn::Set(d, factor[0]), s0);
            if constexpr (T > 1) {
                s1 = hn::MulAdd(v, hn::Set(d, factor[1]), s1);
            }
            if constexpr (T > 2) {
                s2 = hn::MulAdd(v, hn::Set(d, factor[2]), s2);
            }
            if constexpr (T > 3) {
                s3 = hn::MulAdd(v, hn::Set(d, factor[3]), s3);
            }
            if constexpr (T > 4) {
                s4 = hn::MulAdd(v, hn::Set(d, factor[4]), s4);
            }
            if constexpr (T > 5) {
                s5 = hn::MulAdd(v, hn::Set(d, factor[5]), s5);
            }
        }
        hn::Store(s0, d, out + i);
        if constexpr (T > 1) {
            hn::Store(s1, d, out + out_stride + i);
        }
        if constexpr (T > 2) {
            hn::Store(s2, d, out + (2 * out_stride) + i);
        }
        if constexpr (T > 3) {
            hn::Store(s3, d, out + (3 * out_stride) + i);
        }
        if constexpr (T > 4) {
            hn::Store(s4, d, out + (4 * out_stride) + i);
        }
        if constexpr (T > 5) {
            hn::Store(s5, d, out + (5 * out_stride) + i);
        }
    }
}

// One target: eight vectors at a time, then four, share the column's address and factor.
void ColumnsSingle(const double* const* columns, std::size_t count, const double* coefficient, std::size_t first,
                   std::size_t last, double* out) {
    const Numbers d;
    const std::size_t N = lanes();
    std::size_t i = first;
    for (; i + (8 * N) <= last; i += 8 * N) {
        Vec s0 = hn::Zero(d);
        Vec s1 = s0;
        Vec s2 = s0;
        Vec s3 = s0;
        Vec s4 = s0;
        Vec s5 = s0;
        Vec s6 = s0;
        Vec s7 = s0;
        for (std::size_t c = 0; c < count; ++c) {
            const double* column = columns[c] + i;
            const Vec factor = hn::Set(d, coefficient[c]);
            s0 = hn::MulAdd(hn::Load(d, column), factor, s0);
            s1 = hn::MulAdd(hn::Load(d, column + N), factor, s1);
            s2 = hn::MulAdd(hn::Load(d, column + (2 * N)), factor, s2);
            s3 = hn::MulAdd(hn::Load(d, column + (3 * N)), factor, s3);
            s4 = hn::MulAdd(hn::Load(d, column + (4 * N)), factor, s4);
            s5 = hn::MulAdd(hn::Load(d, column + (5 * N)), factor, s5);
            s6 = hn::MulAdd(hn::Load(d, column + (6 * N)), factor, s6);
            s7 = hn::MulAdd(hn::Load(d, column + (7 * N)), factor, s7);
        }
        hn::Store(s0, d, out + i);
        hn::Store(s1, d, out + i + N);
        hn::Store(s2, d, out + i + (2 * N));
        hn::Store(s3, d, out + i + (3 * N));
        hn::Store(s4, d, out + i + (4 * N));
        hn::Store(s5, d, out + i + (5 * N));
        hn::Store(s6, d, out + i + (6 * N));
        hn::Store(s7, d, out + i + (7 * N));
    }
    for (; i + (4 * N) <= last; i += 4 * N) {
        Vec s0 = hn::Zero(d);
        Vec s1 = s0;
        Vec s2 = s0;
        Vec s3 = s0;
        for (std::size_t c = 0; c < count; ++c) {
            const double* column = columns[c] + i;
            const Vec factor = hn::Set(d, coefficient[c]);
            s0 = hn::MulAdd(hn::Load(d, column), factor, s0);
            s1 = hn::MulAdd(hn::Load(d, column + N), factor, s1);
            s2 = hn::MulAdd(hn::Load(d, column + (2 * N)), factor, s2);
            s3 = hn::MulAdd(hn::Load(d, column + (3 * N)), factor, s3);
        }
        hn::Store(s0, d, out + i);
        hn::Store(s1, d, out + i + N);
        hn::Store(s2, d, out + i + (2 * N));
        hn::Store(s3, d, out + i + (3 * N));
    }
    ColumnsPart<1>(columns, count, coefficient, 1, i, last, out, 0);
}

void ColumnsProduct(const double* const* columns, std::size_t count, const double* coefficient, std::size_t targets,
                    std::size_t first, std::size_t last, double* out, std::size_t out_stride) {
    if (targets == 1) {
        ColumnsSingle(columns, count, coefficient, first, last, out);
        return;
    }
    for (std::size_t m = 0; m < targets; m += kTargets) {
        const double* factor = coefficient + m;
        double* to = out + (m * out_stride);
        switch (targets - m) {
            case 1:
                ColumnsPart<1>(columns, count, factor, targets, first, last, to, out_stride);
                break;
            case 2:
                ColumnsPart<2>(columns, count, factor, targets, first, last, to, out_stride);
                break;
            case 3:
                ColumnsPart<3>(columns, count, factor, targets, first, last, to, out_stride);
                break;
            case 4:
                ColumnsPart<4>(columns, count, factor, targets, first, last, to, out_stride);
                break;
            case 5:
                ColumnsPart<5>(columns, count, factor, targets, first, last, to, out_stride);
                break;
            default:
                ColumnsPart<6>(columns, count, factor, targets, first, last, to, out_stride);
                break;
        }
    }
}

// 8 count + 8 bytes read, 8 written.
template <std::size_t kColumns>
HWY_INLINE void AddRowsTo(const double* const* rows, const double* coefficient, std::size_t count, std::size_t first,
                          std::size_t last, double* const* to) {
    const Numbers d;
    std::size_t i = first;
    for (; i + (2 * lanes()) <= last; i += 2 * lanes()) {  // two vectors: each coefficient is used twice
        // As an argument of std::array a vector loses its alignment.
        Vec low[kColumns];   // NOLINT(modernize-avoid-c-arrays)
        Vec high[kColumns];  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t c = 0; c < kColumns; ++c) {
            low[c] = hn::Load(d, to[c] + i);
            high[c] = hn::Load(d, to[c] + i + lanes());
        }
        for (std::size_t b = 0; b < count; ++b) {
            const Vec h0 = hn::Load(d, rows[b] + i);
            const Vec h1 = hn::Load(d, rows[b] + i + lanes());
            for (std::size_t c = 0; c < kColumns; ++c) {
                const Vec factor = hn::Set(d, coefficient[(b * kColumnsAtOnce) + c]);
                low[c] = hn::MulAdd(h0, factor, low[c]);
                high[c] = hn::MulAdd(h1, factor, high[c]);
            }
        }
        for (std::size_t c = 0; c < kColumns; ++c) {
            hn::Store(low[c], d, to[c] + i);
            hn::Store(high[c], d, to[c] + i + lanes());
        }
    }
    for (; i < last; i += lanes()) {
        for (std::size_t c = 0; c < kColumns; ++c) {
            Vec sum = hn::Load(d, to[c] + i);
            for (std::size_t b = 0; b < count; ++b) {
                sum = hn::MulAdd(hn::Load(d, rows[b] + i), hn::Set(d, coefficient[(b * kColumnsAtOnce) + c]), sum);
            }
            hn::Store(sum, d, to[c] + i);
        }
    }
}

void AddRows(const double* const* rows, const double* coefficient, std::size_t count, std::size_t first,
             std::size_t last, double* const* to, std::size_t columns) {
    static_assert(kColumnsAtOnce == 4);
    switch (columns) {
        case 4:
            return AddRowsTo<4>(rows, coefficient, count, first, last, to);
        case 3:
            return AddRowsTo<3>(rows, coefficient, count, first, last, to);
        case 2:
            return AddRowsTo<2>(rows, coefficient, count, first, last, to);
        default:
            return AddRowsTo<1>(rows, coefficient, count, first, last, to);
    }
}

// 8 n bytes read and written for each input; two columns at a time share what they add.
void AddOuter(const double* v, std::size_t inputs, std::size_t n, std::size_t stride, double* C) {
    const Numbers d;
    std::size_t j = 0;
    for (; j + 2 <= inputs; j += 2) {
        const Vec f0 = hn::Set(d, v[j]);
        const Vec f1 = hn::Set(d, v[j + 1]);
        double* c0 = C + (j * stride);
        double* c1 = c0 + stride;
        for (std::size_t i = 0; i < n; i += lanes()) {
            const Vec own = hn::Load(d, v + i);
            hn::Store(hn::MulAdd(f0, own, hn::Load(d, c0 + i)), d, c0 + i);
            hn::Store(hn::MulAdd(f1, own, hn::Load(d, c1 + i)), d, c1 + i);
        }
    }
    for (; j < inputs; ++j) {
        const Vec factor = hn::Set(d, v[j]);
        double* column = C + (j * stride);
        for (std::size_t i = 0; i < n; i += lanes()) {
            hn::Store(hn::MulAdd(factor, hn::Load(d, v + i), hn::Load(d, column + i)), d, column + i);
        }
    }
}

// What is left of a number of vectors is covered by one that ends with the last number.
double Largest(const double* a, std::size_t n) {
    const Numbers d;
    if (n < lanes()) {
        double largest = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            largest = std::abs(a[i]) > largest ? std::abs(a[i]) : largest;
        }
        return largest;
    }
    Vec most = hn::Abs(hn::LoadU(d, a + n - lanes()));
    for (std::size_t i = 0; i + lanes() <= n; i += lanes()) {
        most = hn::Max(most, hn::Abs(hn::LoadU(d, a + i)));
    }
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

// Each number looked at tells of all others whether the one wanted is larger or smaller, and which is next to it on
// either side. From a good guess it is a step or two away; else some 2 ln n are looked at.
double NthLargest(const double* a, std::size_t n, std::size_t k, double guess) {
    const Numbers d;
    constexpr std::size_t kNear = 4;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double low = -1.0;  // too small
    double high = kInfinity;
    std::size_t next = 0;  // numbers before were looked at, or are out of the question
    for (double own = guess;;) {
        const Vec pivot = hn::Set(d, own);
        Vec above = hn::Set(d, kInfinity);
        Vec below = hn::Set(d, -1.0);
        std::size_t larger = 0;
        std::size_t smaller = 0;
        for (std::size_t i = 0; i < n; i += lanes()) {
            const Vec other = hn::LoadU(d, a + i);
            const auto is_larger = hn::Gt(other, pivot);
            const auto is_smaller = hn::Lt(other, pivot);
            larger += hn::CountTrue(d, is_larger);
            smaller += hn::CountTrue(d, is_smaller);
            above = hn::Min(above, hn::IfThenElse(is_larger, other, hn::Set(d, kInfinity)));
            below = hn::Max(below, hn::IfThenElse(is_smaller, other, hn::Set(d, -1.0)));
        }
        const std::size_t padding = ((n + lanes() - 1) / lanes() * lanes()) - n;
        const std::size_t from_here = n + padding - smaller;  // larger or equal
        std::size_t away = 0;
        if (larger > k) {
            low = own;
            own = hn::GetLane(hn::MinOfLanes(d, above));
            away = larger - k - 1;
        } else if (from_here <= k) {
            high = own;
            own = hn::GetLane(hn::MaxOfLanes(d, below));
            away = k - from_here;
        } else {
            return own;
        }
        if (away == 0) {
            return own;
        }
        if (away > kNear) {  // far off: any number that is left may be the one
            while (next < n && (a[next] <= low || a[next] >= high)) {
                ++next;
            }
            own = next < n ? a[next] : own;
        }
    }
}

double Dot(const double* a, const double* b, std::size_t n) {
    const Numbers d;
    Vec s0 = hn::Zero(d);
    Vec s1 = s0;
    Vec s2 = s0;
    Vec s3 = s0;
    const std::size_t N = lanes();
    std::size_t i = 0;
    for (; i + (4 * N) <= n; i += 4 * N) {
        s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
        s1 = hn::MulAdd(hn::LoadU(d, a + i + N), hn::LoadU(d, b + i + N), s1);
        s2 = hn::MulAdd(hn::LoadU(d, a + i + (2 * N)), hn::LoadU(d, b + i + (2 * N)), s2);
        s3 = hn::MulAdd(hn::LoadU(d, a + i + (3 * N)), hn::LoadU(d, b + i + (3 * N)), s3);
    }
    for (; i + N <= n; i += N) {
        s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
    }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
    for (; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

void Multiply(const double* a, const double* b, std::size_t n, double* out) {
    const Numbers d;
    std::size_t i = 0;
    for (; i + lanes() <= n; i += lanes()) {
        hn::StoreU(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
    }
    for (; i < n; ++i) {
        out[i] = a[i] * b[i];
    }
}

void AddMultiple(const float* from, double factor, std::size_t n, double* to) {
    const Numbers d;
    const hn::Rebind<float, Numbers> single;
    const Vec f = hn::Set(d, factor);
    std::size_t i = 0;
    for (; i + lanes() <= n; i += lanes()) {
        hn::StoreU(hn::MulAdd(f, hn::PromoteTo(d, hn::LoadU(single, from + i)), hn::LoadU(d, to + i)), d, to + i);
    }
    for (; i < n; ++i) {
        to[i] += factor * static_cast<double>(from[i]);
    }
}

double DotSingle(const float* a, const double* b, std::size_t n) {
    const Numbers d;
    const hn::Rebind<float, Numbers> single;
    Vec s0 = hn::Zero(d);
    Vec s1 = s0;
    const std::size_t N = lanes();
    std::size_t i = 0;
    for (; i + (2 * N) <= n; i += 2 * N) {
        s0 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(single, a + i)), hn::LoadU(d, b + i), s0);
        s1 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(single, a + i + N)), hn::LoadU(d, b + i + N), s1);
    }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
    for (; i < n; ++i) {
        sum += static_cast<double>(a[i]) * b[i];
    }
    return sum;
}

// 64 bytes read and 64 written (32 in single precision) for eight rows. The eight numbers of an input are one line.
void Transpose(const double* const* rows, std::size_t inputs, std::size_t stride, double* ring) {
    const Numbers d;
    for (std::size_t i = 0; i < inputs; ++i) {
        alignas(64) std::array<double, 8> line{};
        for (std::size_t b = 0; b < 8; ++b) {
            line[b] = rows[b][i];
        }
        for (std::size_t b = 0; b < 8; b += lanes()) {
            hn::Stream(hn::Load(d, line.data() + b), d, ring + (i * stride) + b);
        }
    }
    hwy::FlushStream();
}

void TransposeSingle(const double* const* rows, std::size_t inputs, std::size_t stride, float* ring) {
    for (std::size_t i = 0; i < inputs; ++i) {
        float* line = ring + (i * stride);
        for (std::size_t b = 0; b < 8; ++b) {
            line[b] = static_cast<float>(rows[b][i]);
        }
    }
}

const char* TargetName() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(Within);
HWY_EXPORT(Centre);
HWY_EXPORT(AddSquares);
HWY_EXPORT(InputUnits);
HWY_EXPORT(WeightedSum);
HWY_EXPORT(RunCrossPass);
HWY_EXPORT(CrossProduct);
HWY_EXPORT(DeflatedProduct);
HWY_EXPORT(Combine);
HWY_EXPORT(EntriesFrom);
HWY_EXPORT(ColumnsProduct);
HWY_EXPORT(AddRows);
HWY_EXPORT(AddOuter);
HWY_EXPORT(Largest);
HWY_EXPORT(NthLargest);
HWY_EXPORT(Dot);
HWY_EXPORT(DotSingle);
HWY_EXPORT(Multiply);
HWY_EXPORT(AddMultiple);
HWY_EXPORT(Transpose);
HWY_EXPORT(TransposeSingle);
HWY_EXPORT(TargetName);

bool within(const double* x, const double* unit, std::size_t n, double limit) {
    return HWY_DYNAMIC_DISPATCH(Within)(x, unit, n, limit);
}
void centre(const double* x, const double* unit, std::size_t n, const Centring& how, double* mean, double* h) {
    HWY_DYNAMIC_DISPATCH(Centre)(x, unit, n, how, mean, h);
}
void add_squares(const double* h, double weight, std::size_t n, double* square) {
    HWY_DYNAMIC_DISPATCH(AddSquares)(h, weight, n, square);
}
InputSums input_units(const double* square, const double* mean, const Units& how, std::size_t n, double* w) {
    return HWY_DYNAMIC_DISPATCH(InputUnits)(square, mean, how, n, w);
}
double weighted_sum(const double* w, const double* square, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(WeightedSum)(w, square, n);
}
double cross_pass(const CrossPass& pass, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(RunCrossPass)(pass, n);
}
void cross_product(const double* M, std::size_t stride, std::size_t outputs, const double* ge, std::size_t n,
                   double* b) {
    HWY_DYNAMIC_DISPATCH(CrossProduct)(M, stride, outputs, ge, n, b);
}
double deflated_product(const double* M, const double* P, std::size_t stride, std::size_t outputs, const double* e,
                        const double* g, const double* w, std::size_t n, double* b) {
    return HWY_DYNAMIC_DISPATCH(DeflatedProduct)(M, P, stride, outputs, e, g, w, n, b);
}
double combine(const double* c, double c_part, const double* b, double b_part, const double* w, std::size_t n,
               double* a) {
    return HWY_DYNAMIC_DISPATCH(Combine)(c, c_part, b, b_part, w, n, a);
}
std::size_t entries_from(const double* a, double least, std::size_t n, std::uint32_t* hits, std::size_t room) {
    return HWY_DYNAMIC_DISPATCH(EntriesFrom)(a, least, n, hits, room);
}
void columns_product(const double* const* columns, std::size_t count, const double* coefficient, std::size_t targets,
                     std::size_t first, std::size_t last, double* out, std::size_t out_stride) {
    HWY_DYNAMIC_DISPATCH(ColumnsProduct)(columns, count, coefficient, targets, first, last, out, out_stride);
}
void add_rows(const double* const* rows, const double* coefficient, std::size_t count, std::size_t first,
              std::size_t last, double* const* to, std::size_t columns) {
    HWY_DYNAMIC_DISPATCH(AddRows)(rows, coefficient, count, first, last, to, columns);
}
void add_outer(const double* d, std::size_t inputs, std::size_t n, std::size_t stride, double* C) {
    HWY_DYNAMIC_DISPATCH(AddOuter)(d, inputs, n, stride, C);
}
double largest(const double* a, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(Largest)(a, n);
}
double nth_largest(const double* a, std::size_t n, std::size_t k, double guess) {
    return HWY_DYNAMIC_DISPATCH(NthLargest)(a, n, k, guess);
}
double dot(const double* a, const double* b, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(Dot)(a, b, n);
}
double dot(const float* a, const double* b, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(DotSingle)(a, b, n);
}
void multiply(const double* a, const double* b, std::size_t n, double* out) {
    HWY_DYNAMIC_DISPATCH(Multiply)(a, b, n, out);
}
void add_multiple(const float* from, double factor, std::size_t n, double* to) {
    HWY_DYNAMIC_DISPATCH(AddMultiple)(from, factor, n, to);
}
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, double* ring) {
    HWY_DYNAMIC_DISPATCH(Transpose)(rows, inputs, stride, ring);
}
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, float* ring) {
    HWY_DYNAMIC_DISPATCH(TransposeSingle)(rows, inputs, stride, ring);
}
const char* target_name() {
    return HWY_DYNAMIC_DISPATCH(TargetName)();
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
