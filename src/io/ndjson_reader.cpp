#include "ndjson_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "cell_cursor.hpp"
#include "open_ndjson.hpp"

namespace sluice::io {

namespace json = simdjson::ondemand;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
constexpr std::size_t kDeepest = 16;  // objects within objects; what is deeper is one value

std::string_view without_space(std::string_view token) noexcept {
    const std::size_t last = token.find_last_not_of(" \t\r\n");
    return token.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::unique_ptr<RowReader> open_ndjson(std::unique_ptr<Records> records, const Dialect& dialect) {
    return std::make_unique<NdjsonReader>(std::move(records), dialect);
}

NdjsonReader::NdjsonReader(std::unique_ptr<Records> records, const Dialect& dialect)
    : records_(std::move(records)),
      cells_([&] {
          Dialect plain = dialect;
          plain.decimal = '.';
          return CellReader(plain);
      }()),
      strict_(dialect.strict_columns) {
    Record first;
    if (!records_->next(first, false)) {
        throw DataError(fmt::format("{}: has no rows", source().name()));
    }
    name_columns(first, dialect.known_columns);
    met_.resize(columns_.size());
    wanted_ = Wanted(columns_.size(), {}, {});
}

void NdjsonReader::want(std::vector<std::size_t> numbers, std::vector<std::size_t> texts) {
    wanted_ = Wanted(columns_.size(), numbers, texts);
}

void NdjsonReader::name_columns(const Record& record, const std::vector<std::string>& known) {
    json::document document = parsed(record);
    json::json_type type{};
    check(document.type().get(type), record);
    if (type == json::json_type::array) {
        arrays_ = true;
        json::array array;
        check(document.get_array().get(array), record);
        for (auto element : array) {
            json::value value;
            check(element.get(value), record);
            columns_.push_back(fmt::format("c{}", columns_.size() + 1));
        }
    } else if (type == json::json_type::object) {
        json::object object;
        check(document.get_object().get(object), record);
        path_.clear();
        name_fields(object, record, 0);
        if (!strict_ && !known.empty()) {
            require_known(known, record);
            columns_ = known;
        }
        places_.reserve(columns_.size());
        for (std::size_t place = 0; place < columns_.size(); ++place) {
            if (const auto [other, is_new] = places_.try_emplace(columns_[place], place); !is_new) {
                throw records_->error(
                    record.at, columns_[place], "",
                    fmt::format("is the key of values {} and {}: keys must differ", other->second + 1, place + 1));
            }
        }
    } else {
        refuse_malformed(record, "it is neither an object nor an array");
    }
    expect_end(document, record);
    if (columns_.empty()) {
        throw records_->error(record.at, "", "", "has no values: the first row must name the columns");
    }
}

// Appends the names of an object's values to the columns.
void NdjsonReader::name_fields(Object object, const Record& record, std::size_t depth) {
    for (auto member : object) {
        json::field field;
        std::string_view key;
        check(std::move(member).get(field), record);
        check(field.unescaped_key().get(key), record);
        const std::size_t around = path_.size();
        const std::string_view name = name_of_value(key, depth);
        json::value value = field.value();
        if (!strict_ && depth + 1 < kDeepest && value.raw_json_token().starts_with('{')) {
            json::object inner;
            check(value.get_object().get(inner), record);
            if (depth == 0) {
                path_.assign(key);
            }
            name_fields(inner, record, depth + 1);
        } else {
            columns_.emplace_back(name);
        }
        path_.resize(around);
    }
}

// Columns may have vanished while nobody read, but this may also be another input.
void NdjsonReader::require_known(const std::vector<std::string>& known, const Record& record) const {
    const std::unordered_set<std::string_view> here(columns_.begin(), columns_.end());
    const auto found = std::ranges::count_if(known, [&](const std::string& name) { return here.contains(name); });
    if (static_cast<std::size_t>(found) < known.size() - static_cast<std::size_t>(found)) {
        throw records_->error(
            record.at, "", "",
            fmt::format("has {} of the {} columns that are known: is it the same input?", found, known.size()));
    }
}

bool NdjsonReader::next(Row& row) {
    Record record;
    if (!records_->next(record)) {
        return false;
    }
    wanted_.prepare(row);
    row.at = record.at;
    json::document document = parsed(record);
    if (arrays_) {
        read_array(document, record, row);
    } else {
        read_object(document, record, row);
    }
    expect_end(document, record);
    wanted_.finish(row);
    return true;
}

json::document NdjsonReader::parsed(const Record& record) {
    json::document document;
    // The buffer has the padding after its content that simdjson needs.
    check(parser_.iterate(record.text.data(), record.text.size(), record.text.size() + LineBuffer::kPadding)
              .get(document),
          record);
    return document;
}

void NdjsonReader::read_array(json::document& document, const Record& record, Row& row) {
    json::array array;
    if (document.get_array().get(array) != simdjson::SUCCESS) {
        refuse_malformed(record, "the first row is an array, and this is not");
    }
    std::size_t column = 0;
    for (auto element : array) {
        json::value value;
        check(element.get(value), record);
        if (column < columns_.size()) {
            put(value, column, record, row);
        }
        ++column;
    }
    if (column != columns_.size()) {
        throw records_->error(
            record.at, "", "",
            fmt::format("has {} value{}, the first row has {}", column, column == 1 ? "" : "s", columns_.size()),
            {Remedy::correct_row, Remedy::skip_bad_rows});
    }
}

void NdjsonReader::read_object(json::document& document, const Record& record, Row& row) {
    json::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) {
        refuse_malformed(record, "the first row is an object, and this is not");
    }
    std::ranges::fill(row.numbers, kMissing);
    for (std::string& text : row.texts) {
        text.clear();
    }
    ++row_;
    expected_ = 0;
    path_.clear();
    read_fields(object, record, row, 0);
}

void NdjsonReader::read_fields(Object object, const Record& record, Row& row, std::size_t depth) {
    for (auto member : object) {
        json::field field;
        std::string_view key;
        check(std::move(member).get(field), record);
        check(field.unescaped_key().get(key), record);
        const std::size_t around = path_.size();
        const std::string_view name = name_of_value(key, depth);
        json::value value = field.value();
        if (!strict_ && depth + 1 < kDeepest && value.raw_json_token().starts_with('{')) {
            json::object inner;
            check(value.get_object().get(inner), record);
            if (depth == 0) {
                path_.assign(key);
            }
            read_fields(inner, record, row, depth + 1);
            path_.resize(around);
            continue;
        }
        const std::size_t column = place_of(name);
        if (column == kNoColumn) {
            note_new(name, value, record);
            path_.resize(around);
            continue;
        }
        path_.resize(around);
        if (std::exchange(met_[column], row_) == row_) {
            throw records_->error(record.at, columns_[column], "", "is a key that occurs twice in the row",
                                  {Remedy::correct_row, Remedy::skip_bad_rows});
        }
        put(value, column, record, row);
        expected_ = column + 1;
    }
}

// The name of a value: its key, after those of the objects around it, which path_ has.
std::string_view NdjsonReader::name_of_value(std::string_view key, std::size_t depth) {
    if (depth == 0) {
        return key;
    }
    path_ += '.';
    path_ += key;
    return path_;
}

// Keys mostly come in the order of the first row.
std::size_t NdjsonReader::place_of(std::string_view key) const {
    if (expected_ < columns_.size() && columns_[expected_] == key) {
        return expected_;
    }
    const auto found = places_.find(key);
    return found == places_.end() ? kNoColumn : found->second;
}

// A key that the first row does not have. Without a value it is no news.
void NdjsonReader::note_new(std::string_view key, Value value, const Record& record) {
    if (strict_) {
        throw records_->error(record.at, "", key,
                              "is a key that the first row does not have: the first row must have all keys, with null "
                              "where there is no value",
                              {Remedy::skip_bad_rows});
    }
    if (new_fields_.size() < kMostNewFields && key.size() <= kLongestFieldName &&
        without_space(value.raw_json_token()) != "null" && !new_names_.contains(key)) {
        new_fields_.emplace_back(key);
        new_names_.emplace(key);
    }
}

void NdjsonReader::put(Value value, std::size_t column, const Record& record, Row& row) {
    const Wanted::Column& to = wanted_.columns()[column];
    if (to.number == Wanted::kNot && to.text == Wanted::kNot) {
        return;
    }
    std::string_view token = without_space(value.raw_json_token());
    if (token.starts_with('{') || token.starts_with('[')) {
        put_nested(value, column, record, row);
        return;
    }
    double number = kMissing;
    auto fault = CellReader::Fault::none;
    if (token.starts_with('"')) {
        check(value.get_string().get(token), record);
        fault = cells_.read(trimmed(token, '\0'), number);
    } else if (token == "null") {
        token = {};
    } else if (token == "true" || token == "false") {
        number = token == "true" ? 1.0 : 0.0;
    } else {  // NaN is not JSON, but Python writes it: it is read as in a CSV cell
        fault = cells_.read(token, number);
        if (fault == CellReader::Fault::not_a_number) {
            refuse_malformed(record, "a value is not valid JSON");
        }
    }
    if (to.number != Wanted::kNot) {
        if (fault != CellReader::Fault::none && to.tolerant) {
            Wanted::put_unreadable(row, to.number, token);
            return;
        }
        if (fault != CellReader::Fault::none) {
            const CellTrouble trouble = trouble_of(fault, token, cells_.decimal(), '\0');
            throw records_->error(record.at, columns_[column], token, trouble.reason, trouble.remedies);
        }
        row.numbers[to.number] = number;
    }
    if (to.text != Wanted::kNot) {
        row.texts[to.text].assign(token);
    }
}

void NdjsonReader::put_nested(Value value, std::size_t column, const Record& record, Row& row) {
    const Wanted::Column& to = wanted_.columns()[column];
    if (to.number != Wanted::kNot && to.tolerant) {
        Wanted::put_unreadable(row, to.number, without_space(value.raw_json_token()));
        return;
    }
    if (to.number != Wanted::kNot) {
        throw records_->error(record.at, columns_[column], value.raw_json_token(),
                              "is a list or an object, and a number is needed", {Remedy::ignore_column});
    }
    std::string_view whole;
    json::json_type type{};
    check(value.type().get(type), record);
    if (type == json::json_type::array) {
        json::array array;
        check(value.get_array().get(array), record);
        check(array.raw_json().get(whole), record);
    } else {
        json::object object;
        check(value.get_object().get(object), record);
        check(object.raw_json().get(whole), record);
    }
    row.texts[to.text].assign(whole);
}

void NdjsonReader::expect_end(json::document& document, const Record& record) {
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
        refuse_malformed(record, "text follows after the value");
    }
}

void NdjsonReader::check(simdjson::error_code error, const Record& record) const {
    if (error != simdjson::SUCCESS) {
        refuse_malformed(record, simdjson::error_message(error));
    }
}

void NdjsonReader::refuse_malformed(const Record& record, const char* why) const {
    throw records_->error(record.at, "", record.text,
                          fmt::format("is not a row of JSON ({}): each line must be one object or one array", why),
                          {Remedy::correct_row, Remedy::skip_bad_rows});
}

}  // namespace sluice::io
