#include "csv_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "cell_cursor.hpp"
#include "utf8.hpp"

namespace sluice::io {

char find_delimiter(std::string_view line, char decimal) noexcept {
    constexpr std::string_view candidates = ",\t;|";
    std::array<std::size_t, candidates.size()> found{};
    bool quoted = false;
    for (const char c : line) {
        quoted = quoted != (c == '"');
        const std::size_t which = candidates.find(c);
        if (!quoted && which != std::string_view::npos && c != decimal) {
            ++found[which];
        }
    }
    const auto most = std::ranges::max_element(found);
    return *most == 0 ? ' ' : candidates[static_cast<std::size_t>(most - found.begin())];
}

CsvReader::CsvReader(std::unique_ptr<Records> records, const Dialect& dialect, char delimiter,
                     const std::optional<CommentedHeader>& header)
    : records_(std::move(records)),
      cells_(dialect),
      delimiter_(delimiter),
      has_header_(dialect.header == Dialect::Header::yes) {
    records_->enable_quotes(delimiter_);
    Record first;
    if (header) {
        first = {.text = header->text, .at = header->at, .quoted = false};
    } else if (!records_->next(first, has_header_)) {
        throw DataError(fmt::format("{}: has no rows", source().name()));
    }
    name_columns(first);
    wanted_ = Wanted(columns_.size(), {}, {});
}

void CsvReader::name_columns(const Record& record) {
    CellCursor cursor(record.text, delimiter_, room_);
    for (std::string_view cell; cursor.next(cell);) {
        const std::string number = fmt::format("c{}", columns_.size() + 1);
        columns_.push_back(has_header_ && !cell.empty() ? to_utf8(cell) : number);
    }
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t place = 0; place < columns_.size(); ++place) {
        if (const auto [other, is_new] = places.try_emplace(columns_[place], place); !is_new) {
            throw records_->error(record.at, columns_[place], "",
                                  fmt::format("is the name of columns {} and {}: rename one of them in the header",
                                              other->second + 1, place + 1));
        }
    }
}

void CsvReader::want(std::vector<std::size_t> numbers, std::vector<std::size_t> texts) {
    wanted_ = Wanted(columns_.size(), numbers, texts);
}

bool CsvReader::next(Row& row) {
    Record record;
    if (!records_->next(record)) {
        return false;
    }
    wanted_.prepare(row);
    row.at = record.at;
    if (record.quoted) {
        read_quoted(record, row);
    } else if (delimiter_ == ' ') {
        read_plain<true>(record, row);
    } else {
        read_plain<false>(record, row);
    }
    wanted_.finish(row);
    return true;
}

// The common case, without quotes: a number is read in place and must end where its cell ends.
template <bool kBlanks>
void CsvReader::read_plain(const Record& record, Row& row) {
    const char delimiter = kBlanks ? ' ' : delimiter_;
    const std::string_view text = kBlanks ? trimmed(record.text, ' ') : record.text;
    const char* at = text.data();
    const char* const last = at + text.size();
    double* const numbers = row.numbers.data();
    const std::size_t width = columns_.size();
    std::size_t column = 0;
    for (const Wanted::Column& to : wanted_.columns()) {
        while (at != last && is_blank(*at, delimiter)) {
            ++at;
        }
        const char* end = nullptr;
        if (to.number != Wanted::kNot && to.text == Wanted::kNot) {
            double value = 0.0;
            end = cells_.quick(at, last, value);
            while (!kBlanks && end != nullptr && end != last && is_blank(*end, delimiter)) {
                ++end;
            }
            if (end != nullptr && (end == last || ends_cell(*end, delimiter))) {
                numbers[to.number] = value;
            } else {
                end = nullptr;
            }
        }
        if (end == nullptr) {
            if (kBlanks) {
                end = std::find_if(at, last, [](char c) { return c == ' ' || c == '\t'; });
            } else {
                const void* found =
                    at == last ? nullptr : std::memchr(at, delimiter, static_cast<std::size_t>(last - at));
                end = found == nullptr ? last : static_cast<const char*>(found);
            }
            put(trimmed({at, static_cast<std::size_t>(end - at)}, delimiter), column, record, row);
        }
        ++column;
        if (end == last) {
            at = last;
            break;
        }
        at = end + 1;
        if (column == width) {
            check_width(record);
        }
    }
    if (column != width) {
        check_width(record);
    }
}

void CsvReader::read_quoted(const Record& record, Row& row) {
    CellCursor cursor(record.text, delimiter_, room_);
    std::size_t column = 0;
    for (std::string_view cell; cursor.next(cell); ++column) {
        if (column >= columns_.size()) {
            break;
        }
        if (cursor.has_text_after_quote()) {
            throw records_->error(record.at, columns_[column], cell,
                                  "has text after its closing quote: a quote inside quotes is written twice (\"\")",
                                  {Remedy::correct_row, Remedy::skip_bad_rows});
        }
        put(cell, column, record, row);
    }
    check_width(record);
}

void CsvReader::put(std::string_view cell, std::size_t column, const Record& record, Row& row) {
    const Wanted::Column& to = wanted_.columns()[column];
    if (to.number != Wanted::kNot) {
        const auto fault = cells_.read(trimmed(cell, delimiter_), row.numbers[to.number]);
        if (fault != CellReader::Fault::none) {
            const std::string value(cell);  // check_width() overwrites the room
            check_width(record);            // a missing or extra cell explains it better
            CellTrouble trouble = trouble_of(fault, trimmed(value, delimiter_), cells_.decimal(), delimiter_);
            if (column == 0 && value.starts_with('#') && trouble.remedies.front() != Remedy::mark_missing) {
                trouble.remedies.insert(trouble.remedies.begin(), Remedy::skip_comments);
            }
            throw records_->error(record.at, columns_[column], value, trouble.reason, trouble.remedies);
        }
    }
    if (to.text != Wanted::kNot) {
        row.texts[to.text].assign(cell);
        make_utf8(row.texts[to.text]);
    }
}

// Throws unless the row has as many cells as there are columns.
void CsvReader::check_width(const Record& record) {
    CellCursor cursor(record.text, delimiter_, room_);
    std::size_t count = 0;
    for (std::string_view cell; cursor.next(cell);) {
        ++count;
    }
    if (count != columns_.size()) {
        throw records_->error(record.at, "", "",
                              fmt::format("has {} cell{}, the {} has {}", count, count == 1 ? "" : "s",
                                          has_header_ ? "header" : "first row", columns_.size()),
                              record.text.starts_with('#') ? Remedies{Remedy::skip_comments, Remedy::correct_row}
                                                           : Remedies{Remedy::correct_row, Remedy::skip_bad_rows});
    }
}

}  // namespace sluice::io
