// ndjson_reader.hpp -- rows that are JSON values, one to a line: objects by key, or arrays.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cell.hpp"
#include "records.hpp"
#include "row_reader.hpp"
#include "wanted.hpp"

namespace sluice::io {

/// Finds names without a copy of the text.
struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>()(name); }
};

class NdjsonReader final : public RowReader {
  public:
    /// Takes the columns from the first row. Throws what open_rows() throws.
    NdjsonReader(std::unique_ptr<Records> records, const Dialect& dialect);

    [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }
    void want(std::vector<std::size_t> numbers, std::vector<std::size_t> texts) override;
    [[nodiscard]] bool next(Row& row) override;
    void tolerate(std::size_t number) override { wanted_.tolerate(number); }
    [[nodiscard]] std::span<const std::string> new_fields() const override { return new_fields_; }
    [[nodiscard]] std::string_view row_text() const override { return records_->row_text(); }
    [[nodiscard]] Position position() const override { return records_->position(); }
    [[nodiscard]] TextMark mark() const override { return records_->mark(); }
    using RowReader::skip_to;
    void skip_to(Position position, std::uint64_t tail) override { records_->skip_to(position, tail); }
    [[nodiscard]] const ByteSource& source() const override { return records_->source(); }

  private:
    using Record = Records::Record;
    using Value = simdjson::ondemand::value;
    using Object = simdjson::ondemand::object;

    void name_columns(const Record& record, const std::vector<std::string>& known);
    void name_fields(Object object, const Record& record, std::size_t depth);
    void require_known(const std::vector<std::string>& known, const Record& record) const;
    void read_object(simdjson::ondemand::document& document, const Record& record, Row& row);
    void read_array(simdjson::ondemand::document& document, const Record& record, Row& row);
    void read_fields(Object object, const Record& record, Row& row, std::size_t depth);
    [[nodiscard]] std::size_t place_of(std::string_view key) const;
    void note_new(std::string_view key, Value value, const Record& record);
    [[nodiscard]] std::string_view name_of_value(std::string_view key, std::size_t depth);
    void put(Value value, std::size_t column, const Record& record, Row& row);
    void put_nested(Value value, std::size_t column, const Record& record, Row& row);
    [[nodiscard]] simdjson::ondemand::document parsed(const Record& record);
    void expect_end(simdjson::ondemand::document& document, const Record& record);
    void check(simdjson::error_code error, const Record& record) const;
    [[noreturn]] void refuse_malformed(const Record& record, const char* why) const;

    std::unique_ptr<Records> records_;
    CellReader cells_;
    simdjson::ondemand::parser parser_;
    bool arrays_ = false;
    bool strict_;
    std::vector<std::string> columns_;
    std::unordered_map<std::string_view, std::size_t> places_;  ///< of the names in columns_
    std::vector<std::uint64_t> met_;  ///< the number of the row in which each key was last seen
    std::uint64_t row_ = 0;
    std::size_t expected_ = 0;  ///< the column that comes next where keys are in the order of the first row
    std::string path_;          ///< keys of the objects around a value, joined by dots
    std::vector<std::string> new_fields_;
    std::unordered_set<std::string, NameHash, std::equal_to<>> new_names_;
    Wanted wanted_;
};

}  // namespace sluice::io
