// records.hpp -- cuts a text into records, each with one row of the input.
//
// A record is a line without its end; where quotes are enabled it continues while a quote is open. Blank lines and
// comments are skipped. Lines end with LF; with CR where the first line does and no LF follows it. The memory is bounded by the longest allowed record.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "line_buffer.hpp"
#include "row_reader.hpp"

namespace sluice::io {

/// Blanks and tabs, except where the tab is the delimiter.
[[nodiscard]] inline bool is_blank(char c, char delimiter) noexcept {
    return c == ' ' || (c == '\t' && delimiter != '\t');
}

/// Whether a cell ends at `c`.
[[nodiscard]] inline bool ends_cell(char c, char delimiter) noexcept {
    return c == delimiter || (delimiter == ' ' && c == '\t');
}

class Records {
  public:
    struct Record {
        std::string_view text;  ///< valid until the next call
        Position at;
        bool quoted = false;  ///< whether there is a quote in it
    };

    Records(std::unique_ptr<ByteSource> source, const Dialect& dialect);

    /// The first line that is not blank, without consuming it; nothing at the end. Shows what kind of text it is.
    [[nodiscard]] std::optional<std::string_view> peek_line();
    /// Consumes the line that peek_line() returned.
    void drop_line();
    /// From now on lines that begin with this text are skipped; none where it is empty.
    void skip_comments(const std::string& begin) { comment_ = begin; }
    /// From now on `"` begins a cell in which this delimiter and line ends are text.
    void enable_quotes(char delimiter);
    /// False at the end. Throws RowError for a record that is too long, has a quote without end, or contains a NUL; the
    /// next call then continues after it. With `consume` false the next call returns the same record.
    [[nodiscard]] bool next(Record& record, bool consume = true);

    [[nodiscard]] Position position() const noexcept { return cut_off_.value_or(buffer_.position()); }
    void skip_to(Position position) { buffer_.skip_to(position); }
    [[nodiscard]] const ByteSource& source() const noexcept { return buffer_.source(); }
    /// A RowError at a place in this text; a long value is shortened.
    [[nodiscard]] RowError error(Position at, const std::string& column, std::string_view value,
                                 const std::string& reason, Remedies remedies = {}) const;

  private:
    struct Extent {
        std::size_t text = 0;     ///< bytes without the line's end
        std::size_t whole = 0;    ///< bytes with it
        std::uint64_t lines = 0;  ///< that end in it
        bool quoted = false;
    };

    void skip_lines(std::size_t count);
    void skip_byte_order_mark();
    [[noreturn]] void refuse_utf16(const char* encoding) const;
    void find_line_end();
    bool measure(Extent& extent);
    bool measure_quoted(Extent& extent);
    bool skip_rest_of_line(std::size_t from, std::uint64_t lines);
    bool is_blank_line(std::string_view line) const noexcept;
    bool is_comment(std::string_view line) const noexcept { return !comment_.empty() && line.starts_with(comment_); }

    LineBuffer buffer_;
    std::size_t longest_;
    char delimiter_ = '\0';
    char line_end_ = '\n';
    std::string comment_;
    bool quotes_ = false;
    std::optional<Position> cut_off_;  ///< where a row begins that was being skipped when reading was stopped
};

}  // namespace sluice::io
