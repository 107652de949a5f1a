// terminal.hpp -- what the place we print to can show.
#pragma once

namespace sluice::cli {

/// Colour where standard output is a terminal and NO_COLOR is not set.
[[nodiscard]] bool stdout_shows_colour();

}  // namespace sluice::cli
