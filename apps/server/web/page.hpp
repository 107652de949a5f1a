// page.hpp -- the page that shows a stream: one HTML file with everything inline but its data.
#pragma once

#include <string_view>

namespace sluice::web {

/// SLUICE_DATA in it is where the data goes: src/report/report_page.hpp.
[[nodiscard]] std::string_view page();

}  // namespace sluice::web
