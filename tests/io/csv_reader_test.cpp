#include "csv_reader.hpp"

#include <gtest/gtest.h>

#include "reading.hpp"

namespace sluice::test::csv_reader_test {
namespace {

using ::testing::PrintToString;
using Names = std::vector<std::string>;

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(CsvReader, ReadsAHeaderAndNumbers) {
    const Reading got = reading_of("a,b,c\n1,2.5,-3e2\n4,5,6\n");
    EXPECT_EQ(got.columns, (Names{"a", "b", "c"}));
    EXPECT_TRUE(numbers_are(got, {{1, 2.5, -300}, {4, 5, 6}}));
}

TEST(CsvReader, WithoutAHeaderTheFirstRowCounts) {
    const Reading got = reading_of("1,2\n3,4\n", {.header = Dialect::Header::no});
    EXPECT_EQ(got.columns, (Names{"c1", "c2"}));
    EXPECT_TRUE(numbers_are(got, {{1, 2}, {3, 4}}));
    EXPECT_EQ(got.positions.front(), (Position{.line = 1, .byte = 0}));
}

TEST(CsvReader, AnEmptyHeaderCellGetsItsNumberAsName) {
    EXPECT_EQ(reading_of(",x, \n1,2,3\n").columns, (Names{"c1", "x", "c3"}));
}

TEST(CsvReader, NamesThatStandTwiceAreRefusedWithBothPositions) {
    try {
        (void)reader_of("a,b, a\n");
        FAIL() << "taken";
    } catch (const RowError& error) {
        EXPECT_EQ(error.column(), "a");
        EXPECT_TRUE(says(error.reason(), "columns 1 and 3")) << error.what();
    }
}

TEST(CsvReader, AHeaderAloneHasNoRows) {
    EXPECT_TRUE(numbers_are(reading_of("a,b"), {}));
    EXPECT_TRUE(numbers_are(reading_of("a,b\n\n"), {}));
}

TEST(CsvReader, AnEmptyInputIsRefused) {
    for (const char* text : {"", "\n", "  \n\r\n", "\xef\xbb\xbf"}) {
        EXPECT_THROW((void)reader_of(text), DataError) << PrintToString(text);
    }
    EXPECT_THROW((void)reader_of("a,b\n1,2\n", {.skip = 2}), DataError);
    EXPECT_THROW((void)reader_of("a,b\n1,2\n", {.skip = std::numeric_limits<std::size_t>::max()}), DataError);
}

TEST(CsvReader, QuotesHoldDelimitersNewlinesAndQuotes) {
    const Reading got = texts_of("\"a,1\",\"b\nc\"\n \"x\"\"y\" ,\"\n\"\n\"\",z\"z\n");
    EXPECT_EQ(got.columns, (Names{"a,1", "b\nc"}));
    ASSERT_EQ(got.rows.size(), 2U);
    EXPECT_EQ(got.rows[0].texts, (Names{"x\"y", "\n"}));
    EXPECT_EQ(got.rows[1].texts, (Names{"", "z\"z"}));
    EXPECT_TRUE(got.errors.empty());
}

TEST(CsvReader, NumbersMayBeQuoted) {
    EXPECT_TRUE(numbers_are(reading_of("a,b\n\"1.5\",\" 2 \"\n\"\",\"NA\"\n"), {{1.5, 2}, {kMissing, kMissing}}));
}

TEST(CsvReader, TextBehindAClosingQuoteIsRefused) {
    const Reading got = reading_of("a,b\n\"1\"2,3\n4,5\n");
    EXPECT_TRUE(says(error_of(got).reason(), "closing quote"));
    EXPECT_EQ(error_of(got).column(), "a");
    EXPECT_EQ(got.rows.size(), 1U);
}

TEST(CsvReader, LinesMayEndInCrLfAndTheLastInNothing) {
    EXPECT_TRUE(numbers_are(reading_of("a,b\r\n1,2\r\n3,4"), {{1, 2}, {3, 4}}));
    EXPECT_TRUE(numbers_are(reading_of("a,b\r\n1,\"2\"\r\n3,4\r"), {{1, 2}, {3, 4}}));
}

TEST(CsvReader, AUtf8MarkIsPassedOver) {
    const Reading got = reading_of(
        "\xef\xbb\xbf"
        "a,b\n1,2\n");
    EXPECT_EQ(got.columns, (Names{"a", "b"}));
    EXPECT_EQ(got.rows.at(0).at, (Position{.line = 2, .byte = 7}));
}

TEST(CsvReader, Utf16IsRefusedWithTheRemedy) {
    for (const std::string mark : {"\xff\xfe", "\xfe\xff"}) {
        try {
            (void)reader_of(mark + std::string("a\0,\0", 4));
            FAIL() << "taken";
        } catch (const DataError& error) {
            EXPECT_TRUE(says(error.what(), "UTF-16") && says(error.what(), "iconv")) << error.what();
        }
    }
}

TEST(CsvReader, LinesBeforeTheHeaderAreSkipped) {
    const Reading got = reading_of("a \"title\n\n\na;b\n1;2\n", {.skip = 3});
    EXPECT_EQ(got.columns, (Names{"a", "b"}));
    EXPECT_EQ(got.rows.at(0).at, (Position{.line = 5, .byte = 15}));
}

TEST(CsvReader, TheDelimiterIsTheMostFrequentOneOutsideQuotes) {
    EXPECT_EQ(io::find_delimiter("a,b,c", '.'), ',');
    EXPECT_EQ(io::find_delimiter("a;b;c,d", '.'), ';');
    EXPECT_EQ(io::find_delimiter("a\tb", '.'), '\t');
    EXPECT_EQ(io::find_delimiter("a|b", '.'), '|');
    EXPECT_EQ(io::find_delimiter("\"a,b,c\";d", '.'), ';');
    EXPECT_EQ(io::find_delimiter("1,5;2,5", '.'), ',');
    EXPECT_EQ(io::find_delimiter("1,5;2,5", ','), ';');
    EXPECT_EQ(io::find_delimiter("1,5 2,5", ','), ' ');
    EXPECT_EQ(io::find_delimiter("a b c", '.'), ' ');
}

TEST(CsvReader, RunsOfBlanksPartCells) {
    const Dialect blanks{.delimiter = ' '};
    EXPECT_TRUE(numbers_are(reading_of("  a \t b  \n 1  2\n3\t4 \n\t5   6\t\n", blanks), {{1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(texts_of(" a b\n \"x y\"  z\n").rows.at(0).texts, (Names{"x y", "z"}));
}

TEST(CsvReader, ATabAsDelimiterIsNoBlank) {
    EXPECT_TRUE(
        numbers_are(reading_of("a\tb\tc\n\t 2 \t\n\t\t\n"), {{kMissing, 2, kMissing}, {kMissing, kMissing, kMissing}}));
}

TEST(CsvReader, BlanksAroundCellsAreTrimmed) {
    const Reading got = reading_of(" a , b\n 1 ,\t2 \n  ,3\n");
    EXPECT_EQ(got.columns, (Names{"a", "b"}));
    EXPECT_TRUE(numbers_are(got, {{1, 2}, {kMissing, 3}}));
}

TEST(CsvReader, BlankLinesArePassedOver) {
    const Reading got = reading_of("\n  \na,b\n\n1,2\n\t\r\n\n3,4\n\n");
    EXPECT_TRUE(numbers_are(got, {{1, 2}, {3, 4}}));
    EXPECT_EQ(got.rows[0].at.line, 5U);
    EXPECT_EQ(got.rows[1].at.line, 8U);
}

TEST(CsvReader, ANulByteMakesABadRow) {
    const Reading got = reading_of(std::string("a,b\n1,2\n3,\0\n5,6\n", 16));
    EXPECT_TRUE(says(error_of(got).reason(), "NUL"));
    EXPECT_EQ(error_of(got).at().line, 3U);
    EXPECT_EQ(got.rows.size(), 2U);
}

TEST(CsvReader, AWrongNumberOfCellsIsReported) {
    const Reading few = reading_of("a,b,c,d,e,f\n1,2,3,4,5\n1,2,3,4,5,6\n");
    EXPECT_TRUE(says(error_of(few).reason(), "has 5 cells, the header has 6")) << error_of(few).what();
    EXPECT_EQ(error_of(few).remedies(), (io::Remedies{io::Remedy::correct_row, io::Remedy::skip_bad_rows}));
    EXPECT_EQ(few.rows.size(), 1U);
    EXPECT_TRUE(says(error_of(reading_of("a,b\n1,2,3\n")).reason(), "has 3 cells, the header has 2"));
    EXPECT_TRUE(says(error_of(reading_of("a,b\n\"1\",2,3\n")).reason(), "has 3 cells, the header has 2"));
    EXPECT_TRUE(says(error_of(reading_of("a,b\n1\n")).reason(), "has 1 cell, the header has 2"));
    EXPECT_TRUE(says(error_of(reading_of("1 2\n1 2 3\n", {.header = Dialect::Header::no})).reason(),
                     "has 3 cells, the first row has 2"));
}

TEST(CsvReader, AWrongNumberOfCellsIsReportedBeforeABadCell) {
    const Reading got = reading_of("a,b,c\nx,1\n");
    EXPECT_TRUE(says(error_of(got).reason(), "has 2 cells, the header has 3"));
}

TEST(CsvReader, KeepsLineAndByteOfABadCell) {
    const Reading got = reading_of("time,a\n1,2\n2,oops\n3,4\n");
    const RowError error = error_of(got);
    EXPECT_EQ(error.at(), (Position{.line = 3, .byte = 11}));
    EXPECT_EQ(error.column(), "a");
    EXPECT_EQ(error.value(), "oops");
    EXPECT_STREQ(error.what(), "memory, line 3 (byte 11), column a, value \"oops\": is not a number");
    EXPECT_EQ(error.remedies(),
              (io::Remedies{io::Remedy::ignore_column, io::Remedy::name_time_column, io::Remedy::mark_missing}));
    EXPECT_EQ(error.remedied_column(), "a");
    EXPECT_EQ(got.rows.size(), 2U);
}

TEST(CsvReader, ALongValueIsCutInMessages) {
    const RowError error = error_of(reading_of("a\n" + std::string(1000, 'x') + "\n"));
    EXPECT_EQ(error.value(), std::string(60, 'x') + "...");
    std::string accents;
    for (int i = 0; i < 100; ++i) {
        accents += "\xc3\xa9";
    }
    const RowError other = error_of(reading_of("a\ny" + accents + "\n"));
    EXPECT_EQ(other.value(), "y" + accents.substr(0, 58) + "...");
}

TEST(CsvReader, DatesAreRefusedAsNumbersAndReadAsText) {
    const std::string text = "time,a\n2004-03-10,1\n";
    EXPECT_TRUE(has_remedy(error_of(reading_of(text)), io::Remedy::name_time_column));
    auto reader = reader_of(text);
    reader->want({1}, {0});
    Row row;
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.texts, Names{"2004-03-10"});
    EXPECT_EQ(row.numbers, std::vector<double>{1});
}

TEST(CsvReader, OnlyWhatIsWantedIsRead) {
    auto reader = reader_of("a,b,c,d\nx,2,y,4\n\"x\",2,y,4\n");
    reader->want({3, 1, 3}, {1, 2, 1});
    for (int line = 0; line < 2; ++line) {
        Row row;
        ASSERT_TRUE(reader->next(row));
        EXPECT_EQ(row.numbers, (std::vector<double>{4, 2, 4}));
        EXPECT_EQ(row.texts, (Names{"2", "y", "2"}));
    }
    EXPECT_THROW(reader->want({4}, {}), std::out_of_range);
}

TEST(CsvReader, ADecimalCommaReadsNumbersWithCommas) {
    const Dialect comma{.decimal = ',', .missing = {"-200,0"}};
    EXPECT_TRUE(numbers_are(reading_of("a;b\n1,5;-200\n\"2,25\";3\n", comma), {{1.5, kMissing}, {2.25, 3}}));
    EXPECT_TRUE(says(error_of(reading_of("a;b\n1.5;2\n", comma)).reason(), "is not a number"));
}

TEST(CsvReader, DelimitersThatNumbersHoldAreRefused) {
    for (const char c : {'.', '-', '+', 'e', '1', '"', '\n', '\r', '\0'}) {
        EXPECT_THROW((void)reader_of("a\n", {.delimiter = c}), OptionError) << static_cast<int>(c);
    }
    EXPECT_THROW((void)reader_of("a\n", {.delimiter = ',', .decimal = ','}), OptionError);
    EXPECT_THROW((void)reader_of("a\n", {.decimal = ':'}), OptionError);
}

TEST(CsvReader, ARowThatIsTooLongIsPassedOverWithoutHoldingIt) {
    const Dialect tight{.longest_row = 8};
    const std::string text = "a,b\n1,2\n1,2" + std::string(3'000'000, '0') + "\n12345,78\n123456,78\n3,4\n";
    const Reading got = reading_of(text, tight);
    ASSERT_EQ(got.errors.size(), 2U);
    EXPECT_EQ(got.errors[0].at(), (Position{.line = 3, .byte = 8}));
    EXPECT_TRUE(says(got.errors[0].reason(), "is longer than 8 bytes"));
    EXPECT_EQ(got.errors[1].at().line, 5U);
    ASSERT_EQ(got.rows.size(), 3U);
    EXPECT_EQ(got.rows[1].numbers, (std::vector<double>{12345, 78}));
    EXPECT_EQ(got.rows[2].at.line, 6U);
    for (const std::size_t piece : {1U, 3U, 7U, 1000U}) {
        EXPECT_TRUE(same(got, reading_of(text, tight, piece))) << piece;
    }
}

TEST(CsvReader, AQuoteThatDoesNotEndTakesOnlyItsLineWithIt) {
    const std::string text = "a,b\n1,2\n\"x\n\",\"3\n4,5\n6,7\n";
    for (const std::size_t longest : {std::size_t{12}, std::size_t{1} << 20U}) {
        const Dialect dialect{.longest_row = longest};
        const Reading got = reading_of(text, dialect);
        const RowError error = error_of(got);
        EXPECT_EQ(error.at(), (Position{.line = 4, .byte = 13})) << longest;
        EXPECT_TRUE(says(error.reason(), "quote"));
        ASSERT_EQ(got.rows.size(), 3U);
        EXPECT_EQ(got.rows[1].at, (Position{.line = 5, .byte = 16}));
        EXPECT_EQ(got.rows[2].numbers, (std::vector<double>{6, 7}));
        for (std::size_t piece = 1; piece < 12; ++piece) {
            EXPECT_TRUE(same(got, reading_of(text, dialect, piece))) << piece;
        }
    }
}

TEST(CsvReader, PositionsCountQuotedNewlinesCrLfMarksAndBlankLines) {
    const std::string text =
        "\xef\xbb\xbf"
        "title\r\na,b\r\n1,\"2\"\r\n\r\n\"3\r\n\",4\r\n5,6";
    const Reading got = texts_of(text, {.skip = 1});
    ASSERT_EQ(got.rows.size(), 3U);
    const std::vector<std::uint64_t> lines{3, 5, 7};
    for (std::size_t t = 0; t < 3; ++t) {
        EXPECT_EQ(got.rows[t].at.line, lines[t]);
        EXPECT_EQ(got.rows[t].at.byte, text.find(std::vector<std::string>{"1,", "\"3", "5,"}[t]));
    }
}

TEST(CsvReader, NothingIsLostWhenReadingContinuesAtAnyPosition) {
    const std::string text = "a,b\n1,2\n\n\"3\n\",4\nbad,5\n\"6\"\"\",x\n7,8\n\n9,10";
    const Reading through = reading_of(text);
    for (std::size_t cut = 0; cut < through.positions.size(); ++cut) {
        for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, kWhole}) {
            auto reader = reader_of(text, {}, piece);
            reader->skip_to(through.positions[cut]);
            const Reading rest = drain(*reader);
            EXPECT_EQ(rest.rows.size() + rest.errors.size(), through.positions.size() - 1 - cut);
            EXPECT_EQ(rest.positions.back(), through.positions.back());
            if (!rest.rows.empty()) {
                EXPECT_TRUE(same(rest.rows.back().numbers, through.rows.back().numbers));
                EXPECT_EQ(rest.rows.back().at, through.rows.back().at);
            }
        }
    }
}

TEST(CsvReader, ReadingDoesNotGoBack) {
    auto reader = reader_of("a\n1\n2\n");
    Row row;
    ASSERT_TRUE(reader->next(row));
    EXPECT_THROW(reader->skip_to({.line = 1, .byte = 0}), io::SourceError);
    EXPECT_THROW(reader->skip_to({.line = 9, .byte = 999}), io::SourceError);
}

TEST(CsvReader, ATextLongerThanTheBufferIsReadWhole) {
    std::string text = "a,b\n";
    double sum = 0.0;
    for (int i = 0; i < 100'000; ++i) {
        text += std::to_string(i) + "," + std::string(static_cast<std::size_t>(i % 17), ' ') + "1\n";
        sum += i;
    }
    const Reading got = reading_of(text, {}, 70'001);
    ASSERT_EQ(got.rows.size(), 100'000U);
    double got_sum = 0.0;
    for (const Row& row : got.rows) {
        got_sum += row.numbers[0];
    }
    EXPECT_EQ(got_sum, sum);
    EXPECT_EQ(got.rows.back().at.line, 100'001U);
}

TEST(CsvReader, ATextInATolerantColumnIsMissingAndListedButAWrongNumberOfCellsIsStillRefused) {
    auto reader = reader_of("a,b\n1,2\nERR,3\n\"bad, cell\",4\nERR\n5,6\n");
    reader->want({1, 0}, {});
    reader->tolerate(1);
    Row row;
    ASSERT_TRUE(reader->next(row));
    EXPECT_TRUE(row.unreadable.empty());
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.unreadable, std::vector<std::size_t>{1});
    EXPECT_EQ(row.unreadable_value, "ERR");
    EXPECT_EQ(row.numbers[0], 3);
    EXPECT_TRUE(std::isnan(row.numbers[1]));
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.unreadable_value, "bad, cell");
    EXPECT_THROW((void)reader->next(row), RowError);
    ASSERT_TRUE(reader->next(row));
    EXPECT_TRUE(row.unreadable.empty());
    EXPECT_EQ(row.numbers, (std::vector<double>{6, 5}));
}

TEST(CsvReader, TheTextOfTheLastRowIsKeptWhetherItIsGoodOrBad) {
    const std::string endless(5000, 'z');
    auto reader = reader_of("a,b\n1,2\r\n\nx,\"3\n4\"\n5,\"6\n" + endless + ",1\n" + std::string(1, '\0') + ",1\n7,8",
                            {.longest_row = 4900}, 7);
    reader->want({0, 1}, {});
    Row row;
    std::vector<std::string> texts;
    for (bool more = true; more;) {
        try {
            more = reader->next(row);
        } catch (const RowError&) {
        }
        if (more) {
            texts.emplace_back(reader->row_text());
        }
    }
    ASSERT_EQ(texts.size(), 6U);
    EXPECT_EQ(texts[4], std::string(1, '\0') + ",1");
    EXPECT_EQ(texts[5], "7,8");
    EXPECT_EQ(texts[0], "1,2");
    EXPECT_EQ(texts[1], "x,\"3\n4\"");
    EXPECT_EQ(texts[2], "5,\"6");
    EXPECT_EQ(texts[3], endless.substr(0, 4096));
}

}  // namespace
}  // namespace sluice::test::csv_reader_test
