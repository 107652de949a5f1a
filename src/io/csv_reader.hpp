// csv_reader.hpp -- rows whose cells are separated by a delimiter, or by runs of blanks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell.hpp"
#include "records.hpp"
#include "row_reader.hpp"
#include "wanted.hpp"

namespace sluice::io {

/// The delimiter that occurs most often in the line, outside quotes; ' ' where none does.
[[nodiscard]] char find_delimiter(std::string_view line, char decimal) noexcept;

/// A header that stands in a comment, as numpy and gnuplot write it, without the # before it.
struct CommentedHeader {
    std::string text;
    Position at;
};

class CsvReader final : public RowReader {
  public:
    /// Reads the header, or counts the cells of the first row. Throws what open_rows() throws.
    CsvReader(std::unique_ptr<Records> records, const Dialect& dialect, char delimiter,
              const std::optional<CommentedHeader>& header = std::nullopt);

    [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }
    void want(std::vector<std::size_t> numbers, std::vector<std::size_t> texts) override;
    [[nodiscard]] bool next(Row& row) override;
    [[nodiscard]] Position position() const override { return records_->position(); }
    void skip_to(Position position) override { records_->skip_to(position); }
    [[nodiscard]] const ByteSource& source() const override { return records_->source(); }

  private:
    using Record = Records::Record;

    void name_columns(const Record& record);
    template <bool kBlanks>
    void read_plain(const Record& record, Row& row);
    void read_quoted(const Record& record, Row& row);
    void put(std::string_view cell, std::size_t column, const Record& record, Row& row);
    void check_width(const Record& record);

    std::unique_ptr<Records> records_;
    CellReader cells_;
    char delimiter_;
    bool has_header_;
    std::vector<std::string> columns_;
    Wanted wanted_;
    std::string room_;  ///< for a cell with quotes in it
};

}  // namespace sluice::io
