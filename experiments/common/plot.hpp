// plot.hpp -- curves over the rows of a stream as SVG: axes, shaded deviation, legend, panels side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sluice::experiments {

struct Line {
    std::string name;
    std::vector<double> mean;     ///< at rows 1, 2, ..., or those of `at`
    std::vector<double> sd = {};  ///< shaded on both sides of the mean; empty: nothing is
    std::size_t style = 0;        ///< of line_styles(), and the colour of that number
    std::vector<double> at = {};  ///< row of each number, ascending; empty: 1, 2, ...

    [[nodiscard]] double row(std::size_t i) const { return at.empty() ? static_cast<double>(i + 1) : at[i]; }
};

enum class Scale {
    percent,    ///< shares from 0 to 1, shown as 0 to 100 %
    logarithm,  ///< ratios, by decades
    growth,     ///< cumulative returns: 0.25 is shown as +25 %, the axis goes as far as they do
    count,      ///< numbers from 0 on, shown as they are, the axis goes as far as they do
};

struct Panel {
    std::string title;
    Scale scale = Scale::percent;
    std::vector<Line> lines;
    std::string across = "row";  ///< what the numbers below count
    std::string upwards = {};    ///< what the numbers at the left say. Empty: what those of the scale usually do
    /// growth, count: the axis goes no further than this, and lines that do leave the picture. Empty: as far as they go.
    std::optional<double> ceiling = std::nullopt;
};

struct Plot {
    std::string about;                      ///< for those who cannot see it
    std::vector<Panel> panels;              ///< three to a line
    std::vector<std::size_t> changes = {};  ///< rows at which the truth changes
    bool wide = false;                      ///< a panel takes a whole line
};

/// An <svg> element for a page that has figure_css().
[[nodiscard]] std::string draw(const Plot& plot);

/// The same element as a file of its own.
[[nodiscard]] std::string as_file(const std::string& svg);

}  // namespace sluice::experiments
