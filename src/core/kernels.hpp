// kernels.hpp -- the loops over all inputs, for whatever vector instructions the processor has.
//
// One binary holds each loop for SSE4, AVX2, AVX-512 or NEON; the best is chosen when it runs (Highway). Lengths `n` are
// multiples of kLanes and arrays are 64-byte aligned, unless said otherwise. Sums are over one call only, in an order
// fixed by n and the target: callers add the results of equal pieces in order, whichever thread made them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::core::kernels {

/// Whether all |x * unit| <= limit, which NaN is not. unit: null for 1. Any n, any alignment.
[[nodiscard]] bool within(const double* x, const double* unit, std::size_t n, double limit);

/// d = x unit - mean;  mean += step d;  h = root d, or x unit where not centred. x, unit: any alignment; unit: or null.
struct Centring {
    double step;
    double root;
    bool center;
};
void centre(const double* x, const double* unit, std::size_t n, const Centring& how, double* mean, double* h);

/// square += h h weight
void add_squares(const double* h, double weight, std::size_t n, double* square);

/// w = D^2 of working.cpp: 0 where an input does not vary, else 1 / square with scaling, else 1.
struct Units {
    double variance;  // of an input: square * variance
    double floor;     // an input varies where its variance exceeds floor * mean^2
    bool scale;
};
struct InputSums {
    double trace;        // sum of w square
    std::size_t varies;  // inputs with w > 0
};
[[nodiscard]] InputSums input_units(const double* square, const double* mean, const Units& how, std::size_t n,
                                    double* w);

/// sum of w square, in the same order as input_units() adds it up.
[[nodiscard]] double weighted_sum(const double* w, const double* square, std::size_t n);

/// One pass over M (q columns, `stride` apart), read once for everything that a row needs of it.
struct CrossPass {
    double* M;
    std::size_t stride;
    std::size_t outputs;
    const double* h;   // null: M is only read
    const double* dy;  // M_ik += h_i dy_k
    const double* e;   // E of working.cpp
    const double* w;   // D^2, of this piece
    const double* square;
    // For each direction g: the inputs i that may weigh `least` or more, |D_i M_i E g| + bound sqrt(D_i^2 C_ii) >= least
    std::size_t directions;
    const double* g;             // E_k g_rk, directions x outputs by rows
    const double* least_square;  // least^2
    const double* bound_square;  // bound^2
    std::size_t first;           // number of this piece's first input
    std::uint32_t* const* hits;  // of each direction
    std::size_t* counts;         // how many hits so far; goes on counting when the room is full
    std::size_t room;
};
/// Returns the sum of (D M E)_ik^2.
double cross_pass(const CrossPass& pass, std::size_t n);

/// b_i = sum_k M_ik E_k g_k, with `ge` = E_k g_k.
void cross_product(const double* M, std::size_t stride, std::size_t outputs, const double* ge, std::size_t n,
                   double* b);

/// What deflation leaves: L_ik = M_ik E_k - P_ik; b_i = sum_k L_ik g_k. Returns the sum of w_i L_ik^2.
double deflated_product(const double* M, const double* P, std::size_t stride, std::size_t outputs, const double* e,
                        const double* g, const double* w, std::size_t n, double* b);

/// a_i = sqrt(w_i) (c_part c_i + b_part b_i); c: or null; w: null for ones. Returns the largest |a_i|.
double combine(const double* c, double c_part, const double* b, double b_part, const double* w, std::size_t n,
               double* a);

/// Numbers of the entries with |a_i| >= least, to `hits` while there is room; returns how many there are.
std::size_t entries_from(const double* a, double least, std::size_t n, std::uint32_t* hits, std::size_t room);

/// out_m = sum_c columns[c] coefficient[c][m] over m < targets, at places first .. last; coefficients by rows.
void columns_product(const double* const* columns, std::size_t count, const double* coefficient, std::size_t targets,
                     std::size_t first, std::size_t last, double* out, std::size_t out_stride);

/// columns[c] += sum_b rows[b] coefficient[b][c], at places first .. last; coefficients by rows of kColumnsAtOnce, of
/// which the first `columns` count. Rows are added one after the other: in how many calls makes no difference to the bits.
constexpr std::size_t kColumnsAtOnce = 4;
void add_rows(const double* const* rows, const double* coefficient, std::size_t count, std::size_t first,
              std::size_t last, double* const* to, std::size_t columns);

/// C += d d', C with `inputs` columns of n numbers, `stride` apart.
void add_outer(const double* d, std::size_t inputs, std::size_t n, std::size_t stride, double* C);

/// The largest |a_i|; any n, any alignment.
[[nodiscard]] double largest(const double* a, std::size_t n);

/// The (k+1)-th largest of a, none negative; k < n. What fills `a` up to a multiple of kLanes must be negative.
/// guess: where to look first. It costs or saves time only.
[[nodiscard]] double nth_largest(const double* a, std::size_t n, std::size_t k, double guess);

/// Any n; alignment of 8 bytes (4 for float) is enough.
[[nodiscard]] double dot(const double* a, const double* b, std::size_t n);
[[nodiscard]] double dot(const float* a, const double* b, std::size_t n);

/// out = a b, entry by entry; any n and alignment.
void multiply(const double* a, const double* b, std::size_t n, double* out);

/// to += factor * from; any n and alignment.
void add_multiple(const float* from, double factor, std::size_t n, double* to);

/// ring[i * stride + b] = rows[b][i] for b < kLanes: eight rows, input by input, past the cache.
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, double* ring);
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, float* ring);

/// Name of the instructions in use, such as AVX2.
[[nodiscard]] const char* target_name();

}  // namespace sluice::core::kernels
