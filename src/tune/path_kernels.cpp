// path_kernels.cpp -- the tables of the path, for each set of vector instructions.
#include "path_kernels.hpp"

#include <cstddef>
#include <limits>
#include <span>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "path_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::tune::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using core::kernels::HWY_NAMESPACE::Numbers;
using core::kernels::HWY_NAMESPACE::Vec;

void ScaleBlock(const double* C, const double* d, std::size_t size, std::size_t stride, double* T) {
    const Numbers n;
    const std::size_t lanes = hn::Lanes(n);
    for (std::size_t i = 0; i < size; ++i) {
        const double* from = C + (i * size);
        double* row = T + (i * stride);
        const Vec d_i = hn::Set(n, d[i]);
        std::size_t j = 0;
        for (; j + lanes <= size; j += lanes) {
            hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(n, from + j), d_i), hn::LoadU(n, d + j)), n, row + j);
        }
        for (; j < size; ++j) {
            row[j] = from[j] * d[i] * d[j];
        }
        for (; j < stride; ++j) {
            row[j] = 0.0;
        }
    }
}

// Variable i in all rows but its own, where a row has kVectors vectors: row i stays in registers. Column i counts as 0 before: it
// becomes -factor pivot in the same store as its neighbours, which the next exchange loads.
template <std::size_t kVectors>
HWY_INLINE void ExchangeRows(double* T, std::size_t size, std::size_t stride, std::size_t i, double pivot) {
    const Numbers d;
    const std::size_t lanes = hn::Lanes(d);
    const Vec place = hn::Set(d, static_cast<double>(i));
    const Vec times = hn::Set(d, pivot);
    double* own = T + (i * stride);
    Vec row_i[kVectors];                 // NOLINT(modernize-avoid-c-arrays): in std::array a vector loses its alignment
    hn::Mask<Numbers> others[kVectors];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t v = 0; v < kVectors; ++v) {
        others[v] = hn::Ne(hn::Iota(d, static_cast<double>(v * lanes)), place);
        row_i[v] = hn::IfThenElse(others[v], hn::Mul(hn::LoadU(d, own + (v * lanes)), times), times);
        hn::StoreU(row_i[v], d, own + (v * lanes));
    }
    for (std::size_t r = 0; r < size; ++r) {
        if (r == i) {
            continue;
        }
        double* row = T + (r * stride);
        const Vec factors = hn::Set(d, row[i]);
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vec before = hn::IfThenElseZero(others[v], hn::LoadU(d, row + (v * lanes)));
            hn::StoreU(hn::Sub(before, hn::Mul(factors, row_i[v])), d, row + (v * lanes));
        }
    }
}

HWY_INLINE void ExchangeLongRows(double* T, std::size_t size, std::size_t n, std::size_t stride, std::size_t i,
                                 double pivot) {
    const Numbers d;
    double* row_i = T + (i * stride);
    for (std::size_t c = 0; c < n; c += hn::Lanes(d)) {
        hn::StoreU(hn::Mul(hn::LoadU(d, row_i + c), hn::Set(d, pivot)), d, row_i + c);
    }
    row_i[i] = pivot;
    const Vec place = hn::Set(d, static_cast<double>(i));
    for (std::size_t r = 0; r < size; ++r) {
        if (r == i) {
            continue;
        }
        double* row = T + (r * stride);
        const Vec factors = hn::Set(d, row[i]);
        for (std::size_t c = 0; c < n; c += hn::Lanes(d)) {
            const auto others = hn::Ne(hn::Iota(d, static_cast<double>(c)), place);
            const Vec before = hn::IfThenElseZero(others, hn::LoadU(d, row + c));
            hn::StoreU(hn::Sub(before, hn::Mul(factors, hn::LoadU(d, row_i + c))), d, row + c);
        }
    }
}

