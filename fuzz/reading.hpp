// reading.hpp -- reads bytes from anywhere as rows, whole and in pieces, for the fuzz targets of the readers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "row_reader.hpp"
#include "source.hpp"

namespace sluice::fuzz {

/// The first bytes of an input choose how the rest is read.
struct Choice {
    io::Dialect dialect;
    std::size_t piece = 1;
    bool numbers = true;  ///< whether columns are read as numbers
    bool texts = false;   ///< or as texts, or both
    std::string text;
};

inline constexpr std::size_t kChoosing = 3;

inline Choice chosen(const std::uint8_t* data, std::size_t size, io::Dialect::Kind kind) {
    Choice choice;
    choice.dialect.kind = kind;
    const unsigned how = data[0];
    choice.dialect.header = (how & 1U) != 0 ? io::Dialect::Header::no : io::Dialect::Header::yes;
    choice.dialect.decimal = (how & 2U) != 0 ? ',' : '.';
    choice.dialect.skip = (how >> 2U) & 1U;
    choice.dialect.longest_row = (how & 8U) != 0 ? 20 : 2000;
    if ((how & 16U) != 0) {
        choice.dialect.missing = {"-200", "?", "inf"};
    }
    choice.texts = (how & 32U) != 0;
    choice.numbers = !choice.texts || (how & 64U) != 0;
    const std::vector<char> delimiters{' ', '\t', ';', '|', choice.dialect.decimal == ',' ? ':' : ','};
    if (const std::size_t which = data[1] % (delimiters.size() + 1); which < delimiters.size()) {
        choice.dialect.delimiter = delimiters[which];
    }
    choice.piece = 1 + (data[2] % 32U);
    choice.text.assign(reinterpret_cast<const char*>(data) + kChoosing, size - kChoosing);
    return choice;
}

struct Event {
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> texts;
    std::string error;
    io::Position at;
    io::Position before;  ///< position() before the call
    friend bool operator==(const Event&, const Event&) = default;
};

inline void insist(bool condition) {
    if (!condition) {
        std::abort();
    }
}

/// All that a reader tells from where it stands.
inline std::vector<Event> events_of(io::RowReader& reader, const Choice& choice) {
    std::vector<std::size_t> all(reader.columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    reader.want(choice.numbers ? all : std::vector<std::size_t>{}, choice.texts ? all : std::vector<std::size_t>{});
    std::vector<Event> events;
    io::Row row;
    for (bool more = true; more;) {
        Event event;
        event.before = reader.position();
        try {
            more = reader.next(row);
            if (more) {
                for (const double value : row.numbers) {
                    insist(!std::isinf(value));
                    event.numbers.push_back(std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value));
                }
                event.texts = row.texts;
                event.at = row.at;
                insist(row.at.byte >= event.before.byte && row.at.line >= event.before.line);
            }
        } catch (const io::RowError& error) {
            event.error = error.what();
            event.at = error.at();
        }
        insist(events.empty() || event.before.byte > events.back().before.byte);
        insist(event.before.byte <= choice.text.size());
        events.push_back(std::move(event));
    }
    return events;
}

inline int read_both_ways(const Choice& choice) {
    std::unique_ptr<io::RowReader> whole;
    std::string refusal;
    try {
        whole = io::open_rows(io::memory_source(choice.text, choice.text.size()), choice.dialect);
    } catch (const DataError& error) {
        refusal = error.what();
    } catch (const io::SourceError& error) {
        refusal = error.what();
    }
    if (whole == nullptr) {
        try {
            (void)io::open_rows(io::memory_source(choice.text, choice.piece), choice.dialect);
            insist(false);
        } catch (const DataError& error) {
            insist(refusal == error.what());
        } catch (const io::SourceError& error) {
            insist(refusal == error.what());
        }
        return 0;
    }
    const std::vector<Event> expected = events_of(*whole, choice);
    const auto pieces = io::open_rows(io::memory_source(choice.text, choice.piece), choice.dialect);
    insist(pieces->columns() == whole->columns());
    insist(events_of(*pieces, choice) == expected);

    // Going on in the middle gives the rest.
    const std::size_t cut = expected.size() / 2;
    const auto later = io::open_rows(io::memory_source(choice.text, choice.piece), choice.dialect);
    later->skip_to(expected[cut].before);
    const std::vector<Event> rest = events_of(*later, choice);
    insist(std::equal(rest.begin(), rest.end(), expected.begin() + static_cast<std::ptrdiff_t>(cut), expected.end()));
    return 0;
}

}  // namespace sluice::fuzz
