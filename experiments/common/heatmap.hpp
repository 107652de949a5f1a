// heatmap.hpp -- which variables are marked at which row, as SVG: figure 2 of the paper.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::experiments {

struct Layer {
    std::string style;                             ///< class of figure_css(): black, grey, f0, f1
    std::vector<std::vector<std::size_t>> marked;  ///< variables, ascending, by row
};

struct MapPanel {
    std::string title;
    std::vector<Layer> layers;
};

struct MapGroup {
    std::string name;
    std::size_t variables = 0;
};

struct Heatmap {
    std::string about;
    std::vector<MapGroup> groups;  ///< a line parts them
    std::vector<MapPanel> panels;
    double cell = 3.0;           ///< height of a variable
    std::string across = "row";  ///< what the numbers below count

    [[nodiscard]] std::size_t variables() const;
};

/// group 1, group 2, ... of the same size.
[[nodiscard]] std::vector<MapGroup> equal_groups(std::size_t count, std::size_t size);

[[nodiscard]] std::string draw(const Heatmap& map);

}  // namespace sluice::experiments
