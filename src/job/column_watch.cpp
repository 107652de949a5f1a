#include "column_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "json_text.hpp"
#include "names_state.hpp"
#include "state.hpp"

namespace sluice::job {

namespace {

constexpr std::size_t kNamed = 20;  // columns that one event names

constexpr std::uint64_t lowest(int bits) {
    return (std::uint64_t{1} << static_cast<unsigned>(bits)) - 1;
}

bool all_numbers(std::span<const double> values, std::size_t count) {
    int missing = 0;
    for (const double value : values.first(count)) {
        missing |= value != value ? 1 : 0;  // NOLINT(misc-redundant-expression): two at a time, unlike std::isnan
    }
    return missing == 0;
}

// On one line, so that a cell cannot control a terminal.
std::string printable(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7f'; }, ' ');
    return text;
}

}  // namespace

ColumnWatch::ColumnWatch(const Roles& roles, bool without_targets) : names_(roles.inputs) {
    if (!without_targets) {
        names_.insert(names_.end(), roles.targets.begin(), roles.targets.end());
    }
    columns_.resize(names_.size());
    static_assert(kAbsent + kBefore == 64, "the history of a column is one word");
}

void ColumnWatch::begin(bool strict) {
    strict_ = strict;
    seen_fields_ = 0;
}

void ColumnWatch::begin(io::RowReader& reader, bool strict) {
    begin(strict);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (tolerates(j)) {
            reader.tolerate(j);
        }
    }
}

void ColumnWatch::after_row(const io::Row* row, io::RowReader& reader, const EventRow& at, EventLog& events) {
    const ColumnNews news{.new_fields = reader.new_fields(), .absent = reader.absent()};
    for (const std::size_t j : after_row(row, news, at, events)) {
        reader.tolerate(j);
    }
}

std::span<const std::size_t> ColumnWatch::after_row(const io::Row* row, const ColumnNews& news, const EventRow& at,
                                                    EventLog& events) {
    for (auto* list : {&gone_, &absent_, &text_, &returned_, &known_}) {
        list->clear();
    }
    if (news.new_fields.size() > seen_fields_) {
        announce_new(news.new_fields, at, events);
    }
    if (row == nullptr) {
        return known_;
    }
    for (const std::size_t j : news.absent) {
        if (columns_[j].status == Status::present) {
            columns_[j].status = Status::absent;
            gone_.push_back(j);
        }
    }
    for (const std::size_t j : row->unreadable) {
        if (columns_[j].status == Status::present) {
            columns_[j].status = Status::text;
            text_.push_back(j);
        }
    }
    if (all_ordinary_ && gone_.empty() && text_.empty() && all_numbers(row->numbers, columns_.size())) {
        return known_;  // mostly
    }
    all_ordinary_ = true;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        Column& column = columns_[j];
        const bool number = !std::isnan(row->numbers[j]);
        if (number && column.recent == kAlways && column.numbers == kKnown && column.status == Status::present) {
            continue;
        }
        all_ordinary_ = false;
        column.recent = (column.recent << 1U) | (number ? 1U : 0U);
        if (number && column.numbers < kKnown && ++column.numbers == kKnown && !strict_) {
            known_.push_back(j);
        }
        if (column.status != Status::present) {
            if ((column.recent & lowest(kReturned)) == lowest(kReturned)) {
                column.status = Status::present;
                returned_.push_back(j);
            }
        } else if (!number && column.numbers == kKnown && (column.recent & lowest(kAbsent)) == 0 &&
                   std::popcount(column.recent) >= kBefore - kMayLack) {
            column.status = Status::absent;
            absent_.push_back(j);
        }
    }
    vanished_ += gone_.size() + text_.size() + absent_.size();
    vanished_ -= returned_.size();
    if (!gone_.empty()) {
        Event event = event_of(EventKind::column_vanished, gone_, at, "is", "are");
        event.text += " not in the header of the new file: it counts as missing";
        event.details.push_back({.name = "why", .json = "\"header\""});
        events.raise(std::move(event));
    }
    if (!text_.empty()) {
        Event event = event_of(EventKind::column_vanished, text_, at, "holds no number", "hold no number");
        event.text += fmt::format(" but \"{}\": it counts as missing", printable(row->unreadable_value));
        event.details.push_back({.name = "why", .json = "\"text\""});
        event.details.push_back({.name = "value", .json = io::json(row->unreadable_value)});
        events.raise(std::move(event));
    }
    if (!absent_.empty()) {
        Event event = event_of(EventKind::column_vanished, absent_, at, "has", "have");
        event.text += fmt::format(" no value in the last {} rows: it counts as missing", kAbsent);
        event.details.push_back({.name = "why", .json = "\"absent\""});
        events.raise(std::move(event));
    }
    if (!returned_.empty()) {
        events.raise(event_of(EventKind::column_returned, returned_, at, "has values again", "have values again"));
    }
    return known_;
}

