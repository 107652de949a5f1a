// open_rows.cpp -- which reader a text needs, and with which delimiter.
#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <utility>

#include "csv_reader.hpp"
#include "ndjson_reader.hpp"
#include "row_reader.hpp"

namespace sluice::io {

namespace {

void check(const Dialect& dialect) {
    std::vector<std::string> problems;
    if (dialect.decimal != '.' && dialect.decimal != ',') {
        problems.emplace_back("the decimal point must be . or ,");
    }
    if (dialect.delimiter) {
        const char c = *dialect.delimiter;
        constexpr std::string_view taken = "\"\r\n+-.";
        if (c == dialect.decimal) {
            problems.emplace_back("the delimiter and the decimal point must differ");
        } else if (c == '\0' || taken.find(c) != std::string_view::npos ||
                   std::isalnum(static_cast<unsigned char>(c)) != 0) {
            problems.emplace_back(
                "the delimiter must not be a quote, a line end, or a character that occurs in numbers");
        }
    }
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
}

bool looks_like_json(std::string_view line) noexcept {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != std::string_view::npos && (line[first] == '{' || line[first] == '[');
}

}  // namespace

std::unique_ptr<RowReader> open_rows(std::unique_ptr<ByteSource> source, const Dialect& dialect) {
    check(dialect);
    const std::string name = source->name();
    auto records = std::make_unique<Records>(std::move(source), dialect);
    if (dialect.delimiter && dialect.kind != Dialect::Kind::ndjson) {
        records->enable_quotes(*dialect.delimiter);
    }
    const auto line = records->peek_line();
    if (!line) {
        throw DataError(fmt::format("{}: has no rows", name));
    }
    const bool ndjson =
        dialect.kind == Dialect::Kind::ndjson || (dialect.kind == Dialect::Kind::automatic && looks_like_json(*line));
    if (ndjson) {
        return std::make_unique<NdjsonReader>(std::move(records), dialect);
    }
    const char delimiter = dialect.delimiter.value_or(find_delimiter(*line, dialect.decimal));
    return std::make_unique<CsvReader>(std::move(records), dialect, delimiter);
}

}  // namespace sluice::io
