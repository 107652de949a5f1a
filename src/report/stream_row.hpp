// stream_row.hpp -- one row of a stream as a report sees it, from a record of a log or from the running job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::report {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// An input that is selected in a row.
struct Use {
    std::size_t variable = 0;  ///< as History::variable() numbers them
    std::size_t component = 0;
    double weight = kUnknown;  ///< tuned: its contribution; else the size of its weight in the component
    double gain = kUnknown;    ///< by how much the error over variance would rise without it
};

/// Why an input is used: the errors over variance that the model has compared.
struct Reason {
    std::size_t variable = 0;
    double error_without = kUnknown;
    double error_with = kUnknown;
};

struct StreamEvent {
    std::string kind = {};
    std::uint64_t row = 0;
    std::uint64_t last_row = 0;  ///< of those that were merged into it
    std::uint64_t count = 1;     ///< events of its kind that it stands for
    std::string time = {};
    std::string text = {};
    std::vector<std::string> columns = {};
    std::vector<std::string> entered = {};
    std::vector<std::string> left = {};
    friend bool operator==(const StreamEvent&, const StreamEvent&) = default;
};

struct StreamRow {
    std::uint64_t row = 0;       ///< from 1, larger than that of the row before
    std::uint64_t label_of = 0;  ///< a label that came late: the row that it belongs to; only targets are then read
    std::string_view time = {};
    // One number per target; NaN where there is none. Intervals may be empty.
    std::span<const double> predicted = {};
    std::span<const double> low = {};
    std::span<const double> high = {};
    std::span<const double> observed = {};
    std::span<const double> forecast = {};  ///< where predictions are made several rows before: that made at this row
    std::span<const Use> uses = {};         ///< where the model is tuned, the most important first
    std::span<const Reason> reasons = {};
    double forgetting = kUnknown;
    double shrinkage = kUnknown;
    double last_value_share = kUnknown;
    std::span<const StreamEvent> events = {};
};

}  // namespace sluice::report
