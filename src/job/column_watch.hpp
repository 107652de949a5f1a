// column_watch.hpp -- notices columns that lose their values, turn to text, return or are new, and says so once.
//
// A column is known once it has held kKnown numbers. Before that a text in it is an error: perhaps the decimal mark is
// another one, or a marker of missing values is not listed. After that a text counts as missing, and the column has
// vanished from its first text on.
//
// A known column has vanished too when it had no value in the last kAbsent rows and lacked one in at most kMayLack of the
// kBefore rows before those. A column that often has no value never meets that: its gaps are no news.
//
// A column that the header of a new file does not have (RowReader::absent) has vanished with the first row of that file.
//
// A column that has vanished has returned when each of the last kReturned rows has a number.
//
// All this follows from the rows alone, and the state is part of the checkpoint: a resumed run says the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event_log.hpp"
#include "model_events.hpp"
#include "row_reader.hpp"
#include "sluice/model_file.hpp"

namespace sluice::job {

/// What an input says of its columns, beside its rows: see RowReader.
struct ColumnNews {
    std::span<const std::string> new_fields;
    std::span<const std::size_t> absent;
};

class ColumnWatch {
  public:
    ColumnWatch() = default;
    /// In the order of Row::numbers: the inputs, then the targets unless these are in a file of their own.
    explicit ColumnWatch(const Roles& roles, bool without_targets = false);

    /// Call it after RowReader::want(). With `strict`, a text is an error in every column.
    void begin(io::RowReader& reader, bool strict);
    /// After each row: `row` is null where it could not be read.
    void after_row(const io::Row* row, io::RowReader& reader, const EventRow& at, EventLog& events);

    /// The same for whoever reads rows otherwise. after_row() returns the columns that are known from now on.
    void begin(bool strict);
    std::span<const std::size_t> after_row(const io::Row* row, const ColumnNews& news, const EventRow& at,
                                           EventLog& events);
    /// Whether a text in this column counts as missing.
    [[nodiscard]] bool tolerates(std::size_t number) const { return !strict_ && columns_[number].numbers == kKnown; }

    [[nodiscard]] std::size_t vanished() const noexcept { return vanished_; }       ///< columns that are missing now
    [[nodiscard]] std::size_t ignored() const noexcept { return ignored_.size(); }  ///< new fields

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

    static constexpr std::uint8_t kKnown = 20;
    static constexpr int kAbsent = 16;
    static constexpr int kBefore = 48;
    static constexpr int kMayLack = 2;
    static constexpr int kReturned = 8;

  private:
    enum class Status : std::uint8_t { present, absent, text };
    static constexpr std::uint64_t kAlways = ~std::uint64_t{0};
    struct Column {
        std::uint64_t recent = kAlways;  // one bit per row, the last row lowest: whether it had a number
        std::uint8_t numbers = 0;        // that it has held, at most kKnown
        Status status = Status::present;
    };

    void announce_new(std::span<const std::string> new_fields, const EventRow& at, EventLog& events);
    [[nodiscard]] Event event_of(EventKind kind, const std::vector<std::size_t>& columns, const EventRow& at,
                                 std::string_view one, std::string_view several) const;

    std::vector<std::string> names_;
    bool strict_ = false;
    std::vector<Column> columns_;
    bool all_ordinary_ = false;  // each is there, is known, and has had a number in every row that it remembers
    std::size_t vanished_ = 0;
    std::vector<std::string> ignored_;
    std::size_t seen_fields_ = 0;  // of the reader's list of new fields
    std::vector<std::size_t> gone_, absent_, text_, returned_, known_;
};

}  // namespace sluice::job
