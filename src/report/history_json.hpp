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

/// Whether an increment can take a reader that has seen this to the present.
[[nodiscard]] bool continues(const History& history, const Mark& seen);

/// What has come since `seen`: bins from that row's on, stays and weights of the inputs selected since, and events. Small:
/// a page gets it many times a second. Where the history is another one or has another revision, this is a snapshot.
[[nodiscard]] std::string increment_json(const History& history, const ReportText& text, const Mark& seen);

inline constexpr std::size_t kMostVariablesShown = 5000;
inline constexpr std::size_t kLongestNameShown = 200;

}  // namespace sluice::report