void ColumnWatch::announce_new(std::span<const std::string> new_fields, const EventRow& at, EventLog& events) {
    const std::span<const std::string> fields = new_fields.subspan(seen_fields_);
    seen_fields_ = new_fields.size();
    std::vector<std::string> added;
    for (const std::string& field : fields) {
        if (ignored_.size() < io::RowReader::kMostNewFields && std::ranges::find(ignored_, field) == ignored_.end()) {
            ignored_.push_back(field);
            added.push_back(field);
        }
    }
    if (added.empty()) {
        return;
    }
    const std::size_t count = added.size();
    added.resize(std::min(count, kNamed));
    Event event{
        .kind = EventKind::column_new,
        .row = at.row,
        .time = std::string(at.time),
        .columns = added,
        .text = printable(fmt::format("{} that the first row did not have: {}{}. It is ignored",
                                      count == 1 ? "there is a field" : fmt::format("there are {} fields", count),
                                      fmt::join(added, ", "), count > kNamed ? ", ..." : "")),
        .details = {{.name = "count", .json = fmt::format("{}", count)}}};
    events.raise(std::move(event));
}

Event ColumnWatch::event_of(EventKind kind, const std::vector<std::size_t>& columns, const EventRow& at,
                            std::string_view one, std::string_view several) const {
    Event event{.kind = kind, .row = at.row, .time = std::string(at.time)};
    for (std::size_t i = 0; i < columns.size() && i < kNamed; ++i) {
        event.columns.push_back(names_[columns[i]]);
    }
    event.details.push_back({.name = "count", .json = fmt::format("{}", columns.size())});
    if (columns.size() == 1) {
        event.text = printable(fmt::format("column {} {}", event.columns.front(), one));
    } else {
        event.text = printable(fmt::format("{} columns ({}{}) {}", columns.size(), fmt::join(event.columns, ", "),
                                           columns.size() > kNamed ? ", ..." : "", several));
    }
    return event;
}

void ColumnWatch::save(core::StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(columns_.size()));
    for (const Column& column : columns_) {
        out.put(column.recent);
        out.put(column.numbers);
        out.put(column.status);
    }
    file::put_texts(out, ignored_);
}

void ColumnWatch::load(core::StateReader& in) {
    all_ordinary_ = false;
    std::uint64_t count = 0;
    in.get(count);
    in.require(count == columns_.size(), "it watches another number of columns");
    vanished_ = 0;
    for (Column& column : columns_) {
        in.get(column.recent);
        in.get(column.numbers);
        in.get(column.status);
        in.require(column.numbers <= kKnown && column.status <= Status::text, "the state of a column is impossible");
        vanished_ += column.status == Status::present ? 0U : 1U;
    }
    ignored_ = file::get_texts(in);
    in.require(ignored_.size() <= io::RowReader::kMostNewFields, "it ignores more fields than are listed");
}

}  // namespace sluice::job
