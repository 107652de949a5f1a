// report_page.hpp -- the page with its data inside: one file that opens without a server.
#pragma once

#include <string>
#include <string_view>

namespace sluice::report {

/// In the page's text, where the data goes: within <script type="application/json">.
inline constexpr std::string_view kDataPlace = "SLUICE_DATA";

/// `page` is the built page, `json` its data. No text of the data can end the element that holds it.
[[nodiscard]] std::string report_html(std::string_view page, std::string_view json);

}  // namespace sluice::report
