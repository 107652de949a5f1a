// suggest.hpp -- "did you mean ...": the known name that is nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice::io {

/// The name in `known` with the fewest edits of single letters (swapping neighbours counts as one, case as none), at most a
/// third of the letters; empty where there is none.
[[nodiscard]] std::string nearest(std::string_view given, std::span<const std::string> known);

/// ". Did you mean NAME?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::span<const std::string> known);

}  // namespace sluice::io
