// cell_cursor.hpp -- the cells of one CSV record, one after another, without the blanks and quotes around them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "records.hpp"

namespace sluice::io {

/// Without the blanks around it.
[[nodiscard]] inline std::string_view trimmed(std::string_view cell, char delimiter) noexcept {
    while (!cell.empty() && is_blank(cell.front(), delimiter)) {
        cell.remove_prefix(1);
    }
    while (!cell.empty() && is_blank(cell.back(), delimiter)) {
        cell.remove_suffix(1);
    }
    return cell;
}

class CellCursor {
  public:
    /// `room` holds the text of a cell with quotes in it; a cell is valid until the next one.
    CellCursor(std::string_view text, char delimiter, std::string& room) noexcept
        : text_(delimiter == ' ' ? trimmed(text, delimiter) : text), delimiter_(delimiter), room_(room) {}

    /// False after the last one.
    [[nodiscard]] bool next(std::string_view& cell);
    /// Whether there was text between the closing quote of the last cell and the delimiter.
    [[nodiscard]] bool has_text_after_quote() const noexcept { return text_after_quote_; }

  private:
    std::string_view unquoted();
    std::size_t end_of_cell() const noexcept;

    std::string_view text_;
    std::size_t at_ = 0;
    char delimiter_;
    bool done_ = false;
    bool text_after_quote_ = false;
    std::string& room_;
};

}  // namespace sluice::io
