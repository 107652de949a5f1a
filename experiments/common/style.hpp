// style.hpp -- the colours, dashes and markers that all figures share, light and dark.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sluice::experiments {

/// CSS of the custom properties (on `:root`, so that it serves a page and a picture alike) and of what figures are made
/// of. Colours differ in lightness too, and every line has its own dash and marker, so that print without colour works.
[[nodiscard]] std::string_view figure_css();

struct LineStyle {
    std::string_view dash;    ///< stroke-dasharray; empty: a solid line
    std::string_view marker;  ///< path around (0, 0)
};

inline constexpr std::size_t kLineStyles = 9;
[[nodiscard]] const std::array<LineStyle, kLineStyles>& line_styles();

}  // namespace sluice::experiments