void ExchangeAll(double* T, std::size_t size, std::size_t n, std::size_t stride, double least) {
    const std::size_t vectors = (n + hn::Lanes(Numbers()) - 1) / hn::Lanes(Numbers());
    for (std::size_t i = 0; i < size; ++i) {
        const double diagonal = T[(i * stride) + i];
        const double pivot = 1.0 / (diagonal < least ? least : diagonal);
        switch (vectors) {
            case 1:
                ExchangeRows<1>(T, size, stride, i, pivot);
                break;
            case 2:
                ExchangeRows<2>(T, size, stride, i, pivot);
                break;
            case 3:
                ExchangeRows<3>(T, size, stride, i, pivot);
                break;
            case 4:
                ExchangeRows<4>(T, size, stride, i, pivot);
                break;
            case 5:
                ExchangeRows<5>(T, size, stride, i, pivot);
                break;
            default:
                ExchangeLongRows(T, size, n, stride, i, pivot);
                break;
        }
    }
}

void ReadParts(std::span<const LossParts> tables, std::size_t size) {
    for (const LossParts& parts : tables) {
        for (std::size_t i = 0; i < size; ++i) {
            const double* row = parts.T + (i * parts.stride);
            parts.pivots[i] = row[i];
            for (std::size_t k = 0; k < parts.outputs; ++k) {
                parts.crosses[(k * parts.apart) + i] = row[size + k];
            }
        }
    }
}

// kVectors vectors of row i stay in registers; 0: they do not.
template <std::size_t kVectors>
HWY_INLINE void TakeOutOfRows(const LossParts& given, std::size_t i, const std::size_t* left, std::size_t count,
                              double pivot, std::size_t end) {
    const Numbers d;
    const std::size_t lanes = hn::Lanes(d);
    const LossParts parts = given;
    const double* row_i = parts.T + (i * parts.stride);
    Vec kept[kVectors > 0 ? kVectors : 1];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t v = 0; v < kVectors; ++v) {
        kept[v] = hn::LoadU(d, row_i + (v * lanes));
    }
    for (std::size_t at = 0; at < count; ++at) {
        const std::size_t r = left[at];
        double* row = parts.T + (r * parts.stride);
        const double times = row[i] * pivot;
        parts.pivots[r] = row[r] - (times * row_i[r]);
        for (std::size_t k = 0; k < parts.outputs; ++k) {
            double* crosses = parts.crosses + (k * parts.apart);
            crosses[r] -= times * crosses[i];
        }
        const Vec factor = hn::Set(d, times);
        for (std::size_t v = 0; v < kVectors; ++v) {
            double* to = row + (v * lanes);
            hn::StoreU(hn::Sub(hn::LoadU(d, to), hn::Mul(factor, kept[v])), d, to);
        }
        for (std::size_t c = 0; c < end && kVectors == 0; c += lanes) {
            hn::StoreU(hn::Sub(hn::LoadU(d, row + c), hn::Mul(factor, hn::LoadU(d, row_i + c))), d, row + c);
        }
    }
}

// Exchanges variable i once more, in the rows in `left` alone, which ascend: what they are without it. Of the table only the columns of
// these are needed again.
void TakeOut(const LossParts& parts, std::size_t i, const std::size_t* left, std::size_t count, double least) {
    const double* row_i = parts.T + (i * parts.stride);
    const double pivot = 1.0 / (row_i[i] < least ? least : row_i[i]);
    const std::size_t end = count > 0 ? left[count - 1] + 1 : 0;
    switch ((end + hn::Lanes(Numbers()) - 1) / hn::Lanes(Numbers())) {
        case 1:
            return TakeOutOfRows<1>(parts, i, left, count, pivot, end);
        case 2:
            return TakeOutOfRows<2>(parts, i, left, count, pivot, end);
        case 3:
            return TakeOutOfRows<3>(parts, i, left, count, pivot, end);
        default:
            return TakeOutOfRows<0>(parts, i, left, count, pivot, end);
    }
}

