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

struct Heatmap {
    std::string about;
    std::size_t variables = 0;
    std::size_t group_size = 1;  ///< a line parts the groups
    std::vector<MapPanel> panels;
};

[[nodiscard]] std::string draw(const Heatmap& map);

}  // namespace sluice::experiments
