#include "row_reader.hpp"

#include <fmt/format.h>

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

}  // namespace sluice::io
