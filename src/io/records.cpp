#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "utf8.hpp"

namespace sluice::io {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

std::size_t find(std::string_view text, char wanted, std::size_t from) noexcept {
    if (from >= text.size()) {
        return kNone;
    }
    const void* at = std::memchr(text.data() + from, wanted, text.size() - from);
    return at == nullptr ? kNone : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

// A value as shown in a message: on one line, and shortened where it is long.
std::string shown(std::string_view value) {
    constexpr std::size_t kShown = 60;
    std::string out(value.substr(0, kShown));
    if (!is_utf8(value)) {
        make_utf8(out);
    }
    if (value.size() > kShown) {
        while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) {
            out.pop_back();  // not in the middle of a character
        }
        if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0U) {
            out.pop_back();
        }
        out += "...";
    }
    std::ranges::replace_if(
        out, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7f'; }, ' ');
    return out;
}

}  // namespace

Records::Records(std::unique_ptr<ByteSource> source, const Dialect& dialect)
    : buffer_(std::move(source)), longest_(std::min(dialect.longest_row, std::numeric_limits<std::size_t>::max() / 4)) {
    skip_byte_order_mark();
    find_line_end();
    skip_lines(dialect.skip);
}

void Records::enable_quotes(char delimiter) {
    quotes_ = true;
    delimiter_ = delimiter;
}

// A byte order mark is not part of the text.
void Records::skip_byte_order_mark() {
    auto may_be = [&](std::string_view mark) { return mark.starts_with(buffer_.held().substr(0, mark.size())); };
    constexpr std::string_view kLittle = "\xff\xfe";
    constexpr std::string_view kBig = "\xfe\xff";
    while (buffer_.held().size() < kUtf8Mark.size() && (may_be(kUtf8Mark) || may_be(kLittle) || may_be(kBig))) {
        if (!buffer_.more()) {
            break;
        }
    }
    const std::string_view held = buffer_.held();
    if (held.starts_with(kLittle) || held.starts_with(kBig)) {
        refuse_utf16("UTF-16");
    }
    if (held.starts_with(kUtf8Mark)) {
        buffer_.take(kUtf8Mark.size(), 0);
    }
}

void Records::refuse_utf16(const char* encoding) const {
    throw DataError(
        fmt::format("{}: is UTF-16, which cannot be read. Convert it first: iconv -f {} -t UTF-8 OLD.csv > NEW.csv",
                    source().name(), encoding));
}

// Files of old Macintosh programs end their lines with CR alone. UTF-16 without its mark has a NUL beside every letter
// of its first line. What is found does not depend on the pieces in which the text arrives.
void Records::find_line_end() {
    constexpr std::size_t kLetters = 4;
    constexpr std::size_t kLookedAt = std::size_t{1} << 16U;  // a CR with an LF this far behind it is part of a line
    while (buffer_.held().size() < kLetters && buffer_.more()) {
    }
    const auto is_nul = [&](std::size_t i) { return buffer_.held()[i] == '\0'; };
    if (buffer_.held().size() >= kLetters && is_nul(0) != is_nul(1) && is_nul(0) == is_nul(2) &&
        is_nul(1) == is_nul(3)) {
        refuse_utf16(is_nul(0) ? "UTF-16BE" : "UTF-16LE");
    }
    for (std::size_t seen = 0;;) {
        const std::string_view text = buffer_.held();
        const std::size_t end = text.find_first_of("\r\n", seen);
        if (end != kNone && (text[end] == '\n' || end > longest_)) {  // a line that is too long says nothing
            return;
        }
        const bool looked_far = end == kNone ? text.size() > longest_ : text.size() - end > kLookedAt;
        if (end != kNone && find(text.substr(0, end + kLookedAt), '\n', end) != kNone) {
            return;
        }
        seen = end == kNone ? text.size() : end;
        if (looked_far || !buffer_.more()) {
            const bool whole_line = end != kNone && (looked_far || source().complete());
            line_end_ = whole_line ? '\r' : '\n';
            return;
        }
    }
}

void Records::skip_lines(std::size_t count) {
    while (count > 0 && (!buffer_.held().empty() || buffer_.more()) && skip_rest_of_line(0, 0)) {
        --count;
    }
}

bool Records::is_blank_line(std::string_view line) const noexcept {
    return std::ranges::all_of(line, [&](char c) { return is_blank(c, delimiter_); });
}

std::optional<std::string_view> Records::peek_line() {
    Record record;
    const bool quotes = std::exchange(quotes_, false);
    const bool found = next(record, false);
    quotes_ = quotes;
    return found ? std::optional(record.text) : std::nullopt;
}

void Records::drop_line() {
    Record record;
    const bool quotes = std::exchange(quotes_, false);
    (void)next(record);
    quotes_ = quotes;
}

bool Records::next(Record& record, bool consume) {
    row_text_ = {};
    for (Extent extent; measure(extent);) {
        record.text = buffer_.held().substr(0, extent.text);
        record.at = buffer_.position();
        row_text_ = record.text;
        record.quoted = extent.quoted;
        const bool blank = !extent.quoted && (is_blank_line(record.text) || is_comment(record.text));
        const bool bad = find(record.text, '\0', 0) != kNone;
        if (blank || bad || consume) {
            buffer_.take(extent.whole, extent.lines);
        }
        if (bad) {
            throw error(record.at, "", "", "contains a NUL byte: the file is damaged or is not text",
                        {Remedy::skip_bad_rows});
        }
        if (!blank) {
            return true;
        }
    }
    return false;
}

