#include "cell.hpp"

#include <system_error>

namespace sluice::io {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

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

std::string reason_of(CellReader::Fault fault) {
    switch (fault) {
        case CellReader::Fault::infinite:
            return "is infinite";
        case CellReader::Fault::too_large:
            return "is too large for a number";
        default:
            return "is not a number";
    }
}

Remedies remedies_of(CellReader::Fault fault) {
    if (fault == CellReader::Fault::not_a_number) {
        return {Remedy::ignore_column, Remedy::name_time_column, Remedy::mark_missing};
    }
    return {Remedy::mark_missing, Remedy::skip_bad_rows};
}

}  // namespace sluice::io
