// panel_kernels.cpp -- products of rows that are stored group of inputs by group.
//
//     C_ij += sum_b g_bi g_bj                                                                                 eq. (15)
//
// Tiles of 8 columns (4 where there are 16 registers) by up to three vectors: their sums stay in registers for all rows,
// so that arithmetic is the limit and not memory. Rows are added one after the other, each as the product of two numbers:
// the bits depend neither on when an entry gets them nor on the side of the diagonal.
#include "panel_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "panel_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

// Vectors of double or float, of the same width.
template <typename Number>
using Tag = hn::CappedTag<Number, 64 / sizeof(Number)>;
template <typename Number>
using VecOf = hn::Vec<Tag<Number>>;
template <typename Number>
constexpr std::size_t kN = hn::MaxLanes(Tag<Number>());
constexpr std::size_t kTileColumns = kN<double> == 8 ? 8 : 4;

template <std::size_t kVectors, typename Number>
HWY_INLINE void AddRowsToTile(const Number* HWY_RESTRICT at_i, const Number* HWY_RESTRICT at_j, std::size_t count,
                              std::size_t group,
                              VecOf<Number> (&sum)[kVectors][kTileColumns]) {  // NOLINT(modernize-avoid-c-arrays)
    const Tag<Number> d;
    for (std::size_t b = 0; b < count; ++b, at_i += group, at_j += group) {
        VecOf<Number> own[kVectors];  // NOLINT(modernize-avoid-c-arrays): a vector in std::array loses its alignment
        for (std::size_t v = 0; v < kVectors; ++v) {
            own[v] = hn::Load(d, at_i + (v * kN<Number>));
        }
        for (std::size_t c = 0; c < kTileColumns; ++c) {
            const VecOf<Number> factor = hn::Set(d, at_j[c]);
            for (std::size_t v = 0; v < kVectors; ++v) {
                sum[v][c] = hn::MulAdd(own[v], factor, sum[v][c]);
            }
        }
    }
}

// kVectors vectors from entry i on in kTileColumns columns from j on.
template <std::size_t kVectors, typename Number>
HWY_INLINE void AddTile(const PanelRows<Number>& rows, std::size_t group, std::size_t i, std::size_t j, Number* block) {
    const Tag<Number> d;
    VecOf<Number> sum[kVectors][kTileColumns];  // NOLINT(modernize-avoid-c-arrays)
    Number* const tile = block + (j * group) + i;
    for (std::size_t c = 0; c < kTileColumns; ++c) {
        for (std::size_t v = 0; v < kVectors; ++v) {
            sum[v][c] = hn::Load(d, tile + (c * group) + (v * kN<Number>));
        }
    }
    AddRowsToTile(rows.older_i + i, rows.older_j + j, rows.older, group, sum);
    AddRowsToTile(rows.newer_i + i, rows.newer_j + j, rows.newer, group, sum);
    for (std::size_t c = 0; c < kTileColumns; ++c) {
        for (std::size_t v = 0; v < kVectors; ++v) {
            hn::Store(sum[v][c], d, tile + (c * group) + (v * kN<Number>));
        }
    }
}

template <typename Number>
HWY_INLINE void AddToBlockOf(const PanelRows<Number>& rows, std::size_t group, Number* block, const Number* next) {
    constexpr std::size_t kLine = 64 / sizeof(Number);
    for (std::size_t j = 0; j < group; j += kTileColumns) {
        for (std::size_t line = j * group; line < (j + kTileColumns) * group; line += kLine) {
            hwy::Prefetch(next + line);
        }
        std::size_t i = 0;
        for (; i + (3 * kN<Number>) <= group && (group - i) % (2 * kN<Number>) != 0; i += 3 * kN<Number>) {
            AddTile<3>(rows, group, i, j, block);
        }
        for (; i + (2 * kN<Number>) <= group; i += 2 * kN<Number>) {
            AddTile<2>(rows, group, i, j, block);
        }
        for (; i < group; i += kN<Number>) {
            AddTile<1>(rows, group, i, j, block);
        }
    }
}

