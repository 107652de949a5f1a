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

/// What the losses of variables need of a swept table: for each of them its pivot P_ii, and its coefficients B_ik at
/// crosses[k apart + i].
struct LossParts {
    double* T;
    std::size_t stride;  // of its rows
    double* pivots;
    double* crosses;
    std::size_t apart;  // a multiple of eight
    std::size_t outputs;
    double weight;
};
/// Which of `size` variables would be missed least.
struct LossRule {
    std::size_t size;
    double least;        // pivot
    double alike;        // of two losses whose ratio is less than this, the first counts as the lesser one
    const double* hold;  // of each variable: its loss counts as this many; padded to eight
};
struct LeastLoss {
    std::size_t place;
    double loss;  // with its hold
};
/// Reads the parts from the tables. losses_i = the sum over the tables, in their order, of weight |B_i|^2 / max(P_ii, least). losses and
/// held, losses times hold, have padded(size) numbers.
[[nodiscard]] LeastLoss least_loss(std::span<const LossParts> tables, const LossRule& rule, double* losses,
                                   double* held);
/// Takes out the variable whose loss is least, again and again, until none is left: order_0 is the first of them. Row m of losses,
/// padded(size) numbers, has the losses of those left when m were: of m = size down to 1. The tables are used up.
void eliminate(std::span<const LossParts> tables, const LossRule& rule, std::size_t* order, double* losses,
               double* held);

/// What a fit leaves of the covariances of all inputs with one output.
struct LeftOver {
    const double* cross;  // M
    double unit;
    double times;
    const double* explained;
};
/// squares_j = (or +=) (M_j unit times - explained_j)^2 for n inputs, a multiple of eight.
void add_squares_left(const LeftOver& of, std::size_t n, bool first, double* squares);
/// squares_j /= C_jj, 0 where that is; most: the largest of each eight.
void divide_squares_left(const double* of_inputs, std::size_t n, double* squares, double* most);

/// out_c = sum_ij x_ic P_ij x_jc for eight vectors side by side: x_ic at x[8 i + c]; P: rows `stride` apart.
void quadratic_forms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out);

}  // namespace sluice::tune::kernels
