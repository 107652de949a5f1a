// kernels.hpp -- the loops over all inputs, compiled for each set of vector instructions.
//
//   cross_kernels       over M
//   gram_kernels        over C and over the history of rows
//   panel_kernels       over blocks of C and the rows that these lack
//   selection_kernels   over a direction, for its largest entries
//   series_kernels      over several series of the history
//   single_kernels      over columns of C in single precision
//   solve_kernels       over the small systems of a refit: included where these are solved
//   vector_kernels      over one vector
//
// One binary holds each loop for SSE4, AVX2, AVX-512 or NEON; the best is chosen at run time (Highway). Lengths `n` are
// multiples of kLanes and arrays are aligned to 64 bytes, unless stated otherwise. Sums are over one call only, in an
// order fixed by n and the instruction set: callers split the inputs into equal pieces and add the sums of the pieces
// in order, whichever thread computed them. The cost of these loops is the bytes that they move: each file has a table.
#pragma once

#include "cross_kernels.hpp"      // IWYU pragma: export
#include "gram_kernels.hpp"       // IWYU pragma: export
#include "panel_kernels.hpp"      // IWYU pragma: export
#include "selection_kernels.hpp"  // IWYU pragma: export
#include "series_kernels.hpp"     // IWYU pragma: export
#include "single_kernels.hpp"     // IWYU pragma: export
#include "vector_kernels.hpp"     // IWYU pragma: export
