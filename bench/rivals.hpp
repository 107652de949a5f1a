// rivals.hpp -- what others reach on the same tasks.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sluice::bench {

/// Error over variance, mean over the outputs, after the same warm-up.
struct Rivals {
    double lars_best = 0.0;       ///< LARS refitted on a window with as many names, best setting in hindsight
    double dense_best = 0.0;      ///< all inputs: ridge, recursive least squares, window PLS; best in hindsight
    double auto_intercept = 0.0;  ///< many separate models followed by recent error, with a drifting intercept
};

/// Known for 10 and 20 names on eleven tasks.
[[nodiscard]] std::optional<Rivals> rivals_on(std::string_view task, std::size_t names);

}  // namespace sluice::bench
