#include "row_reader.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace sluice::io {

namespace {

std::string message(const std::string& source, Position at, const std::string& column, const std::string& value,
                    const std::string& reason) {
    std::string out = fmt::format("{}, line {} (byte {})", source, at.line, at.byte);
    if (!column.empty()) {
        out += fmt::format(", column {}", column);
    }
    if (!value.empty()) {
        out += fmt::format(", value \"{}\"", value);
    }
    return out + ": " + reason;
}

}  // namespace

RowError::RowError(std::string source, Position at, std::string column, std::string value, std::string reason,
                   Remedies remedies)
    : DataError(message(source, at, column, value, reason)),
      Remedied(std::move(remedies), column),
      source_(std::move(source)),
      at_(at),
      column_(std::move(column)),
      value_(std::move(value)),
      reason_(std::move(reason)) {}

void check_dialect(const Dialect& dialect) {
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

}  // namespace sluice::io
