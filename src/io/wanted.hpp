// wanted.hpp -- which cells of a row are read, and where in the Row they go.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "row_reader.hpp"

namespace sluice::io {

class Wanted {
  public:
    static constexpr std::size_t kNot = static_cast<std::size_t>(-1);

    struct Column {
        std::size_t number = kNot;  ///< place in Row::numbers
        std::size_t text = kNot;    ///< place in Row::texts
        bool tolerant = false;      ///< a cell that is not a number is missing
    };

    Wanted() = default;
    /// Throws std::out_of_range for a position that no column has.
    Wanted(std::size_t columns, const std::vector<std::size_t>& numbers, const std::vector<std::size_t>& texts);

    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
    /// See RowReader::tolerate.
    void tolerate(std::size_t number);
    /// Marks a cell of a tolerant column as missing.
    static void put_unreadable(Row& row, std::size_t number, std::string_view value);
    /// Sets the sizes of the row's vectors.
    void prepare(Row& row) const;
    /// Copies what is wanted more than once.
    void finish(Row& row) const;

  private:
    using Pair = std::pair<std::size_t, std::size_t>;  ///< from, to

    std::vector<Column> columns_;
    std::vector<std::size_t> column_of_;  ///< of each place in Row::numbers
    std::vector<Pair> again_numbers_;
    std::vector<Pair> again_texts_;
    std::size_t numbers_ = 0;
    std::size_t texts_ = 0;
};

}  // namespace sluice::io
