// gram_kernels.cpp -- the loops over C, the second moments among the inputs, and over the history of rows.
//
// C is stored by columns of one number per input, all p of them (dense engine) or those in use (column_gram.cpp); the
// history holds the deviations of the rows that still have weight, input by input (history.cpp).
//
//   kernel            read per input                     written        serves
//   columns_product   8 bytes per column                 8 per target   eq. (16), C u; or scores over the history
//   matrix_product    the same, + 24 for the row         8              the same, with all of C in one array but one row
//   add_rows          8 per row + 8 per column           8 per column   eq. (15) for some columns of C
//   add_outer         8 p + 16                           8 p            eq. (15) for all of C, two rows
//   transpose_rows    64 for eight rows                  64, float 32   eight rows appended to the history
//
// columns_product reads its columns once for each six targets.
#include "gram_kernels.hpp"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gram_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

// The most results of one pass over the columns: their sums stay in registers.
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

// One target: eight vectors at a time, then four, then one, share the column's address and factor.
template <typename ColumnOf>
HWY_INLINE void ColumnsSingle(const ColumnOf& column_of, std::size_t count, const double* coefficient,
                              std::size_t first, std::size_t last, double* out) {
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
            const double* column = column_of(c) + i;
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
            const double* column = column_of(c) + i;
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
    for (; i < last; i += N) {
        Vec sum = hn::Zero(d);
        for (std::size_t c = 0; c < count; ++c) {
            sum = hn::MulAdd(hn::Load(d, column_of(c) + i), hn::Set(d, coefficient[c]), sum);
        }
        hn::Store(sum, d, out + i);
    }
}

void MatrixProduct(const double* C, std::size_t stride, const std::size_t* columns, std::size_t count,
                   const double* coefficient, const double* row, double along, std::size_t n, double* out) {
    ColumnsSingle([=](std::size_t c) HWY_ATTR { return C + (columns[c] * stride); }, count, coefficient, 0, n, out);
    if (row != nullptr) {
        const Numbers d;
        for (std::size_t i = 0; i < n; i += lanes()) {
            hn::Store(hn::MulAdd(hn::Load(d, row + i), hn::Set(d, along), hn::Load(d, out + i)), d, out + i);
        }
    }
}

void ColumnsProduct(const double* const* columns, std::size_t count, const double* coefficient, std::size_t targets,
                    std::size_t first, std::size_t last, double* out, std::size_t out_stride) {
    if (targets == 1) {
        ColumnsSingle([=](std::size_t c) HWY_ATTR { return columns[c]; }, count, coefficient, first, last, out);
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

template <std::size_t kColumns, typename Number>
HWY_INLINE void AddRowsTo(const Number* const* rows, const Number* coefficient, std::size_t count, std::size_t first,
                          std::size_t last, Number* const* to) {
    const hn::CappedTag<Number, 64 / sizeof(Number)> d;
    using Own = hn::Vec<decltype(d)>;
    const std::size_t N = hn::Lanes(d);
    std::size_t i = first;
    for (; i + (2 * N) <= last; i += 2 * N) {  // two vectors: each coefficient is used twice
        // As an argument of std::array a vector loses its alignment.
        Own low[kColumns];   // NOLINT(modernize-avoid-c-arrays)
        Own high[kColumns];  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t c = 0; c < kColumns; ++c) {
            low[c] = hn::Load(d, to[c] + i);
            high[c] = hn::Load(d, to[c] + i + N);
        }
        for (std::size_t b = 0; b < count; ++b) {
            const Own h0 = hn::Load(d, rows[b] + i);
            const Own h1 = hn::Load(d, rows[b] + i + N);
            for (std::size_t c = 0; c < kColumns; ++c) {
                const Own factor = hn::Set(d, coefficient[(b * kColumnsAtOnce) + c]);
                low[c] = hn::MulAdd(h0, factor, low[c]);
                high[c] = hn::MulAdd(h1, factor, high[c]);
            }
        }
        for (std::size_t c = 0; c < kColumns; ++c) {
            hn::Store(low[c], d, to[c] + i);
            hn::Store(high[c], d, to[c] + i + N);
        }
    }
    for (; i < last; i += N) {
        for (std::size_t c = 0; c < kColumns; ++c) {
            Own sum = hn::Load(d, to[c] + i);
            for (std::size_t b = 0; b < count; ++b) {
                sum = hn::MulAdd(hn::Load(d, rows[b] + i), hn::Set(d, coefficient[(b * kColumnsAtOnce) + c]), sum);
            }
            hn::Store(sum, d, to[c] + i);
        }
    }
}

// One row: its factors stay in registers.
template <std::size_t kColumns, typename Number>
HWY_INLINE void AddRowTo(const Number* row, const Number* coefficient, std::size_t first, std::size_t last,
                         Number* const* to) {
    const hn::CappedTag<Number, 64 / sizeof(Number)> d;
    using Own = hn::Vec<decltype(d)>;
    Own factor[kColumns];      // NOLINT(modernize-avoid-c-arrays): as above
    Number* column[kColumns];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t c = 0; c < kColumns; ++c) {
        factor[c] = hn::Set(d, coefficient[c]);
        column[c] = to[c];
    }
    for (std::size_t i = first; i < last; i += hn::Lanes(d)) {
        const Own h = hn::Load(d, row + i);
        for (std::size_t c = 0; c < kColumns; ++c) {
            hn::Store(hn::MulAdd(h, factor[c], hn::Load(d, column[c] + i)), d, column[c] + i);
        }
    }
}

