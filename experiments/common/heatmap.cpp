#include "experiments/common/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/common/plot.hpp"
#include "experiments/common/put.hpp"
#include "round_step.hpp"
#include "xml_text.hpp"

namespace sluice::experiments {

namespace {

constexpr double kMapLeft = 70.0;
constexpr double kAcross = 1000.0;
constexpr double kMapRight = 20.0;
constexpr double kMapTop = 26.0;
constexpr double kMapBottom = 36.0;

// One rectangle for each stretch of rows over which a variable stays marked.
std::string cells(const Layer& layer, const Heatmap& map, double top, double row_width) {
    const std::size_t rows = layer.marked.size();
    std::string path;
    for (std::size_t variable = 0; variable < map.variables(); ++variable) {
        const auto marked = [&](std::size_t row) {
            return row < rows && std::ranges::binary_search(layer.marked[row], variable);
        };
        for (std::size_t row = 0; row < rows; ++row) {
            if (!marked(row)) {
                continue;
            }
            const std::size_t from = row;
            while (marked(row)) {
                ++row;
            }
            const double width = row_width * static_cast<double>(row - from);
            put(path, "M{:.2f} {:g}h{:.2f}v{:g}h-{:.2f}z", kMapLeft + (row_width * static_cast<double>(from)),
                top + (map.cell * static_cast<double>(variable)), width, map.cell, width);
        }
    }
    return fmt::format(R"(<path class="{}" shape-rendering="crispEdges" d="{}"/>)", layer.style, path);
}

void put_panel(std::string& out, const Heatmap& map, const MapPanel& panel, double top) {
    const std::size_t rows = panel.layers.front().marked.size();
    const double row_width = kAcross / static_cast<double>(rows);
    const double down = map.cell * static_cast<double>(map.variables());
    put(out, R"(<text class="title" x="{:g}" y="{:g}">{}</text>)", kMapLeft, top - 9.0, io::xml(panel.title));
    for (const Layer& layer : panel.layers) {
        out += cells(layer, map, top, row_width);
    }
    double y = top;
    for (const MapGroup& group : map.groups) {
        const double height = map.cell * static_cast<double>(group.variables);
        put(out, R"(<path class="frame" d="M{:g} {:g}h{:g}"/>)", kMapLeft, y, kAcross);
        put(out, R"(<text class="soft" x="{:g}" y="{:g}" text-anchor="end">{}</text>)", kMapLeft - 8.0,
            y + (height / 2.0) + 4.0, io::xml(group.name));
        y += height;
    }
    put(out, R"(<path class="frame" d="M{:g} {:g}v{:g}h{:g}v-{:g}"/>)", kMapLeft, top, down, kAcross, down);
    const std::size_t step = io::round_step(rows);
    for (std::size_t row = step; row <= rows; row += step) {
        const double x = kMapLeft + (row_width * static_cast<double>(row));
        put(out, R"(<path class="frame" d="M{:g} {:g}v4"/>)", x, top + down);
        put(out, R"(<text class="soft" x="{:g}" y="{:g}" text-anchor="middle">{}</text>)", x, top + down + 16.0, row);
    }
    put(out, R"(<text class="soft" x="{:g}" y="{:g}" text-anchor="end">{}</text>)", kMapLeft - 8.0, top + down + 16.0,
        io::xml(map.across));
}

}  // namespace

std::size_t Heatmap::variables() const {
    std::size_t all = 0;
    for (const MapGroup& group : groups) {
        all += group.variables;
    }
    return all;
}

std::vector<MapGroup> equal_groups(std::size_t count, std::size_t size) {
    std::vector<MapGroup> groups;
    groups.reserve(count);
    for (std::size_t i = 1; i <= count; ++i) {
        groups.push_back({.name = fmt::format("group {}", i), .variables = size});
    }
    return groups;
}

std::string draw(const Heatmap& map) {
    const double panel_height = kMapTop + (map.cell * static_cast<double>(map.variables())) + kMapBottom;
    std::string out;
    put(out,
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img">)",
        kMapLeft + kAcross + kMapRight, panel_height * static_cast<double>(map.panels.size()));
    put(out, "<title>{}</title>\n", io::xml(map.about));
    for (std::size_t i = 0; i < map.panels.size(); ++i) {
        put_panel(out, map, map.panels[i], kMapTop + (panel_height * static_cast<double>(i)));
        out += '\n';
    }
    return out + "</svg>\n";
}

}  // namespace sluice::experiments
