// cross_kernels.cpp -- the loops over M, the cross-moments of all inputs with the q outputs.
//
// M is stored output by output: q columns of one number per input. The update is the second half of eq. (15); the
// products are the cross part M M' u of H u, eq. (16), for all inputs.
//
//   kernel             read per input     written      serves
//   cross_pass         8 q + 24 bytes     8 q bytes    eq. (15) for M, the trace of M M', and the screen (screen.cpp)
//   bridge_product     8 q + 16           8            eq. (16), H u of C u and M'u
//   cross_bounds       8 q + 16           16           the screen, where all inputs must be looked at
//   deflated_product   16 q + 8           8            eq. (16) on what deflation leaves of M
//
// Of the 24 bytes of cross_pass, those of h, w and C_ii, all are still in the first-level cache.
#include "cross_kernels.hpp"

#include <array>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cross_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

// (sqrt(b) + sqrt(e))^2 <= (1 + delta) b + (1 + 1/delta) e for every delta > 0: a safe bound without a square root.
constexpr double kDelta = 0.02;

// For each byte, the numbers of its set bits; zeros after them.
constexpr std::array<std::array<std::uint8_t, 8>, 256> set_bits() {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
        std::size_t count = 0;
        for (std::uint8_t bit = 0; bit < 8; ++bit) {
            if ((byte >> bit & 1U) != 0) {
                table[byte][count++] = bit;
            }
        }
    }
    return table;
}
constexpr auto kSetBits = set_bits();

// R directions, number `from` and those after it. Only the pass with from = 0 adds up the squares.
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
        // Unrolled, so that each output's column is read by an instruction of its own. One instruction that goes from column
        // to column makes the processor fetch ahead by that distance. Of 40,000 bytes an Intel Xeon seems to use 16 bits: the
        // lines that then are slow are those that another core is about to write. (Measured, 5,000 inputs and 5 outputs,
        // medians: 17 microseconds with two threads and 9 with one; unrolled, 5.5 to 8 with two.)
#pragma GCC unroll 8
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
            auto reaches = [&](const Vec& b, std::size_t r) HWY_ATTR {
                const Vec size = hn::MulAdd(hn::Mul(w, hn::Set(d, 1.0 + kDelta)), hn::Mul(b, b),
                                            hn::Mul(v, hn::Set(d, (1.0 + (1.0 / kDelta)) * pass.bound_square[r])));
                return hn::And(varies, hn::Ge(size, hn::Set(d, pass.least_square[r])));
            };
            // No branch that depends on which inputs these are: one in ten may be, and each would be mispredicted.
            auto record = [&](const hn::Mask<Numbers>& mask, std::size_t r) HWY_ATTR {
                const hn::Rebind<std::uint32_t, Numbers> whole;
                alignas(8) std::array<std::uint8_t, 8> bits{};
                hn::StoreMaskBits(d, mask, bits.data());
                const auto lane =
                    hn::PromoteTo(whole, hn::LoadU(hn::Rebind<std::uint8_t, Numbers>(), kSetBits[bits[0]].data()));
                const std::size_t count = pass.counts[r];
                hn::StoreU(hn::Add(lane, hn::Set(whole, static_cast<std::uint32_t>(pass.first + i))), whole,
                           pass.hits[r] + (count < pass.room ? count : pass.room));
                pass.counts[r] = count + hn::CountTrue(d, mask);
            };
            const auto h0 = reaches(b0, from);
            const auto h1 = R > 1 ? reaches(b1, from + 1) : h0;
            const auto h2 = R > 2 ? reaches(b2, from + 2) : h0;
            const auto h3 = R > 3 ? reaches(b3, from + 3) : h0;
            if (!hn::AllFalse(d, hn::Or(hn::Or(h0, h1), hn::Or(h2, h3)))) {
                record(h0, from);
                if constexpr (R > 1) {
                    record(h1, from + 1);
                }
                if constexpr (R > 2) {
                    record(h2, from + 2);
                }
                if constexpr (R > 3) {
                    record(h3, from + 3);
                }
            }
        }
    }
    return hn::GetLane(hn::SumOfLanes(d, total));
}

// The same with few outputs and no direction, with the same bits: what multiplies M stays in registers.
template <std::size_t kOutputs, bool kUpdate>
double CrossSquares(const CrossPass& pass, std::size_t n) {
    const Numbers d;
    Vec e[kOutputs];   // NOLINT(modernize-avoid-c-arrays): as an argument of std::array a vector loses its alignment
    Vec dy[kOutputs];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t k = 0; k < kOutputs; ++k) {
        e[k] = hn::Set(d, pass.e[k]);
        dy[k] = kUpdate ? hn::Set(d, pass.dy[k]) : hn::Zero(d);
    }
    Vec total = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        Vec square = hn::Zero(d);
        for (std::size_t k = 0; k < kOutputs; ++k) {
            double* place = pass.M + (k * pass.stride) + i;
            Vec M = hn::Load(d, place);
            if constexpr (kUpdate) {
                M = hn::MulAdd(hn::Load(d, pass.h + i), dy[k], M);  // eq. (15)
                hn::Store(M, d, place);
            }
            const Vec scaled = hn::Mul(M, e[k]);
            square = hn::MulAdd(scaled, scaled, square);
        }
        total = hn::MulAdd(hn::Load(d, pass.w + i), square, total);
    }
    return hn::GetLane(hn::SumOfLanes(d, total));
}

