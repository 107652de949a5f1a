// panel_kernels.hpp -- products of rows that are stored group of inputs by group; kernels.hpp states alignment and sums.
#pragma once

#include <cstddef>

namespace sluice::core::kernels {

/// Rows at the inputs of two groups: `older` rows and then `newer` ones, each stored one after the other. Numbers are
/// double or float; a group has whole vectors of them.
template <typename Number>
struct PanelRows {
    std::size_t older;
    const Number* older_i;
    const Number* older_j;
    std::size_t newer;
    const Number* newer_i;
    const Number* newer_j;
};

/// block_ij += sum_b row_bi row_bj, block by columns of `group` numbers; the lines of `next` are fetched meanwhile. Rows
/// are added one after the other: one call or several give the same bits, and so does the transposed block.
void add_to_block(const PanelRows<double>& rows, std::size_t group, double* block, const double* next);
void add_to_block(const PanelRows<float>& rows, std::size_t group, float* block, const float* next);

/// The newest rows: `groups` of them, group by group (pending_rows.hpp).
template <typename Number>
struct Panels {
    const Number* rows;
    std::size_t groups;
    std::size_t group;
    std::size_t turn;  ///< the group whose turn comes next
};

/// Where the block of groups I >= J is among the blocks on and below the diagonal, which are stored row by row.
constexpr std::size_t block_place(std::size_t I, std::size_t J, std::size_t group) {
    return ((I * (I + 1) / 2) + J) * group * group;
}

/// The turn of group J, of which the newest row is the last: for the groups I in first .. last the block of I and J gains
/// the rows since the turn of I, and that of J and J all rows.
void add_turn(const Panels<double>& panels, std::size_t J, std::size_t first, std::size_t last, double* blocks);
void add_turn(const Panels<float>& panels, std::size_t J, std::size_t first, std::size_t last, float* blocks);

/// out_i += sum_b factor[place of b] row_bi at the inputs of the groups first .. last, over the rows since the last turn
/// of the group of i, at most the newest `most`, the oldest first.
void add_pending(const Panels<double>& panels, const double* factor, std::size_t most, std::size_t first,
                 std::size_t last, double* out);
void add_pending(const Panels<float>& panels, const float* factor, std::size_t most, std::size_t first,
                 std::size_t last, float* out);

/// sum_i += sum_b row_bi row_b,own over the rows b of age below lacks_i, the oldest first; `most`: the largest lacks_i. The
/// inputs are those of the one group that these rows have, n of them.
void add_lacked(const Panels<double>& rows, std::size_t own, std::size_t most, const double* lacks, std::size_t n,
                double* sum);

}  // namespace sluice::core::kernels
