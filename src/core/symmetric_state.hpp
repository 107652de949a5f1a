// symmetric_state.hpp -- a symmetric matrix as part of a saved state: one of its two halves.
#pragma once

#include <cstddef>

namespace sluice::core {

class StateReader;
class StateWriter;

/// C by columns, `stride` numbers apart. Where rounding has made the two halves differ, the differences are saved too: loading gives back
/// the same bits on both sides of the diagonal.
void save_symmetric(StateWriter& out, const double* C, std::size_t size, std::size_t stride);
/// The first `size` rows and columns of C.
void load_symmetric(StateReader& in, double* C, std::size_t size, std::size_t stride);

}  // namespace sluice::core
