// What is written by a small writer in any dialect is read back to the same bits, in pieces of any size, packed or not.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "files.hpp"
#include "reading.hpp"

namespace sluice::test::properties_test {
namespace {

struct Style {
    Dialect dialect;
    std::string line_end;
    bool quoted = false;   ///< all cells
    bool mark = false;     ///< of UTF-8
    bool padded = false;   ///< blanks around cells
    bool unended = false;  ///< the last line
    std::string missing;
};

using Table = std::vector<std::vector<double>>;

double any_number() {
    const auto bits = *rc::gen::arbitrary<std::uint64_t>();
    const double value = std::bit_cast<double>(bits);
    switch (*rc::gen::inRange(0, 5)) {
        case 0:
            return kMissing;
        case 1:
            return static_cast<double>(*rc::gen::inRange(-1000, 1000));
        case 2:
            return static_cast<double>(*rc::gen::inRange(-100000, 100000)) / 1000.0;
        default:
            return std::isfinite(value) ? value : 0.1;
    }
}

Table any_table() {
    const auto columns = *rc::gen::inRange<std::size_t>(1, 8);
    Table table(*rc::gen::inRange<std::size_t>(1, 12));
    for (auto& row : table) {
        row.resize(columns);
        for (double& value : row) {
            value = any_number();
        }
    }
    return table;
}

Style any_style() {
    Style style;
    Dialect& dialect = style.dialect;
    dialect.decimal = *rc::gen::element('.', ',');
    const char delimiter = *rc::gen::element(',', '\t', ';', '|', ' ');
    dialect.delimiter = delimiter == dialect.decimal ? ';' : delimiter;
    dialect.header = *rc::gen::element(Dialect::Header::yes, Dialect::Header::no);
    dialect.skip = *rc::gen::inRange<std::size_t>(0, 3);
    style.line_end = *rc::gen::element<std::string>("\n", "\r\n");
    style.quoted = *rc::gen::arbitrary<bool>();
    style.mark = *rc::gen::arbitrary<bool>();
    style.padded = *rc::gen::arbitrary<bool>();
    style.unended = *rc::gen::arbitrary<bool>();
    style.missing = *rc::gen::element<std::string>("NA", "nan", "-999");
    if (style.missing == "-999") {
        dialect.missing = {"-999.0"};
        if (dialect.decimal == ',') {
            dialect.missing = {"-999,0"};
        }
    }
    return style;
}

std::string cell_of(double value, const Style& style) {
    std::string cell = style.missing;
    if (!std::isnan(value)) {
        std::array<char, 40> room{};
        cell.assign(room.data(), std::to_chars(room.data(), room.data() + room.size(), value).ptr);
        std::ranges::replace(cell, '.', style.dialect.decimal);
    }
    if (style.quoted) {
        cell = '"' + cell + '"';
    }
    return style.padded ? " " + cell + "  " : cell;
}

std::string written(const Table& table, const Style& style) {
    std::string text = style.mark ? "\xef\xbb\xbf" : "";
    for (std::size_t i = 0; i < style.dialect.skip; ++i) {
        text += "a \"title" + style.line_end;
    }
    const auto line = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            text += (i == 0 ? "" : std::string(1, *style.dialect.delimiter)) + cells[i];
        }
        text += style.line_end;
    };
    if (style.dialect.header == Dialect::Header::yes) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < table.front().size(); ++i) {
            names.push_back(style.quoted ? "\"na\"\"me\n" + std::to_string(i) + "\"" : "name" + std::to_string(i));
        }
        line(names);
    }
    for (const auto& row : table) {
        std::vector<std::string> cells;
        for (const double value : row) {
            cells.push_back(cell_of(value, style));
        }
        line(cells);
    }
    if (style.unended) {
        text.resize(text.size() - style.line_end.size());
    }
    return text;
}

