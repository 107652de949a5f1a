// xml_text.hpp -- text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace sluice::io {

/// & < > " as entities. Control characters, which XML does not allow, become U+FFFD.
[[nodiscard]] std::string xml(std::string_view text);

}  // namespace sluice::io
