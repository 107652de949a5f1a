// suggest.hpp -- "did you mean ...": the known name that is nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice::io {

/// The nearest of `known` by edits of single letters (case and neighbours swapped count as one), where at most a third of the letters
/// differ; empty where none is that near.
[[nodiscard]] std::string nearest(std::string_view given, std::span<const std::string> known);

/// ". Did you mean NAME?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::span<const std::string> known);

}  // namespace sluice::io
