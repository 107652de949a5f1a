// row_reader.hpp -- rows of numbers out of bytes: CSV, TSV, blanks, NDJSON.
//
//     auto reader = open_rows(open_source("data.csv"), {});
//     reader->want(numbers, texts);               // by position in reader->columns()
//     while (reader->next(row)) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "remedy.hpp"
#include "sluice/error.hpp"
#include "source.hpp"
#include "text_mark.hpp"

namespace sluice::io {

/// How the text is read. The defaults read what most programs write.
struct Dialect {
    enum class Kind { automatic, csv, ndjson };
    enum class Header { yes, no };

    Kind kind = Kind::automatic;                   ///< automatic: NDJSON where the first character is { or [
    Header header = Header::yes;                   ///< no: columns are called c1, c2, ...
    std::optional<char> delimiter = std::nullopt;  ///< ' ' means runs of blanks; empty: taken from the first line
    char decimal = '.';                            ///< or ','
    std::size_t skip = 0;                          ///< lines before the header, or before the data without one
    /// Cells that mean "missing", in addition to the empty one and JSON's null. One that is a number is compared as a number.
    std::vector<std::string> missing = {"NA", "N/A", "NaN", "nan", "null", "NULL"};
    /// Lines that begin with this text are skipped; empty: none. Lines before the header that begin with # always are.
    std::string comment = {};
    /// Of the file that this one continues. A first line that is a row of these columns is not a header. Empty: none.
    std::vector<std::string> columns_before = {};
    std::size_t longest_row = std::size_t{64}
                              << 20U;  ///< bytes of one row: more is an error, so that memory is bounded
    /// NDJSON: a nested object is one value, and a key that the first row does not have is an error. Otherwise nested
    /// objects are flattened, {"a":{"b":1}} to the column a.b, and new keys are ignored (RowReader::new_fields).
    bool strict_columns = false;
    /// NDJSON objects, unless columns are strict: the columns, where they are known before the first row is read.
    std::vector<std::string> known_columns = {};
};

/// A position of the reader. Bytes and lines count from the start of the (decompressed) text; lines from 1.
struct Position {
    std::uint64_t line = 1;
    std::uint64_t byte = 0;
    friend bool operator==(const Position&, const Position&) = default;
};

/// One row that cannot be used. The reader is then at the next row and can continue.
class RowError : public DataError, public Remedied {
  public:
    RowError(std::string source, Position at, std::string column, std::string value, std::string reason,
             Remedies remedies = {});
    [[nodiscard]] const std::string& source() const noexcept { return source_; }
    [[nodiscard]] Position at() const noexcept { return at_; }
    [[nodiscard]] const std::string& column() const noexcept { return column_; }  ///< empty: the row as a whole
    [[nodiscard]] const std::string& value() const noexcept { return value_; }    ///< shortened where it is long
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }  ///< what is wrong

  private:
    std::string source_;
    Position at_;
    std::string column_;
    std::string value_;
    std::string reason_;
};

struct Row {
    std::vector<double> numbers;     ///< of the columns wanted as numbers, in that order; NaN is missing
    std::vector<std::string> texts;  ///< of the columns wanted as text
    Position at;                     ///< where the row begins
    /// Places in `numbers` whose cell is not a number, in columns for which that is tolerated.
    std::vector<std::size_t> unreadable;
    std::string unreadable_value;  ///< the text of the first of them, shortened where it is long
};

class RowReader {
  public:
    RowReader() = default;
    virtual ~RowReader() = default;
    RowReader(const RowReader&) = delete;
    RowReader& operator=(const RowReader&) = delete;
    RowReader(RowReader&&) = delete;
    RowReader& operator=(RowReader&&) = delete;

    [[nodiscard]] virtual const std::vector<std::string>& columns() const = 0;
    /// Which columns are read; other cells are not parsed. A column may be wanted both as number and as text.
    virtual void want(std::vector<std::size_t> numbers, std::vector<std::size_t> texts) = 0;
    /// The next row; false at the end. Throws RowError for a bad one, SourceError where the source fails.
    /// Nothing is allocated per row once the row's vectors have their size.
    [[nodiscard]] virtual bool next(Row& row) = 0;
    /// From now on a cell of this place in Row::numbers that is not a number is missing, and is listed in the row.
    virtual void tolerate(std::size_t number) = 0;
    /// Keys that were ignored because the first row does not have them, in the order in which they were first met. At most
    /// kMostNewFields, and none whose name is longer than kLongestFieldName.
    [[nodiscard]] virtual std::span<const std::string> new_fields() const { return {}; }
    /// Places in Row::numbers whose column the input does not have at all: they are missing in every row.
    [[nodiscard]] virtual std::span<const std::size_t> absent() const { return {}; }
    /// The text of the row that was read last, good or bad, without its line end; the beginning of one that is too long.
    [[nodiscard]] virtual std::string_view row_text() const = 0;
    /// Where the next row begins; blank lines may come before it.
    [[nodiscard]] virtual Position position() const = 0;
    /// Hashes of the text before position(), by which it is recognised later.
    [[nodiscard]] virtual TextMark mark() const = 0;
    /// Continues at a position that position() returned for this text. mark() is then as it was there, if `tail` is the
    /// mark's tail_bytes and the text is the same. Throws SourceError where the text is shorter.
    virtual void skip_to(Position position, std::uint64_t tail) = 0;
    void skip_to(Position position) { skip_to(position, 0); }
    [[nodiscard]] virtual const ByteSource& source() const = 0;

    static constexpr std::size_t kMostNewFields = 1000;
    static constexpr std::size_t kLongestFieldName = 1000;
};

/// Reads until the names of the columns are known. Lines end with LF, CR LF, or, where the text begins so, with CR alone.
/// Names and texts that are not UTF-8 are read as Windows-1252 and converted. Lines that begin with # before the header
/// are comments; the last of them is the header where a row with numbers and as many cells follows. Throws RowError for a header that cannot be used (a name twice, ...),
/// SourceError, and DataError for an empty input or UTF-16.
[[nodiscard]] std::unique_ptr<RowReader> open_rows(std::unique_ptr<ByteSource> source, const Dialect& dialect);

/// Throws OptionError where the delimiter or the decimal point cannot be used.
void check_dialect(const Dialect& dialect);

}  // namespace sluice::io