// Of the variables in `left`, which ascend; all of them are before left[count - 1] + 1.
LeastLoss FindLeast(std::span<const LossParts> tables, const LossRule& rule, const std::size_t* left, std::size_t count,
                    double* losses, double* held) {
    const Numbers d;
    const std::size_t end = left[count - 1] + 1;
    const Vec most = hn::Set(d, std::numeric_limits<double>::max());
    Vec low = most;
    for (std::size_t i = 0; i < end; i += hn::Lanes(d)) {
        Vec sum = hn::Zero(d);
        for (const LossParts& parts : tables) {
            Vec square = hn::Zero(d);
            for (std::size_t k = 0; k < parts.outputs; ++k) {
                const Vec cross = hn::LoadU(d, parts.crosses + (k * parts.apart) + i);
                square = hn::Add(square, hn::Mul(cross, cross));
            }
            const Vec pivot = hn::Max(hn::LoadU(d, parts.pivots + i), hn::Set(d, rule.least));
            sum = hn::Add(sum, hn::Div(hn::Mul(hn::Set(d, parts.weight), square), pivot));
        }
        hn::StoreU(sum, d, losses + i);
        const auto there = hn::Lt(hn::Iota(d, static_cast<double>(i)), hn::Set(d, static_cast<double>(end)));
        const Vec with_hold = hn::Mul(sum, hn::LoadU(d, rule.hold + i));
        hn::StoreU(with_hold, d, held + i);
        low = hn::Min(low, hn::IfThenElse(there, with_hold, most));
    }
    // Where one is clearly the least it is the one that the loop below finds.
    const double least = hn::GetLane(hn::MinOfLanes(d, low));
    const Vec bound = hn::Set(d, rule.alike * least);
    std::size_t near = 0;
    std::size_t place = 0;
    for (std::size_t i = 0; i < end; i += hn::Lanes(d)) {
        const auto there = hn::Lt(hn::Iota(d, static_cast<double>(i)), hn::Set(d, static_cast<double>(end)));
        const auto below = hn::And(there, hn::Not(hn::Lt(bound, hn::LoadU(d, held + i))));
        if (!hn::AllFalse(d, below)) {
            near += hn::CountTrue(d, below);
            place = i + static_cast<std::size_t>(hn::FindFirstTrue(d, below));
        }
    }
    if (near == 1) {
        return {.place = place, .loss = held[place]};
    }
    LeastLoss found{.place = left[0], .loss = held[left[0]]};
    for (std::size_t at = 1; at < count; ++at) {
        if (rule.alike * held[left[at]] < found.loss) {
            found = {.place = left[at], .loss = held[left[at]]};
        }
    }
    return found;
}

// Places 0, 1, ..: more than a path has.
constexpr std::size_t kMostPlaces = 64;

LeastLoss LeastOfAll(std::span<const LossParts> tables, const LossRule& rule, double* losses, double* held) {
    std::size_t left[kMostPlaces];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t i = 0; i < rule.size; ++i) {
        left[i] = i;
    }
    ReadParts(tables, rule.size);
    return FindLeast(tables, rule, left, rule.size, losses, held);
}

void Eliminate(std::span<const LossParts> tables, const LossRule& rule, std::size_t* order, double* losses,
               double* held) {
    HWY_DASSERT(rule.size <= kMostPlaces);
    std::size_t left[kMostPlaces];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t i = 0; i < rule.size; ++i) {
        left[i] = i;
    }
    ReadParts(tables, rule.size);
    for (std::size_t count = rule.size; count > 0;) {
        const std::size_t out = FindLeast(tables, rule, left, count, losses + (count * tables[0].apart), held).place;
        order[rule.size - count] = out;
        std::size_t at = 0;
        while (left[at] != out) {
            ++at;
        }
        --count;
        for (; at < count; ++at) {
            left[at] = left[at + 1];
        }
        for (const LossParts& parts : tables) {
            TakeOut(parts, out, left, count, rule.least);
            parts.pivots[out] = 1.0;
            parts.crosses[out] = std::numeric_limits<double>::infinity();  // no loss is above its own
        }
    }
}

void AddSquaresLeft(const LeftOver& of, std::size_t n, bool first, double* squares) {
    const Numbers d;
    const LeftOver from = of;
    const Vec unit = hn::Set(d, from.unit);
    const Vec times = hn::Set(d, from.times);
    for (std::size_t j = 0; j < n; j += hn::Lanes(d)) {
        const Vec cross = hn::Mul(hn::Mul(hn::LoadU(d, from.cross + j), unit), times);
        const Vec left = hn::Sub(cross, hn::LoadU(d, from.explained + j));
        const Vec before = first ? hn::Zero(d) : hn::LoadU(d, squares + j);
        hn::StoreU(hn::Add(before, hn::Mul(left, left)), d, squares + j);
    }
}