// Where a group is one vector, the blocks of two groups are updated together: a tile of one vector waits for each addition
// before the next, and each end of a loop costs as much as several rows. (Measured at 323 inputs, groups of 8: a turn takes
// 1.4 us instead of 1.9.) Adds the rows at the places from .. to.
template <bool kBefore, typename Number>
HWY_INLINE void AddRowsToPair(const Number* HWY_RESTRICT first, const Number* HWY_RESTRICT second,
                              const Number* HWY_RESTRICT turn, std::size_t from, std::size_t to, std::size_t j,
                              VecOf<Number> (&sum)[2][kTileColumns]) {  // NOLINT(modernize-avoid-c-arrays)
    const Tag<Number> d;
    for (std::size_t at = from * kN<Number>; at < to * kN<Number>; at += kN<Number>) {
        if constexpr (kBefore) {  // rows of the blocks are inputs of the turn's group
            const VecOf<Number> own = hn::Load(d, turn + at);
            for (std::size_t c = 0; c < kTileColumns; ++c) {
                sum[0][c] = hn::MulAdd(own, hn::Set(d, first[at + j + c]), sum[0][c]);
                sum[1][c] = hn::MulAdd(own, hn::Set(d, second[at + j + c]), sum[1][c]);
            }
        } else {
            const VecOf<Number> own0 = hn::Load(d, first + at);
            const VecOf<Number> own1 = hn::Load(d, second + at);
            for (std::size_t c = 0; c < kTileColumns; ++c) {
                const VecOf<Number> factor = hn::Set(d, turn[at + j + c]);
                sum[0][c] = hn::MulAdd(own0, factor, sum[0][c]);
                sum[1][c] = hn::MulAdd(own1, factor, sum[1][c]);
            }
        }
    }
}

// The blocks of groups I and I + 1 with the group J of the turn, both before it or both after it.
template <bool kBefore, typename Number>
HWY_INLINE void AddToPair(const Panels<Number>& panels, std::size_t I, std::size_t J, Number* block0, Number* block1) {
    constexpr std::size_t g = kN<Number>;
    const Tag<Number> d;
    const std::size_t K = panels.groups;
    const Number* first = panels.rows + (I * K * g);
    const Number* second = first + (K * g);
    const Number* turn = panels.rows + (J * K * g);
    for (std::size_t j = 0; j < g; j += kTileColumns) {
        VecOf<Number> sum[2][kTileColumns];     // NOLINT(modernize-avoid-c-arrays)
        const std::size_t extra = (I + 1) * g;  // the row that I alone lacks, the oldest
        for (std::size_t c = 0; c < kTileColumns; ++c) {
            const Number* own = (kBefore ? turn : first) + extra;
            const Number* factor = (kBefore ? first : turn) + extra;
            sum[0][c] = hn::MulAdd(hn::Load(d, own), hn::Set(d, factor[j + c]), hn::Load(d, block0 + ((j + c) * g)));
            sum[1][c] = hn::Load(d, block1 + ((j + c) * g));
        }
        if constexpr (kBefore) {
            AddRowsToPair<true>(first, second, turn, I + 2, J + 1, j, sum);
        } else {
            AddRowsToPair<false>(first, second, turn, I + 2, K, j, sum);  // the end of the ring
            AddRowsToPair<false>(first, second, turn, 0, J + 1, j, sum);
        }
        for (std::size_t c = 0; c < kTileColumns; ++c) {
            hn::Store(sum[0][c], d, block0 + ((j + c) * g));
            hn::Store(sum[1][c], d, block1 + ((j + c) * g));
        }
    }
}

