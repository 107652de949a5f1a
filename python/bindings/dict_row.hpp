// dict_row.hpp -- a Python dict becomes a row of numbers, each at the place of its key.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::python {

/// Throws what Python does where a text has no UTF-8 form.
[[nodiscard]] std::string utf8(const nanobind::str& text);
/// As Python writes it.
[[nodiscard]] std::string quoted(nanobind::handle object);

/// Where a value comes from, for errors: x['temperature'], or x alone.
struct Place {
    const char* table = "x";
    nanobind::handle key = {};  ///< none: the table's name says it all

    [[nodiscard]] std::string text() const;
};

/// A Python value as a number: float, int, bool, those of numpy; None, pandas' NA and NaN are missing (NaN).
class Numbers {
  public:
    Numbers();
    /// Throws TypeError for what is no number, DataError for what is infinite.
    [[nodiscard]] double read(nanobind::handle value, const Place& place);

  private:
    [[nodiscard]] double read_other(nanobind::handle value, const Place& place);

    nanobind::tuple numpy_;             // numpy.floating, numpy.integer, numpy.bool
    nanobind::object span_of_time_;     // numpy.timedelta64, which is a numpy.integer
    nanobind::object last_numpy_type_;  // a type of numpy_: rows tend to have one
};

/// A row of the columns 0 to width - 1. The keys of a row are looked up, unless they are the objects of the last row in
/// the same order.
class DictRow {
  public:
    static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

    /// columns: key -> number of the column. texts: columns that are also found by the text of another key, as those
    /// of a file are. Throws DataError.
    DictRow(const char* table, const nanobind::dict& columns, const nanobind::dict& texts, std::size_t width);

    /// Reads all values. Columns without a key are NaN. Returns whether every key has a column.
    bool read(nanobind::handle row, Numbers& numbers);

    /// kUnknown where there is none. Throws what the key's comparison throws.
    [[nodiscard]] std::size_t find(nanobind::handle key) const;

    [[nodiscard]] std::vector<double>& values() noexcept { return values_; }
    [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }

  private:
    struct Known {
        nanobind::object key;
        std::size_t column = kUnknown;
    };
    std::size_t look_up(nanobind::handle key, std::size_t at);
    /// Throws DataError for the second key of a column.
    void put(std::size_t column, double value, nanobind::handle key);

    const char* table_;
    nanobind::dict columns_;
    nanobind::dict texts_;
    std::vector<double> values_;
    std::vector<std::uint64_t> met_;  // for each column the last row that had it
    std::uint64_t rows_ = 0;          // read
    std::vector<Known> last_;         // the keys of the last row, as many as there are columns
};

/// The row itself, or a dict with the items of another mapping. Throws TypeError.
[[nodiscard]] nanobind::object as_dict(nanobind::handle row, const char* table);

}  // namespace sluice::python
