// counted_rows.cpp -- checks of rows, alike for fits of rows and for moments.
#include "counted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sluice/error.hpp"

namespace sluice::batch {

namespace {

std::string place(const char* kind, std::size_t column, std::size_t row) {
    return std::string(kind) + " " + std::to_string(column + 1) + " of row " + std::to_string(row + 1);
}

void refuse_infinities(const Rows& rows, const char* kind) {
    for (std::size_t i = 0; i < rows.count(); ++i) {
        for (std::size_t j = 0; j < rows.width(); ++j) {
            if (std::isinf(rows[i][j])) {
                throw DataError(place(kind, j, i) + (rows[i][j] > 0.0 ? " is inf" : " is -inf") +
                                ": must be finite, or NaN where missing");
            }
        }
    }
}

// The rows with outputs. Throws where a row has some of its outputs.
std::vector<std::size_t> rows_with_outputs(const Rows& y) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < y.count(); ++i) {
        const auto missing = [](double value) { return std::isnan(value); };
        const auto first = std::ranges::find_if(y[i], missing);
        if (first == y[i].end()) {
            rows.push_back(i);
        } else if (!std::ranges::all_of(y[i], missing)) {
            const auto output = static_cast<std::size_t>(first - y[i].begin());
            throw DataError(place("output", output, i) +
                            " is missing and others of that row are not: give all outputs of the row, or leave the "
                            "row out by giving NaN for all of them");
        }
    }
    return rows;
}

}  // namespace

std::vector<std::size_t> counted_rows(const Rows& x, const Rows& y) {
    if (x.count() != y.count()) {
        throw DataError(std::to_string(x.count()) + " rows of inputs and " + std::to_string(y.count()) +
                        " rows of outputs: must be equally many");
    }
    refuse_infinities(x, "input");
    refuse_infinities(y, "output");
    return rows_with_outputs(y);
}

}  // namespace sluice::batch
