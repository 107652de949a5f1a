// path_kernels.hpp -- the tables in which variables of the path are exchanged (path.hpp).
#pragma once

#include <cstddef>
#include <span>

namespace sluice::tune::kernels {

/// T_ij = C_ij d_i d_j for the first `size` columns of `size` rows, 0 for those beyond. C: by rows of `size` numbers; rows of T are
/// `stride` apart, a multiple of eight.
void scale_block(const double* C, const double* d, std::size_t size, std::size_t stride, double* T);
/// Exchanges the variables before `size` one after the other in the rows before `size` of the table T, which have n columns and are
/// `stride` apart (path.hpp). stride is a multiple of eight; what lies between n and it may change. A pivot below `least` counts as that.
void exchange_all(double* T, std::size_t size, std::size_t n, std::size_t stride, double least);

/// What the losses of variables need of a table: for each of them its pivot P_ii, and its coefficients B_ik at crosses[k apart + i].
struct LossParts {
    double* pivots;
    double* crosses;
    std::size_t apart;  // a multiple of eight
    std::size_t outputs;
    double weight;
};
/// Reads the parts from a table.
void read_parts(const double* T, std::size_t size, std::size_t stride, const LossParts& parts);
/// Exchanges variable i once more, in the rows in `left` alone: what they are without it. The parts of these follow.
void take_out(double* T, std::size_t size, std::size_t n, std::size_t stride, std::size_t i,
              std::span<const std::size_t> left, const LossParts& parts);
/// losses_i = the sum over the tables, in their order, of weight |B_i|^2 / max(P_ii, least); held_i = hold_i losses_i. For `count`
/// variables, in arrays of padded(count) numbers.
void losses(std::span<const LossParts> tables, std::size_t count, double least, const double* hold, double* losses,
            double* held);
/// The place of the least of `count` numbers, where all others are above it times `alike`; else count. A number that is infinite is
/// none.
[[nodiscard]] std::size_t clear_least(const double* numbers, std::size_t count, double alike);

/// out_c = sum_ij x_ic P_ij x_jc for eight vectors side by side: x_ic at x[8 i + c]; P: rows `stride` apart.
void quadratic_forms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out);

}  // namespace sluice::tune::kernels
