// packed_cells.hpp -- weights as text: two characters of base 64 to a number, 12 bits of the largest of its input.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "presence.hpp"

namespace sluice::report {

struct PackedCells {
    std::vector<std::uint32_t> runs;  ///< first cell and number of cells of each run without a gap
    double weight_scale = 0.0;        ///< weight = scale * n / 4095
    std::string weights;
    double gain_scale = 0.0;  ///< gain = scale * (n - 2048) / 2047
    std::string gains;        ///< empty where they are not known
};

/// Of one track: means over the rows of each cell.
[[nodiscard]] PackedCells pack(std::span<const Cell> cells);

}  // namespace sluice::report
