// dates.hpp -- a column of dates, whose format is found from all of its cells.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "row_reader.hpp"

namespace sluice::portfolio {

enum class Calendar {
    none,     ///< rows are counted
    numbers,  ///< the dates are plain numbers
    days,     ///< real dates: Date::key counts days
};

struct Date {
    double key = 0.0;       ///< ascends
    std::string text = {};  ///< 2024-01-31, with the time where there is one
};

/// One cell as the file has it.
struct DateCell {
    std::string text = {};
    io::Position at = {};
};

struct DateColumn {
    Calendar calendar = Calendar::none;
    std::vector<Date> dates = {};
};

/// Reads 2024-01-31, 2024/1/31, 20240131, 2024-01, 31.1.2024, 31/1/2024 or 1/31/2024 (the last two where some day is above
/// 12), each with or without a time after it, or plain numbers; all cells in the same format. Does not check their order.
/// Throws io::RowError with the line.
[[nodiscard]] DateColumn read_dates(const std::vector<DateCell>& cells, const std::string& source,
                                    const std::string& column);

/// Days since 1 January 1970.
[[nodiscard]] double days_from_civil(int year, int month, int day);

/// How many periods make a year: 252, 52, 12 ... where the dates are near one of them. `days` ascend; at least two.
[[nodiscard]] double periods_in_a_year(const std::vector<double>& days);

}  // namespace sluice::portfolio
