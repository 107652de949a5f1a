// selection_picture.hpp -- which inputs were selected when, as an SVG file: one line for each input, time from left to
// right, darker the more often it was selected.
#pragma once

#include <cstddef>
#include <string>

#include "selection_log.hpp"

namespace sluice::job {

struct PictureOptions {
    std::string title = {};       ///< empty: names the targets
    std::size_t variables = 30;   ///< at most; those selected in most rows are shown
    std::size_t name_width = 28;  ///< characters of a name; longer ones are cut
};

/// Light and dark follow the reader's setting. No script, nothing from elsewhere.
[[nodiscard]] std::string selection_svg(const SelectionLog& log, const PictureOptions& options = {});

}  // namespace sluice::job