template <bool kUpdate>
double CrossAlone(const CrossPass& pass, std::size_t n) {
    switch (pass.outputs) {
        case 1:
            return CrossSquares<1, kUpdate>(pass, n);
        case 2:
            return CrossSquares<2, kUpdate>(pass, n);
        default:
            return CrossPart<0, kUpdate>(pass, 0, n);
    }
}

template <bool kUpdate>
double CrossGroup(const CrossPass& pass, std::size_t from, std::size_t n) {
    switch (pass.directions - from) {
        case 0:
            return CrossAlone<kUpdate>(pass, n);
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

// M is updated and read for the first four directions together; each four more cost a pass that only reads.
double RunCrossPass(const CrossPass& pass, std::size_t n) {
    const double square = pass.h != nullptr ? CrossGroup<true>(pass, 0, n) : CrossGroup<false>(pass, 0, n);
    for (std::size_t from = 4; from < pass.directions; from += 4) {
        (void)CrossGroup<false>(pass, from, n);
    }
    return square;
}

double BridgeProduct(const double* c, double c_part, const double* M, std::size_t stride, std::size_t outputs,
                     const double* ge, double b_part, const double* unit, std::size_t n, double* a) {
    const Numbers d;
    const Vec cs = hn::Set(d, c_part);
    const Vec bs = hn::Set(d, b_part);
    Vec most = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        Vec b = hn::Mul(hn::Load(d, M + i), hn::Set(d, ge[0]));
        for (std::size_t k = 1; k < outputs; ++k) {
            b = hn::MulAdd(hn::Load(d, M + (k * stride) + i), hn::Set(d, ge[k]), b);
        }
        Vec sum = hn::Mul(b, bs);
        if (c != nullptr) {
            sum = hn::MulAdd(hn::Load(d, c + i), cs, sum);
        }
        const Vec value = unit != nullptr ? hn::Mul(hn::Load(d, unit + i), sum) : sum;
        hn::Store(value, d, a + i);
        most = hn::Max(most, hn::Abs(value));
    }
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

void CrossBounds(const double* M, std::size_t stride, std::size_t outputs, const double* ge, const double* w,
                 const double* square, double bound, std::size_t n, double* least, double* most) {
    const Numbers d;
    for (std::size_t i = 0; i < n; i += lanes()) {
        Vec sum = hn::Zero(d);
        for (std::size_t k = 0; k < outputs; ++k) {
            sum = hn::MulAdd(hn::Load(d, M + (k * stride) + i), hn::Set(d, ge[k]), sum);
        }
        const Vec unit = hn::Sqrt(hn::Load(d, w + i));
        const Vec size = hn::Mul(unit, hn::Abs(sum));
        const Vec reach = hn::Mul(hn::Mul(hn::Set(d, bound), unit), hn::Sqrt(hn::Load(d, square + i)));
        hn::Store(hn::Max(hn::Sub(size, reach), hn::Zero(d)), d, least + i);
        hn::Store(hn::Add(size, reach), d, most + i);
    }
}

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

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(RunCrossPass);
HWY_EXPORT(BridgeProduct);
HWY_EXPORT(CrossBounds);
HWY_EXPORT(DeflatedProduct);

double cross_pass(const CrossPass& pass, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(RunCrossPass)(pass, n);
}
double bridge_product(const double* c, double c_part, const double* M, std::size_t stride, std::size_t outputs,
                      const double* ge, double b_part, const double* unit, std::size_t n, double* a) {
    return HWY_DYNAMIC_DISPATCH(BridgeProduct)(c, c_part, M, stride, outputs, ge, b_part, unit, n, a);
}
void cross_bounds(const double* M, std::size_t stride, std::size_t outputs, const double* ge, const double* w,
                  const double* square, double bound, std::size_t n, double* least, double* most) {
    HWY_DYNAMIC_DISPATCH(CrossBounds)(M, stride, outputs, ge, w, square, bound, n, least, most);
}
double deflated_product(const double* M, const double* P, std::size_t stride, std::size_t outputs, const double* e,
                        const double* g, const double* w, std::size_t n, double* b) {
    return HWY_DYNAMIC_DISPATCH(DeflatedProduct)(M, P, stride, outputs, e, g, w, n, b);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
