// market.hpp -- the returns of stocks and of indices, period by period.
#pragma once

#include <string>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::portfolio {

struct Market {
    std::vector<std::string> dates = {};  ///< one for each period; "week 1" ... where a file has none
    std::vector<std::string> stocks = {};
    std::vector<std::string> indices = {};
    Matrix stock_returns = {};  ///< stocks x periods (column = one period), NaN where the stock did not trade
    Matrix index_returns = {};  ///< indices x periods
    double periods_per_year = 52.0;
    std::vector<std::string> warnings = {};  ///< prices that are probably wrong: splits.hpp
    std::vector<std::string> notes = {};     ///< what was unusual in the files and how it was handled
};

}  // namespace sluice::portfolio
