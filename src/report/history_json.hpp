// history_json.hpp -- a history as JSON: what the page reads. docs/report.md describes it.
#pragma once

#include <cstdint>
#include <string>

#include "history.hpp"

namespace sluice::report {

struct ReportText {
    std::string title;       ///< empty: the page names the targets
    std::string source;      ///< where the rows come from: a file's name
    std::size_t inputs = 0;  ///< of the model, lags included; 0: not known
};

/// Everything. Numbers have six digits; stays and events have their exact rows.
[[nodiscard]] std::string snapshot_json(const History& history, const ReportText& text);

/// What has changed since `row` was the last one: all bins from that row's on, the inputs selected since, and the events
/// since. `rows_per_bin` is that of what the reader has; where it is not the present one, this is a snapshot.
[[nodiscard]] std::string increment_json(const History& history, const ReportText& text, std::uint64_t row,
                                         std::uint64_t rows_per_bin);

inline constexpr std::size_t kMostVariablesShown = 5000;
inline constexpr std::size_t kLongestNameShown = 200;

}  // namespace sluice::report
