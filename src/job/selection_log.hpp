// selection_log.hpp -- which inputs were selected when, read from the records that `sluice stream --out` writes.
//
// Rows are counted in columns of equal length. When there are too many columns, each two neighbours become one, so that
// a log of any length takes the memory of a short one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "source.hpp"

namespace sluice::job {

struct SelectionLog {
    struct Column {
        std::uint64_t row = 0;   ///< number of its first row, as in the record
        std::string time;        ///< of that row; empty where the records have none
        std::uint32_t rows = 0;  ///< that it holds
    };
    struct Variable {
        std::string name;
        std::uint64_t rows = 0;                ///< in which it was selected, by any component
        std::vector<std::uint32_t> by_column;  ///< the same, column by column
    };

    static constexpr std::size_t kMostColumns = 480;

    std::vector<std::string> targets;
    std::uint64_t rows = 0;
    std::uint64_t last_row = 0;
    std::vector<Column> columns;
    std::vector<Variable> variables;  ///< in the order in which they were first selected
};

/// NDJSON, plain or compressed. Throws DataError for a line that is no record and for a log without any, and what the
/// source throws.
[[nodiscard]] SelectionLog read_selection_log(std::unique_ptr<io::ByteSource> source);

}  // namespace sluice::job
