#include "arrow_block.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "sluice/error.hpp"

namespace sluice::python {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool is_text(const ArrowSchema& column) {
    const std::string_view format = column.format == nullptr ? "" : column.format;
    return column.dictionary == nullptr && (format == "u" || format == "U");
}

std::string_view without_blanks(std::string_view cell) {
    const auto first = cell.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view()
                                           : cell.substr(first, cell.find_last_not_of(" \t\r\n") - first + 1);
}

template <typename Stored>
std::int64_t stored_integer(const ArrowArray& array, std::size_t at) {
    return static_cast<std::int64_t>(static_cast<const Stored*>(array.buffers[1])[at]);
}

}  // namespace

ArrowBlock::ArrowBlock(const ArrowSchema& schema, const ArrowArray& array, const io::Dialect& dialect)
    : schema_(schema),
      array_(array),
      cells_(dialect),
      rows_(static_cast<std::size_t>(std::max<std::int64_t>(array.length, 0))) {
    if (schema.format == nullptr || std::string_view(schema.format) != "+s" || array.n_children != schema.n_children ||
        array.length < 0 || array.offset < 0) {
        throw DataError("the rows are no Arrow record batch: give a pyarrow.RecordBatch");
    }
    for (std::int64_t j = 0; j < schema.n_children; ++j) {
        if (schema.children[j] == nullptr || array.children[j] == nullptr) {
            throw DataError("the rows are a damaged Arrow record batch (an error of the library that made it)");
        }
        names_.emplace_back(schema.children[j]->name == nullptr ? "" : schema.children[j]->name);
        if (std::count(names_.begin(), names_.end(), names_.back()) > 1) {
            throw DataError("two columns of the rows are called " + names_.back() + ": rename one");
        }
    }
}

void ArrowBlock::want(const std::vector<std::size_t>& numbers) {
    width_ = numbers.size();
    values_.assign(rows_ * width_, kMissing);
    types_.assign(width_, {});
    const auto offset = static_cast<std::size_t>(array_.offset);
    std::vector<double> column(rows_);
    for (std::size_t place = 0; place < width_; ++place) {
        const ArrowSchema& schema = *schema_.children[numbers[place]];
        const ArrowArray& array = *array_.children[numbers[place]];
        if (is_text(schema)) {
            read_texts(numbers[place], place);
            continue;
        }
        const std::string name = "column '" + names_[numbers[place]] + "'";
        types_[place] = arrow_type(schema, name);
        copy_rows({arrow_column(array, types_[place], offset, offset + rows_, name)}, rows_, column.data());
        for (std::size_t i = 0; i < rows_; ++i) {
            if (std::isinf(column[i])) {
                unreadable_.push_back({.row = i, .place = place, .value = column[i] > 0 ? "inf" : "-inf"});
            } else {
                values_[(i * width_) + place] = column[i];
            }
        }
    }
    std::ranges::stable_sort(unreadable_, {}, &TextCell::row);
}

void ArrowBlock::read_texts(std::size_t column, std::size_t place) {
    for (std::size_t i = 0; i < rows_; ++i) {
        const std::optional<std::string_view> text = text_cell(i, column);
        if (!text) {
            continue;
        }
        const std::string_view cell = without_blanks(*text);
        double value = kMissing;
        if (cells_.read(cell, value) != io::CellReader::Fault::none) {
            unreadable_.push_back({.row = i, .place = place, .value = cell.substr(0, 80)});
        } else {
            values_[(i * width_) + place] = value;
        }
    }
}

void ArrowBlock::read(std::size_t index, io::Row& row) {
    const double* const from = values_.data() + (index * width_);
    row.numbers.assign(from, from + width_);
    row.unreadable.clear();
    row.unreadable_value.clear();
    while (next_unreadable_ < unreadable_.size() && unreadable_[next_unreadable_].row < index) {
        ++next_unreadable_;
    }
    for (std::size_t i = next_unreadable_; i < unreadable_.size() && unreadable_[i].row == index; ++i) {
        if (row.unreadable.empty()) {
            row.unreadable_value = unreadable_[i].value;
        }
        row.unreadable.push_back(unreadable_[i].place);
    }
}

bool ArrowBlock::missing(std::size_t index, std::size_t column) const {
    const ArrowArray& array = *array_.children[column];
    const std::uint8_t* const valid = validity(array, names_[column]);
    return valid != nullptr &&
           !bit(valid, static_cast<std::size_t>(array_.offset) + static_cast<std::size_t>(array.offset) + index);
}

std::optional<std::string_view> ArrowBlock::text_cell(std::size_t index, std::size_t column) const {
    const ArrowArray& array = *array_.children[column];
    if (array.n_buffers != 3 || array.buffers[1] == nullptr || missing(index, column)) {
        return std::nullopt;
    }
    const std::size_t at = static_cast<std::size_t>(array_.offset) + static_cast<std::size_t>(array.offset) + index;
    const char* const bytes = static_cast<const char*>(array.buffers[2]);
    const auto cell = [&](auto begin, auto end) {
        return std::string_view(bytes + begin, static_cast<std::size_t>(end - begin));
    };
    if (*schema_.children[column]->format == 'U') {
        const auto* const ends = static_cast<const std::int64_t*>(array.buffers[1]);
        return cell(ends[at], ends[at + 1]);
    }
    const auto* const ends = static_cast<const std::int32_t*>(array.buffers[1]);
    return cell(ends[at], ends[at + 1]);
}

std::string_view ArrowBlock::text(std::size_t index, std::size_t column) {
    return is_text(*schema_.children[column]) ? text_cell(index, column).value_or("") : "";
}

std::optional<std::int64_t> ArrowBlock::sequence(std::size_t index, std::size_t column) {
    const ArrowSchema& schema = *schema_.children[column];
    const ArrowArray& array = *array_.children[column];
    if (is_text(schema)) {
        const std::string_view cell = without_blanks(text_cell(index, column).value_or(""));
        std::int64_t number = 0;
        const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
        return problem == std::errc() && end == cell.data() + cell.size() ? std::optional(number) : std::nullopt;
    }
    if (array.n_buffers != 2 || array.buffers[1] == nullptr || missing(index, column)) {
        return std::nullopt;
    }
    const std::size_t at = static_cast<std::size_t>(array_.offset) + static_cast<std::size_t>(array.offset) + index;
    const std::string_view format = schema.format;
    if (format == "l" || format == "L" || format.starts_with("ts") || format == "tdm") {
        return stored_integer<std::int64_t>(array, at);
    }
    if (format == "i" || format == "tdD") {
        return stored_integer<std::int32_t>(array, at);
    }
    if (format == "I") {
        return stored_integer<std::uint32_t>(array, at);
    }
    if (format == "s") {
        return stored_integer<std::int16_t>(array, at);
    }
    if (format == "S") {
        return stored_integer<std::uint16_t>(array, at);
    }
    if (format == "g") {
        const double number = static_cast<const double*>(array.buffers[1])[at];
        constexpr double kExact = 9007199254740992.0;  // 2^53
        if (std::abs(number) <= kExact && number == std::floor(number)) {
            return static_cast<std::int64_t>(number);
        }
    }
    return std::nullopt;
}

}  // namespace sluice::python
