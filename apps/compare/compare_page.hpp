// compare_page.hpp -- a comparison as one HTML file: the table, errors over time, and what each method selected when. No
// script, nothing from elsewhere; light and dark follow the reader's setting.
#pragma once

#include <string>

#include "compare_job.hpp"
#include "result.hpp"

namespace sluice::cli {

[[nodiscard]] std::string compare_html(const compare::CompareJob& job, const compare::CompareResult& result);

}  // namespace sluice::cli
