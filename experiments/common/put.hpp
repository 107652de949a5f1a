// put.hpp -- text appended piece by piece. For .cpp files only: our headers do without fmt.
#pragma once

#include <iterator>
#include <string>
#include <utility>

#include "format_to.hpp"

namespace sluice::experiments {

template <typename... Arguments>
void put(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

}  // namespace sluice::experiments