// Measures the record at the present position; false at the end. The quick case is a line without a quote.
bool Records::measure(Extent& extent) {
    if (cut_off_) {
        return false;
    }
    for (std::size_t seen = 0;;) {
        std::string_view text = buffer_.held().substr(0, longest_ + 1);
        const std::size_t newline = find(text, line_end_, seen);
        if (newline == kNone && text.size() <= longest_) {
            seen = text.size();
            if (buffer_.more()) {
                continue;
            }
            if (seen == 0 || !source().complete()) {
                return false;
            }
            text = buffer_.held();  // asking for more may have moved it
        }
        const std::string_view line = text.substr(0, newline);
        if (quotes_ && find(line, '"', 0) != kNone && !is_comment(line)) {
            return measure_quoted(extent);
        }
        if (line.size() > longest_) {
            const Position at = buffer_.position();
            keep_beginning(line);
            if (!skip_rest_of_line(line.size(), 0)) {
                return false;
            }
            throw error(at, "", "", fmt::format("is longer than {} bytes, which is the limit for one row", longest_),
                        {Remedy::skip_bad_rows});
        }
        const bool ended = newline != kNone;
        extent.text = line.size() - (line.ends_with('\r') ? 1 : 0);
        extent.whole = line.size() + (ended ? 1 : 0);
        extent.lines = ended ? 1 : 0;
        extent.quoted = false;
        return true;
    }
}

// The same where there are quotes. A quote that never ends makes only its own line a bad row.
bool Records::measure_quoted(Extent& extent) {
    enum class State { cell_begins, plain, quoted, quote_ends };
    State state = State::cell_begins;
    std::size_t opened = 0;
    std::size_t at = 0;
    for (;;) {
        std::string_view text = buffer_.held().substr(0, longest_ + 1);
        for (; at < text.size(); ++at) {
            const char c = text[at];
            if (state == State::quoted) {
                at = find(text, '"', at);
                if (at == kNone) {
                    at = text.size();
                    break;
                }
                state = State::quote_ends;  // or it is the first of two quotes that mean one
            } else if (c == '"' && state == State::quote_ends) {
                state = State::quoted;
            } else if (c == '"' && state == State::cell_begins) {
                state = State::quoted;
                opened = at;
            } else if (c == line_end_) {
                break;
            } else if (ends_cell(c, delimiter_)) {
                state = State::cell_begins;
            } else if (state != State::cell_begins || !is_blank(c, delimiter_)) {
                state = State::plain;
            }
        }
        const bool ended = at < text.size();
        if (!ended && text.size() <= longest_) {
            if (buffer_.more()) {
                continue;
            }
            if (!source().complete()) {
                return false;
            }
            text = buffer_.held();  // asking for more may have moved it
        }
        const auto lines_until = [&](std::size_t end) {
            return static_cast<std::uint64_t>(std::ranges::count(text.substr(0, end), line_end_));
        };
        if (state == State::quoted) {
            Position begun = buffer_.position();
            begun.line += lines_until(opened);
            begun.byte += opened;
            keep_beginning(text.substr(0, find(text, '\n', opened)));
            if (!skip_rest_of_line(opened, lines_until(opened))) {
                return false;
            }
            throw error(begun, "", "", "a quote (\") begins here and does not end",
                        {Remedy::correct_row, Remedy::skip_bad_rows});
        }
        if (at > longest_) {
            const Position begun = buffer_.position();
            keep_beginning(text);
            if (!skip_rest_of_line(at, lines_until(at))) {
                return false;
            }
            throw error(begun, "", "", fmt::format("is longer than {} bytes, which is the limit for one row", longest_),
                        {Remedy::skip_bad_rows});
        }
        extent.text = at - (text.substr(0, at).ends_with('\r') ? 1 : 0);
        extent.whole = at + (ended ? 1 : 0);
        extent.lines = lines_until(extent.whole);
        extent.quoted = true;
        return true;
    }
}

// Moves past the first line end at or after `from`, before which `lines` lines end, or to the end of the text; false
// where reading is stopped before that. What is skipped is not kept in memory.
bool Records::skip_rest_of_line(std::size_t from, std::uint64_t lines) {
    for (const Position begun = buffer_.position();;) {
        const std::size_t newline = find(buffer_.held(), line_end_, from);
        if (newline != kNone) {
            buffer_.take(newline + 1, lines + 1);
            return true;
        }
        buffer_.take(buffer_.held().size(), std::exchange(lines, 0));
        from = 0;
        if (!buffer_.more()) {
            if (!source().complete()) {
                cut_off_ = begun;
            }
            return source().complete();
        }
    }
}

// What is skipped does not stay in the buffer.
void Records::keep_beginning(std::string_view text) {
    constexpr std::size_t kKept = 4096;
    beginning_.assign(text.substr(0, kKept));
    row_text_ = beginning_;
}

RowError Records::error(Position at, const std::string& column, std::string_view value, const std::string& reason,
                        Remedies remedies) const {
    return {source().name(), at, column, shown(value), reason, std::move(remedies)};
}

}  // namespace sluice::io
