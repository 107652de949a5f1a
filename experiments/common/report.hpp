// report.hpp -- one HTML page with the results of the experiments: no script, nothing from the network.
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

/// Every file of the report: figures and series first, the page last.
[[nodiscard]] std::vector<File> report_files(std::span<const Result> results, const Plan& plan);

[[nodiscard]] std::string_view word_of(Verdict verdict);

/// The claims of an experiment and, where it has checks, one more claim of ours that sums them up.
[[nodiscard]] std::vector<Claim> all_claims(const Result& result);

}  // namespace sluice::experiments
