// arrow_column.hpp -- the numbers of Arrow columns as doubles. A null is NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrow.hpp"

namespace sluice::python {

struct ArrowColumn;

/// Writes rows first to first + count - 1 of a column to out[0], out[1], ..., nulls not yet considered.
using ReadColumn = void (*)(const ArrowColumn& column, std::size_t first, std::size_t count, double* out);

/// How the numbers of a column are stored.
struct ArrowType {
    ReadColumn read = nullptr;
    std::int64_t buffers = 2;  ///< that an array of this type has
    int scale = 0;             ///< decimals: digits after the point
    bool is_double = false;
};

/// A column of one chunk.
struct ArrowColumn {
    const ArrowType* type = nullptr;
    const void* values = nullptr;
    const std::uint8_t* valid = nullptr;  ///< a bit for each value; null pointer: no value is missing
    std::size_t offset = 0;               ///< of the first row, in values
};

/// The type of a column with numbers. Throws DataError, which names the column as `column` and says what to do.
[[nodiscard]] ArrowType arrow_type(const ArrowSchema& schema, const std::string& column);

/// Throws DataError where the array is not as its type demands or ends before `end` rows after its own offset.
[[nodiscard]] ArrowColumn arrow_column(const ArrowArray& array, const ArrowType& type, std::size_t start,
                                       std::size_t end, const std::string& column);

/// The validity bits that have to be looked at; a null pointer where nothing is missing. Throws DataError.
[[nodiscard]] const std::uint8_t* validity(const ArrowArray& array, const std::string& column);

/// The bit of that number.
[[nodiscard]] inline bool bit(const std::uint8_t* bits, std::size_t index) {
    return ((bits[index / 8] >> (index % 8)) & 1U) != 0;
}

/// Transposes: row by row to out, which has columns.size() numbers for each of the rows.
void copy_rows(const std::vector<ArrowColumn>& columns, std::size_t rows, double* out);

}  // namespace sluice::python
