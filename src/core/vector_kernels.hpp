// vector_kernels.hpp -- the loops over one vector; kernels.hpp states lengths, alignment and sums.
#pragma once

#include <cstddef>

namespace sluice::core::kernels {

/// Whether all |x * unit| <= limit; false where one is NaN. unit: null for 1. Any n, any alignment.
[[nodiscard]] bool within(const double* x, const double* unit, std::size_t n, double limit);

/// d = x unit - mean;  mean += step d;  h = root d, or x unit where not centred. unit: null for 1. x: any size, any
/// alignment; the others are padded, mean by zeros.
struct Centring {
    double step;
    double root;
    bool center;
};
void centre(const double* x, const double* unit, std::size_t size, const Centring& how, double* mean, double* h);

/// square += h h weight
void add_squares(const double* h, double weight, std::size_t n, double* square);

/// w = D^2 of working_units.cpp: 0 where an input does not vary, otherwise 1 / square with scaling, 1 without.
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

/// The sum of w square, added in the same order as in input_units().
[[nodiscard]] double weighted_sum(const double* w, const double* square, std::size_t n);

/// a <- factor a
void scale(double* a, double factor, std::size_t n);

/// roots_i = sqrt(w_i); may be the same array.
void square_roots(const double* w, std::size_t n, double* roots);

/// a_i = unit_i (c_part c_i + b_part b_i). c: null for zeros; unit: null for ones. Returns the largest |a_i|.
double combine(const double* c, double c_part, const double* b, double b_part, const double* unit, std::size_t n,
               double* a);

/// Any n, any alignment.
[[nodiscard]] double dot(const double* a, const double* b, std::size_t n);
[[nodiscard]] double dot(const float* a, const double* b, std::size_t n);

/// out = a b, entry by entry; any n, any alignment.
void multiply(const double* a, const double* b, std::size_t n, double* out);

/// to += factor * from; any n, any alignment.
void add_multiple(const float* from, double factor, std::size_t n, double* to);

/// Name of the instruction set in use, such as AVX2.
[[nodiscard]] const char* target_name();

}  // namespace sluice::core::kernels
