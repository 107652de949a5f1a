// row_pass.hpp -- the one pass over all inputs that a row costs: what it is given, and what it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "kernels.hpp"
#include "workers.hpp"

namespace sluice::core {

/// The working units in which a pass sums up (working_units.cpp).
struct PassUnits {
    bool scale_inputs = false;
    std::span<const double> e;  // E
};

/// What a pass finds of C~ = D C D and M~ = D M E, the moments in working units.
struct PassSums {
    double input_trace = 0.0;   // tr(C~)
    double cross_square = 0.0;  // sum of squares of M~
    std::size_t varying = 0;    // inputs that vary
    int top_exponent = 0;       // the largest of their column units
};

/// Directions along which a pass looks for candidates: the inputs that may weigh at least a given amount.
class CandidateFilter {
  public:
    CandidateFilter(std::size_t directions, std::size_t outputs, std::size_t capacity, std::size_t workers);

    std::vector<double> g;             // E_k g_rk, directions x outputs by rows
    std::vector<double> least_square;  // of each direction
    std::vector<double> bound_square;  // |C_i u| <= bound sqrt(C_ii), in the units of least

    void clear();
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    /// Number of candidates of a direction; above capacity() not all of them were noted.
    [[nodiscard]] std::size_t count(std::size_t direction) const;
    /// All of them, ascending.
    void candidates(std::size_t direction, std::vector<std::size_t>& into) const;
    /// Where one worker's part of a pass notes what it finds.
    void set_destination(kernels::CrossPass& pass, std::size_t worker);

  private:
    struct Notes {
        std::vector<std::vector<std::uint32_t>> hits;
        std::vector<std::uint32_t*> places;
        Buffer<std::size_t> counts;  // in lines of its own: its thread writes them while others write theirs
    };
    std::size_t capacity_;  // of one direction
    std::vector<Notes> by_worker_;
};

}  // namespace sluice::core
