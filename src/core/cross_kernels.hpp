// cross_kernels.hpp -- the loops over M; kernels.hpp states lengths, alignment and sums.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::core::kernels {

/// One pass over M (q columns, `stride` apart), which reads it once for everything that a row needs of it.
struct CrossPass {
    double* M;
    std::size_t stride;
    std::size_t outputs;
    const double* h;       // null: M is only read
    const double* dy;      // M_ik += h_i dy_k
    const double* e;       // E of working_units.cpp
    const double* w;       // D^2, of this piece
    const double* square;  // C_ii, of this piece
    // For each direction g, the inputs i whose weight may reach `least`:
    //     |D_i M_i E g| + bound sqrt(D_i^2 C_ii) >= least
    std::size_t directions;
    const double* g;             // E_k g_rk, directions x outputs by rows
    const double* least_square;  // least^2
    const double* bound_square;  // bound^2
    std::size_t first;           // number of this piece's first input
    std::uint32_t* const* hits;  // of each direction, room + kLanes numbers
    std::size_t* counts;         // hits so far; goes beyond `room`, where no more are stored
    std::size_t room;
};
/// Returns the sum of (D M E)_ik^2.
double cross_pass(const CrossPass& pass, std::size_t n);

/// a_i = unit_i (c_part c_i + b_part sum_k M_ik ge_k), with c = C D u and `ge` = E_k g_k, at least one. c: null for zeros;
/// unit: null for ones. Returns the largest |a_i|.
double bridge_product(const double* c, double c_part, const double* M, std::size_t stride, std::size_t outputs,
                      const double* ge, double b_part, const double* unit, std::size_t n, double* a);

/// Bounds of |a_i| with a_i = D_i (M_i E g + c_i), where |c_i| <= bound sqrt(C_ii): least_i = max(|D_i M_i E g| - reach, 0)
/// and most_i = |D_i M_i E g| + reach, with reach = bound D_i sqrt(C_ii). `ge` = E_k g_k, w = D^2, square = C_ii.
void cross_bounds(const double* M, std::size_t stride, std::size_t outputs, const double* ge, const double* w,
                  const double* square, double bound, std::size_t n, double* least, double* most);

/// M after deflation, L_ik = M_ik E_k - P_ik: b_i = sum_k L_ik g_k. Returns the sum of w_i L_ik^2.
double deflated_product(const double* M, const double* P, std::size_t stride, std::size_t outputs, const double* e,
                        const double* g, const double* w, std::size_t n, double* b);

}  // namespace sluice::core::kernels
