// open_rows.cpp -- which reader a text needs, and with which delimiter.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "cell_cursor.hpp"
#include "csv_reader.hpp"
#include "open_ndjson.hpp"
#include "row_reader.hpp"

namespace sluice::io {

namespace {

bool looks_like_json(std::string_view line) noexcept {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != std::string_view::npos && (line[first] == '{' || line[first] == '[');
}

bool is_comment(std::string_view line, const Dialect& dialect) noexcept {
    return line.starts_with('#') || (!dialect.comment.empty() && line.starts_with(dialect.comment));
}

struct CellCounts {
    std::size_t cells = 0;
    std::size_t numbers = 0;
    bool first_is_empty = true;
};

CellCounts count_cells(std::string_view line, char delimiter, const Dialect& dialect) {
    const CellReader reader(dialect);
    std::string room;
    CellCounts counts;
    CellCursor cursor(line, delimiter, room);
    for (std::string_view cell; cursor.next(cell); ++counts.cells) {
        double value = 0.0;
        counts.numbers += !cell.empty() && reader.read(cell, value) == CellReader::Fault::none ? 1U : 0U;
        counts.first_is_empty = counts.first_is_empty && (counts.cells > 0 || cell.empty());
    }
    return counts;
}

// The header in a comment, where the line after it is a row: it has numbers, and as many cells.
std::optional<CommentedHeader> header_in(const CommentedHeader& comment, std::string_view line, char delimiter,
                                         const Dialect& dialect) {
    const std::string_view whole = comment.text;
    std::string_view text = whole;
    const std::size_t mark = whole.starts_with('#') ? 1 : dialect.comment.size();
    text.remove_prefix(std::min(mark, text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(" #"), text.size()));
    const CellCounts row = count_cells(line, delimiter, dialect);
    const auto is_header = [&](const CellCounts& counts) {
        return counts.cells == row.cells && !counts.first_is_empty;
    };
    if (row.cells < 2 || row.numbers == 0) {
        return std::nullopt;
    }
    if (is_header(count_cells(text, delimiter, dialect))) {
        return CommentedHeader{.text = std::string(text), .at = comment.at};
    }
    if (is_header(count_cells(whole, delimiter, dialect))) {
        return comment;  // the first column is called #
    }
    return std::nullopt;
}

}  // namespace

std::unique_ptr<RowReader> open_rows(std::unique_ptr<ByteSource> source, const Dialect& dialect) {
    check_dialect(dialect);
    const std::string name = source->name();
    auto records = std::make_unique<Records>(std::move(source), dialect);
    if (dialect.delimiter && dialect.kind != Dialect::Kind::ndjson) {
        records->enable_quotes(*dialect.delimiter);
    }
    std::optional<CommentedHeader> comment;
    auto line = records->peek_line();
    while (line && is_comment(*line, dialect) && dialect.kind != Dialect::Kind::ndjson) {
        comment = {.text = std::string(*line), .at = records->position()};
        records->drop_line();
        line = records->peek_line();
    }
    records->skip_comments(dialect.comment);
    if (!line) {
        throw DataError(fmt::format("{}: has no rows", name));
    }
    const bool ndjson =
        dialect.kind == Dialect::Kind::ndjson || (dialect.kind == Dialect::Kind::automatic && looks_like_json(*line));
    if (ndjson) {
        return open_ndjson(std::move(records), dialect);
    }
    const char delimiter = dialect.delimiter.value_or(find_delimiter(*line, dialect.decimal));
    if (comment && dialect.header == Dialect::Header::yes) {
        comment = header_in(*comment, *line, delimiter, dialect);
        return std::make_unique<CsvReader>(std::move(records), dialect, delimiter, comment);
    }
    return std::make_unique<CsvReader>(std::move(records), dialect, delimiter);
}

}  // namespace sluice::io
