// sheet.hpp -- prices or returns by name and date, as read from a file; several sheets are joined into one.
#pragma once

#include <string>
#include <vector>

#include "dates.hpp"
#include "sluice/matrix.hpp"

namespace sluice::portfolio {

enum class Quote { prices, returns };

struct Sheet {
    std::string source = {};  ///< as in messages
    Quote quote = Quote::prices;
    Calendar calendar = Calendar::none;
    std::vector<Date> dates = {};  ///< ascending, none twice; empty where rows are counted
    std::vector<std::string> names = {};
    std::vector<std::string> indices = {};  ///< those of the names that the file itself gives as indices
    Matrix values = {};                     ///< names x rows; NaN is missing
    std::vector<std::string> notes = {};

    [[nodiscard]] std::size_t rows() const noexcept { return values.cols(); }
};

/// By date, a row for each date that any of them has; by row where they have no dates, and then all must be equally long.
/// Throws DataError: a name twice, dates of different kinds, different lengths.
[[nodiscard]] Sheet join(std::vector<Sheet> sheets);

}  // namespace sluice::portfolio