// -999 is taken for missing where it is the marker.
Table expected(Table table, const Style& style) {
    for (auto& row : table) {
        for (double& value : row) {
            value = style.missing == "-999" && value == -999.0 ? kMissing : value;
        }
    }
    return table;
}

RC_GTEST_PROP(Reading, WhatIsWrittenInAnyDialectIsReadBackToTheBit, ()) {
    const Style style = any_style();
    const Table table = any_table();
    const Reading got = reading_of(written(table, style), style.dialect);
    RC_ASSERT(numbers_are(got, expected(table, style)));
}

RC_GTEST_PROP(Reading, PiecesOfAnySizeAreReadLikeTheWhole, ()) {
    const Style style = any_style();
    std::string text = written(any_table(), style);
    // A few bytes of damage, so that errors and their positions are compared too.
    const std::string rubbish("\",;x\n\r \t\0-1", 11);
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        text[*rc::gen::inRange<std::size_t>(0, text.size())] =
            rubbish[*rc::gen::inRange<std::size_t>(0, rubbish.size())];
    }
    Dialect dialect = style.dialect;
    dialect.longest_row = *rc::gen::element<std::size_t>(30, 1000);
    const auto outcome = [&](std::size_t piece) -> std::pair<std::string, Reading> {
        try {
            return {"", reading_of(text, dialect, piece)};
        } catch (const DataError& error) {
            return {error.what(), {}};
        }
    };
    const auto [refusal, whole] = outcome(kWhole);
    const auto [other_refusal, pieces] = outcome(*rc::gen::inRange<std::size_t>(1, 50));
    RC_ASSERT(refusal == other_refusal);
    RC_ASSERT(same(whole, pieces));
    if (refusal.empty()) {
        const std::size_t cut = *rc::gen::inRange<std::size_t>(0, whole.positions.size());
        auto reader = reader_of(text, dialect, 7);
        reader->skip_to(whole.positions[cut]);
        const Reading rest = drain(*reader);
        RC_ASSERT(std::equal(rest.positions.begin(), rest.positions.end(),
                             whole.positions.begin() + static_cast<std::ptrdiff_t>(cut), whole.positions.end()));
        RC_ASSERT(rest.rows.size() <= whole.rows.size());
        RC_ASSERT((rest.rows.empty() || same(rest.rows.back().numbers, whole.rows.back().numbers)));
    }
}

RC_GTEST_PROP(Reading, PackedFilesAreReadLikePlainOnes, ()) {
    const Style style = any_style();
    const std::string text = written(any_table(), style);
    const Reading plain = reading_of(text, style.dialect);
    const std::size_t cut = *rc::gen::inRange<std::size_t>(0, text.size());
    const std::string begin = text.substr(0, cut);
    const std::string end = text.substr(cut);
    for (const std::string& stored : {text, gzipped(begin) + gzipped(end), zstandard(begin) + zstandard(end)}) {
        const TemporaryFile file(stored);
        RC_ASSERT(same(drain(*io::open_rows(io::open_source(file.path()), style.dialect)), plain));
    }
}

RC_GTEST_PROP(Reading, NdjsonIsReadBackToTheBit, ()) {
    const Table table = any_table();
    const bool objects = *rc::gen::arbitrary<bool>();
    std::string text;
    for (const auto& row : table) {
        text += objects ? '{' : '[';
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i == 0 ? "" : ", ";
            text += objects ? "\"k\\u00e9" + std::to_string(i) + "\": " : "";
            std::array<char, 40> room{};
            text += std::isnan(row[i])
                        ? std::string("null")
                        : std::string(room.data(), std::to_chars(room.data(), room.data() + room.size(), row[i]).ptr);
        }
        text += objects ? "}\n" : "]\n";
    }
    const Reading whole = reading_of(text);
    RC_ASSERT(numbers_are(whole, table));
    RC_ASSERT(same(whole, reading_of(text, {}, *rc::gen::inRange<std::size_t>(1, 40))));
}

}  // namespace
}  // namespace sluice::test::properties_test
