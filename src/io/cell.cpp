#include "cell.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <system_error>

namespace sluice::io {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Signs for "no value" that programs write and that are not in the usual list, in lower case.
constexpr std::array<std::string_view, 31> kMissingSigns = {
    "-",    "--",   "---",    "?",       ".",       "..",    "*",     "**",      "***",     "_",      "na",
    "n/a",  "n.a.", "nan",    "-nan",    "null",    "nil",   "none",  "missing", "no data", "nodata", "no value",
    "#n/a", "#na",  "#null!", "#value!", "#div/0!", "#num!", "#ref!", "<na>",    "(null)"};

bool stands_for_missing(std::string_view cell) {
    std::string lower(cell);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(kMissingSigns, lower) != kMissingSigns.end();
}

// Whether the cell is a number with this decimal mark, and has the mark once.
bool is_number_with(std::string_view cell, char mark) {
    if (std::ranges::count(cell, mark) != 1) {
        return false;
    }
    Dialect dialect;
    dialect.decimal = mark;
    double value = 0.0;
    return CellReader(dialect).read(cell, value) == CellReader::Fault::none;
}

}  // namespace

CellReader::CellReader(const Dialect& dialect) : options_(fast_float::chars_format::general, dialect.decimal) {
    for (const std::string& marker : dialect.missing) {
        double value = 0.0;
        if (read(marker, value) == Fault::none && !std::isnan(value)) {
            missing_numbers_.push_back(value);
        }
    }
    missing_texts_ = dialect.missing;
}

CellReader::Fault CellReader::read(std::string_view cell, double& value) const {
    if (is_missing_text(cell)) {
        value = kMissing;
        return Fault::none;
    }
    std::string_view number = cell;
    if (number.size() > 1 && number.front() == '+' && number[1] != '-') {
        number.remove_prefix(1);
    }
    const char* const last = number.data() + number.size();
    value = 0.0;
    // The error code is not used: a number out of range is recognised by its value, and one that is too small is 0.
    if (fast_float::from_chars_advanced(number.data(), last, value, options_).ptr != last || std::isnan(value)) {
        return Fault::not_a_number;
    }
    if (std::isinf(value)) {
        const bool spelt = number.find_first_of("0123456789") == std::string_view::npos;
        return spelt ? Fault::infinite : Fault::too_large;
    }
    hide_missing(value);
    return Fault::none;
}

CellTrouble trouble_of(CellReader::Fault fault, std::string_view cell, char decimal, char delimiter) {
    if (fault == CellReader::Fault::infinite || fault == CellReader::Fault::too_large) {
        return {.reason = fault == CellReader::Fault::infinite ? "is infinite" : "is too large for a number",
                .remedies = {Remedy::mark_missing, Remedy::skip_bad_rows}};
    }
    const char other = decimal == '.' ? ',' : '.';
    if (is_number_with(cell, other)) {
        if (delimiter == '\0') {
            return {.reason = "has a decimal comma: numbers in JSON need a decimal point",
                    .remedies = {Remedy::correct_row, Remedy::skip_bad_rows}};
        }
        if (delimiter == other) {
            return {.reason =
                        "has a decimal comma, and the comma also separates the cells: write the number with a "
                        "decimal point, or separate the cells with semicolons",
                    .remedies = {}};
        }
        return {.reason = fmt::format("is not a number with a decimal {}", decimal == '.' ? "point" : "comma"),
                .remedies = {other == ',' ? Remedy::use_decimal_comma : Remedy::use_decimal_point}};
    }
    if (stands_for_missing(cell)) {
        return {.reason = "is not a number", .remedies = {Remedy::mark_missing, Remedy::skip_bad_rows}};
    }
    return {.reason = "is not a number",
            .remedies = {Remedy::ignore_column, Remedy::name_time_column, Remedy::mark_missing}};
}

}  // namespace sluice::io