void DivideSquaresLeft(const double* of_inputs, std::size_t n, double* squares, double* most) {
    const Numbers d;
    for (std::size_t j = 0; j < n; j += 8) {
        Vec high = hn::Zero(d);
        for (std::size_t i = j; i < j + 8; i += hn::Lanes(d)) {
            const Vec c = hn::LoadU(d, of_inputs + i);
            const Vec share = hn::IfThenElseZero(hn::Gt(c, hn::Zero(d)), hn::Div(hn::LoadU(d, squares + i), c));
            hn::StoreU(share, d, squares + i);
            high = hn::Max(high, hn::IfThenElseZero(hn::Gt(share, hn::Zero(d)), share));  // not one that is none
        }
        most[j / 8] = hn::GetLane(hn::MaxOfLanes(d, high));
    }
}

void QuadraticForms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out) {
    const Numbers d;
    for (std::size_t c = 0; c < 8; c += hn::Lanes(d)) {
        Vec sum = hn::Zero(d);
        for (std::size_t i = 0; i < size; ++i) {
            Vec along = hn::Zero(d);
            Vec beside = hn::Zero(d);
            const double* row = P + (i * stride);
            std::size_t j = 0;
            for (; j + 2 <= size; j += 2) {
                along = hn::Add(along, hn::Mul(hn::Set(d, row[j]), hn::LoadU(d, x + (8 * j) + c)));
                beside = hn::Add(beside, hn::Mul(hn::Set(d, row[j + 1]), hn::LoadU(d, x + (8 * (j + 1)) + c)));
            }
            if (j < size) {
                along = hn::Add(along, hn::Mul(hn::Set(d, row[j]), hn::LoadU(d, x + (8 * j) + c)));
            }
            sum = hn::Add(sum, hn::Mul(hn::Add(along, beside), hn::LoadU(d, x + (8 * i) + c)));
        }
        hn::StoreU(sum, d, out + c);
    }
}

}  // namespace sluice::tune::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::tune::kernels {

HWY_EXPORT(ScaleBlock);
HWY_EXPORT(ExchangeAll);
HWY_EXPORT(LeastOfAll);
HWY_EXPORT(Eliminate);
HWY_EXPORT(AddSquaresLeft);
HWY_EXPORT(DivideSquaresLeft);
HWY_EXPORT(QuadraticForms);

void scale_block(const double* C, const double* d, std::size_t size, std::size_t stride, double* T) {
    HWY_DYNAMIC_DISPATCH(ScaleBlock)(C, d, size, stride, T);
}
void exchange_all(double* T, std::size_t size, std::size_t n, std::size_t stride, double least) {
    HWY_DYNAMIC_DISPATCH(ExchangeAll)(T, size, n, stride, least);
}
LeastLoss least_loss(std::span<const LossParts> tables, const LossRule& rule, double* losses, double* held) {
    return HWY_DYNAMIC_DISPATCH(LeastOfAll)(tables, rule, losses, held);
}
void eliminate(std::span<const LossParts> tables, const LossRule& rule, std::size_t* order, double* losses,
               double* held) {
    HWY_DYNAMIC_DISPATCH(Eliminate)(tables, rule, order, losses, held);
}
void add_squares_left(const LeftOver& of, std::size_t n, bool first, double* squares) {
    HWY_DYNAMIC_DISPATCH(AddSquaresLeft)(of, n, first, squares);
}
void divide_squares_left(const double* of_inputs, std::size_t n, double* squares, double* most) {
    HWY_DYNAMIC_DISPATCH(DivideSquaresLeft)(of_inputs, n, squares, most);
}
void quadratic_forms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out) {
    HWY_DYNAMIC_DISPATCH(QuadraticForms)(P, size, stride, x, out);
}

}  // namespace sluice::tune::kernels
#endif