// One call for all blocks of a turn: with groups of eight a block is 160 vector operations, and a call for each cost a tenth
// of them.
template <typename Number>
void AddTurnOf(const Panels<Number>& panels, std::size_t J, std::size_t first, std::size_t last, Number* blocks) {
    const std::size_t K = panels.groups;
    const std::size_t g = panels.group;
    const std::size_t end = J + 1;  // after the newest row
    const auto block = [&](std::size_t I) { return blocks + (I < J ? block_place(J, I, g) : block_place(I, J, g)); };
    for (std::size_t I = first; I < last; ++I) {
        if (g == kN<Number> && I + 1 < last && I != J && I + 1 != J) {
            if (I < J) {
                AddToPair<true>(panels, I, J, block(I), block(I + 1));
            } else {
                AddToPair<false>(panels, I, J, block(I), block(I + 1));
            }
            ++I;
            continue;
        }
        const std::size_t newer = I < J ? J - I : end;
        const std::size_t older = I < J ? 0 : K - 1 - I;  // at the end of the ring
        const Number* own = panels.rows + ((I < J ? J : I) * K * g);
        const Number* other = panels.rows + ((I < J ? I : J) * K * g);
        const PanelRows<Number> rows{.older = older,
                                     .older_i = own + ((K - older) * g),
                                     .older_j = other + ((K - older) * g),
                                     .newer = newer,
                                     .newer_i = own + ((end - newer) * g),
                                     .newer_j = other + ((end - newer) * g)};
        AddToBlockOf(rows, g, block(I), block(I + 1 == last ? I : I + 1));
    }
}

// Groups whose sums are formed together: one alone would wait for each addition before the next.
constexpr std::size_t kGroupsAtOnce = 4;

struct Range {
    std::size_t first;
    std::size_t last;
};

template <std::size_t kGroups, typename Number>
HWY_INLINE void AddPanels(const Number* HWY_RESTRICT panel, const Number* HWY_RESTRICT factor, const Range& places,
                          std::size_t stride, std::size_t group, VecOf<Number>* HWY_RESTRICT sum) {
    const Tag<Number> d;
    VecOf<Number> own[kGroups];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t a = 0; a < kGroups; ++a) {
        own[a] = sum[a];
    }
    for (std::size_t place = places.first; place < places.last; ++place) {
        const VecOf<Number> by = hn::Set(d, factor[place]);
        for (std::size_t a = 0; a < kGroups; ++a) {
            own[a] = hn::MulAdd(hn::Load(d, panel + (a * stride) + (place * group)), by, own[a]);
        }
    }
    for (std::size_t a = 0; a < kGroups; ++a) {
        sum[a] = own[a];
    }
}

template <typename Number>
void AddPendingOf(const Panels<Number>& panels, const Number* factor, std::size_t most, std::size_t first,
                  std::size_t last, Number* out) {
    const Tag<Number> d;
    const std::size_t K = panels.groups;
    const std::size_t end = panels.turn == 0 ? K : panels.turn;
    const std::size_t g = panels.group;
    const auto rows_of = [&](std::size_t I) {
        const std::size_t since = I < end ? end - 1 - I : end + K - 1 - I;
        return since < most ? since : most;
    };
    for (std::size_t I = first; I < last;) {
        const std::size_t at_once =
            I + kGroupsAtOnce <= last && (I >= end || I + kGroupsAtOnce <= end) ? kGroupsAtOnce : 1;
        const std::size_t common = rows_of(I + at_once - 1);  // the last of these groups had its turn last
        const std::size_t newer = common < end ? common : end;
        const std::size_t older = common - newer;
        for (std::size_t i = 0; i < g; i += kN<Number>) {
            const Number* panel = panels.rows + (I * K * g) + i;
            Number* own = out + (I * g) + i;
            VecOf<Number> sum[kGroupsAtOnce];  // NOLINT(modernize-avoid-c-arrays)
            for (std::size_t a = 0; a < at_once; ++a) {
                sum[a] = hn::Load(d, own + (a * g));
                for (std::size_t age = rows_of(I + a); age-- > common;) {  // the rows that only it lacks, older ones
                    const std::size_t place = age < end ? end - 1 - age : end + K - 1 - age;
                    sum[a] =
                        hn::MulAdd(hn::Load(d, panel + (((a * K) + place) * g)), hn::Set(d, factor[place]), sum[a]);
                }
            }
            const Range ranges[2] = {{K - older, K}, {end - newer, end}};  // NOLINT(modernize-avoid-c-arrays)
            for (const Range& range : ranges) {
                if (at_once == kGroupsAtOnce) {
                    AddPanels<kGroupsAtOnce>(panel, factor, range, K * g, g, sum);
                } else {
                    AddPanels<1>(panel, factor, range, K * g, g, sum);
                }
            }
            for (std::size_t a = 0; a < at_once; ++a) {
                hn::Store(sum[a], d, own + (a * g));
            }
        }
        I += at_once;
    }
}

