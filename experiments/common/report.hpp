// report.hpp -- one page that shows what the experiments found: no script, nothing from the network.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::string report_html(std::span<const Result> results, const Plan& plan);

struct File {
    std::string name;
    std::string content;
};

inline constexpr std::string_view kReportName = "report.html";

/// All that belongs in the folder of the report: figures and series first, the page last.
[[nodiscard]] std::vector<File> report_files(std::span<const Result> results, const Plan& plan);

[[nodiscard]] std::string_view word_of(Verdict verdict);

/// All numbers that must come out, as one more line of the table of claims; empty where the experiment has none.
[[nodiscard]] std::vector<Claim> claims_with_numbers(const Result& result);

}  // namespace sluice::experiments