template <std::size_t kColumns, typename Number>
void AddRowsToColumns(const Number* const* rows, const Number* coefficient, std::size_t count, std::size_t first,
                      std::size_t last, Number* const* to) {
    if (count == 1) {
        AddRowTo<kColumns>(rows[0], coefficient, first, last, to);
    } else {
        AddRowsTo<kColumns>(rows, coefficient, count, first, last, to);
    }
}

template <typename Number>
void AddRowsOf(const Number* const* rows, const Number* coefficient, std::size_t count, std::size_t first,
               std::size_t last, Number* const* to, std::size_t columns) {
    static_assert(kColumnsAtOnce == 4);
    switch (columns) {
        case 4:
            return AddRowsToColumns<4>(rows, coefficient, count, first, last, to);
        case 3:
            return AddRowsToColumns<3>(rows, coefficient, count, first, last, to);
        case 2:
            return AddRowsToColumns<2>(rows, coefficient, count, first, last, to);
        default:
            return AddRowsToColumns<1>(rows, coefficient, count, first, last, to);
    }
}

void AddRows(const double* const* rows, const double* coefficient, std::size_t count, std::size_t first,
             std::size_t last, double* const* to, std::size_t columns) {
    AddRowsOf(rows, coefficient, count, first, last, to, columns);
}
void AddRowsSingle(const float* const* rows, const float* coefficient, std::size_t count, std::size_t first,
                   std::size_t last, float* const* to, std::size_t columns) {
    AddRowsOf(rows, coefficient, count, first, last, to, columns);
}

// Two columns at a time share the vectors that they add.
void AddOuter(const double* v, const double* w, std::size_t inputs, std::size_t n, std::size_t stride, double* C) {
    const Numbers d;
    std::size_t j = 0;
    for (; j + 2 <= inputs; j += 2) {
        const Vec v0 = hn::Set(d, v[j]);
        const Vec v1 = hn::Set(d, v[j + 1]);
        const Vec w0 = hn::Set(d, w[j]);
        const Vec w1 = hn::Set(d, w[j + 1]);
        double* c0 = C + (j * stride);
        double* c1 = c0 + stride;
        for (std::size_t i = 0; i < n; i += lanes()) {
            const Vec vi = hn::Load(d, v + i);
            const Vec wi = hn::Load(d, w + i);
            hn::Store(hn::MulAdd(w0, wi, hn::MulAdd(v0, vi, hn::Load(d, c0 + i))), d, c0 + i);
            hn::Store(hn::MulAdd(w1, wi, hn::MulAdd(v1, vi, hn::Load(d, c1 + i))), d, c1 + i);
        }
    }
    for (; j < inputs; ++j) {
        const Vec vj = hn::Set(d, v[j]);
        const Vec wj = hn::Set(d, w[j]);
        double* column = C + (j * stride);
        for (std::size_t i = 0; i < n; i += lanes()) {
            const Vec with_v = hn::MulAdd(vj, hn::Load(d, v + i), hn::Load(d, column + i));
            hn::Store(hn::MulAdd(wj, hn::Load(d, w + i), with_v), d, column + i);
        }
    }
}

// The eight numbers of an input fill one cache line, which is written past the cache: it is not read again soon.
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

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(ColumnsProduct);
HWY_EXPORT(MatrixProduct);
HWY_EXPORT(AddRows);
HWY_EXPORT(AddRowsSingle);
HWY_EXPORT(AddOuter);
HWY_EXPORT(Transpose);
HWY_EXPORT(TransposeSingle);

void columns_product(const double* const* columns, std::size_t count, const double* coefficient, std::size_t targets,
                     std::size_t first, std::size_t last, double* out, std::size_t out_stride) {
    HWY_DYNAMIC_DISPATCH(ColumnsProduct)(columns, count, coefficient, targets, first, last, out, out_stride);
}
void add_rows(const double* const* rows, const double* coefficient, std::size_t count, std::size_t first,
              std::size_t last, double* const* to, std::size_t columns) {
    HWY_DYNAMIC_DISPATCH(AddRows)(rows, coefficient, count, first, last, to, columns);
}
void add_rows(const float* const* rows, const float* coefficient, std::size_t count, std::size_t first,
              std::size_t last, float* const* to, std::size_t columns) {
    HWY_DYNAMIC_DISPATCH(AddRowsSingle)(rows, coefficient, count, first, last, to, columns);
}
void matrix_product(const double* C, std::size_t stride, const std::size_t* columns, std::size_t count,
                    const double* coefficient, const double* row, double along, std::size_t n, double* out) {
    HWY_DYNAMIC_DISPATCH(MatrixProduct)(C, stride, columns, count, coefficient, row, along, n, out);
}
void add_outer(const double* v, const double* w, std::size_t inputs, std::size_t n, std::size_t stride, double* C) {
    HWY_DYNAMIC_DISPATCH(AddOuter)(v, w, inputs, n, stride, C);
}
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, double* ring) {
    HWY_DYNAMIC_DISPATCH(Transpose)(rows, inputs, stride, ring);
}
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, float* ring) {
    HWY_DYNAMIC_DISPATCH(TransposeSingle)(rows, inputs, stride, ring);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