void AddLacked(const Panels<double>& rows, std::size_t own, std::size_t most, const double* lacks, std::size_t n,
               double* sum) {
    const Numbers d;
    const std::size_t K = rows.groups;
    const std::size_t end = rows.turn == 0 ? K : rows.turn;
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec lacked = hn::Load(d, lacks + i);
        Vec total = hn::Load(d, sum + i);
        for (std::size_t age = most; age-- > 0;) {
            const double* row = rows.rows + ((age < end ? end - 1 - age : end + K - 1 - age) * rows.group);
            const Vec with = hn::MulAdd(hn::Load(d, row + i), hn::Set(d, row[own]), total);
            total = hn::IfThenElse(hn::Gt(lacked, hn::Set(d, static_cast<double>(age))), with, total);
        }
        hn::Store(total, d, sum + i);
    }
}

void AddToBlock(const PanelRows<double>& rows, std::size_t group, double* block, const double* next) {
    AddToBlockOf(rows, group, block, next);
}
void AddToBlockSingle(const PanelRows<float>& rows, std::size_t group, float* block, const float* next) {
    AddToBlockOf(rows, group, block, next);
}
void AddTurn(const Panels<double>& panels, std::size_t J, std::size_t first, std::size_t last, double* blocks) {
    AddTurnOf(panels, J, first, last, blocks);
}
void AddTurnSingle(const Panels<float>& panels, std::size_t J, std::size_t first, std::size_t last, float* blocks) {
    AddTurnOf(panels, J, first, last, blocks);
}
void AddPending(const Panels<double>& panels, const double* factor, std::size_t most, std::size_t first,
                std::size_t last, double* out) {
    AddPendingOf(panels, factor, most, first, last, out);
}
void AddPendingSingle(const Panels<float>& panels, const float* factor, std::size_t most, std::size_t first,
                      std::size_t last, float* out) {
    AddPendingOf(panels, factor, most, first, last, out);
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(AddToBlock);
HWY_EXPORT(AddToBlockSingle);
HWY_EXPORT(AddLacked);
HWY_EXPORT(AddTurn);
HWY_EXPORT(AddTurnSingle);
HWY_EXPORT(AddPending);
HWY_EXPORT(AddPendingSingle);

void add_to_block(const PanelRows<double>& rows, std::size_t group, double* block, const double* next) {
    HWY_DYNAMIC_DISPATCH(AddToBlock)(rows, group, block, next);
}
void add_to_block(const PanelRows<float>& rows, std::size_t group, float* block, const float* next) {
    HWY_DYNAMIC_DISPATCH(AddToBlockSingle)(rows, group, block, next);
}
void add_lacked(const Panels<double>& rows, std::size_t own, std::size_t most, const double* lacks, std::size_t n,
                double* sum) {
    HWY_DYNAMIC_DISPATCH(AddLacked)(rows, own, most, lacks, n, sum);
}
void add_turn(const Panels<double>& panels, std::size_t J, std::size_t first, std::size_t last, double* blocks) {
    HWY_DYNAMIC_DISPATCH(AddTurn)(panels, J, first, last, blocks);
}
void add_turn(const Panels<float>& panels, std::size_t J, std::size_t first, std::size_t last, float* blocks) {
    HWY_DYNAMIC_DISPATCH(AddTurnSingle)(panels, J, first, last, blocks);
}
void add_pending(const Panels<double>& panels, const double* factor, std::size_t most, std::size_t first,
                 std::size_t last, double* out) {
    HWY_DYNAMIC_DISPATCH(AddPending)(panels, factor, most, first, last, out);
}
void add_pending(const Panels<float>& panels, const float* factor, std::size_t most, std::size_t first,
                 std::size_t last, float* out) {
    HWY_DYNAMIC_DISPATCH(AddPendingSingle)(panels, factor, most, first, last, out);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
