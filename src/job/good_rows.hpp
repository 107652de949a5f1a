// good_rows.hpp -- the rows of an input, where bad ones may be skipped.
#pragma once

#include <cstdint>

#include "row_reader.hpp"

namespace sluice::job {

/// The next row that can be read; false at the end. A bad one throws io::RowError, or is counted where it may be skipped.
template <typename Count>
[[nodiscard]] bool next_good(io::RowReader& reader, io::Row& row, bool skip_bad, Count& skipped) {
    for (;;) {
        try {
            return reader.next(row);
        } catch (const io::RowError&) {
            if (!skip_bad) {
                throw;
            }
            ++skipped;
        }
    }
}

}  // namespace sluice::job
