// cell.hpp -- one cell of text to a number.
#pragma once

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "row_reader.hpp"
#include "short_number.hpp"

namespace sluice::io {

class CellReader {
  public:
    enum class Fault { none, not_a_number, infinite, too_large };

    explicit CellReader(const Dialect& dialect);

    /// Reads a cell without blanks around it; the value is NaN where it is missing.
    [[nodiscard]] Fault read(std::string_view cell, double& value) const;

    /// Reads a number at `first` and returns its end; null for anything unusual, which read() handles. Accesses
    /// kShortNumberReach bytes, also beyond `last`, where there must be no digit.
    [[nodiscard]] const char* quick(const char* first, const char* last, double& value) const noexcept {
        const char* end = read_short_number(first, options_.decimal_point, value);
        if (end == nullptr || (end != last && (*end == 'e' || *end == 'E' || (*end >= '0' && *end <= '9')))) {
            const auto [far_end, error] = fast_float::from_chars_advanced(first, last, value, options_);
            if (error != std::errc() || !std::isfinite(value)) {
                return nullptr;
            }
            end = far_end;
        }
        if (!missing_numbers_.empty()) {
            hide_missing(value);
        }
        return end;
    }

    [[nodiscard]] char decimal() const noexcept { return options_.decimal_point; }

    [[nodiscard]] bool is_missing_text(std::string_view cell) const noexcept {
        return cell.empty() || std::ranges::find(missing_texts_, cell) != missing_texts_.end();
    }

  private:
    void hide_missing(double& value) const noexcept {
        if (std::ranges::find(missing_numbers_, value) != missing_numbers_.end()) {
            value = std::numeric_limits<double>::quiet_NaN();
        }
    }

    fast_float::parse_options options_;
    std::vector<std::string> missing_texts_;
    std::vector<double> missing_numbers_;
};

/// What is wrong with a cell, and what can be done about it, for a RowError.
struct CellTrouble {
    std::string reason;
    Remedies remedies;
};

/// The remedy follows from what the cell looks like: a number with the other decimal mark, a usual sign for "missing", or
/// other text. `delimiter` is that of the cells, from which a decimal mark must differ; '\0' in JSON, whose decimal mark is fixed.
[[nodiscard]] CellTrouble trouble_of(CellReader::Fault fault, std::string_view cell, char decimal, char delimiter);

}  // namespace sluice::io
