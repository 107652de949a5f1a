// arrow_block.hpp -- the rows of an Arrow record batch as a fleet reads them. Columns of text are read cell by cell, as from a
// file: a cell that is no number makes trouble for its row alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow.hpp"
#include "arrow_column.hpp"
#include "block.hpp"
#include "cell.hpp"

namespace sluice::python {

class ArrowBlock final : public fleet::Block {
  public:
    /// Keeps references to both. Throws DataError unless it is a record batch.
    ArrowBlock(const ArrowSchema& schema, const ArrowArray& array, const io::Dialect& dialect);

    [[nodiscard]] const std::vector<std::string>& columns() const override { return names_; }
    [[nodiscard]] std::size_t rows() const override { return rows_; }
    void want(const std::vector<std::size_t>& numbers) override;
    void read(std::size_t index, io::Row& row) override;
    [[nodiscard]] std::optional<std::int64_t> sequence(std::size_t index, std::size_t column) override;
    [[nodiscard]] std::string_view text(std::size_t index, std::size_t column) override;

  private:
    struct TextCell {
        std::size_t row;
        std::size_t place;
        std::string_view value;
    };
    [[nodiscard]] std::optional<std::string_view> text_cell(std::size_t index, std::size_t column) const;
    [[nodiscard]] bool missing(std::size_t index, std::size_t column) const;
    void read_texts(std::size_t column, std::size_t place);

    const ArrowSchema& schema_;
    const ArrowArray& array_;
    io::CellReader cells_;
    std::vector<std::string> names_;
    std::size_t rows_;
    std::size_t width_ = 0;
    std::vector<ArrowType> types_;
    std::vector<double> values_;        // row by row
    std::vector<TextCell> unreadable_;  // by row
    std::size_t next_unreadable_ = 0;
};

}  // namespace sluice::python
