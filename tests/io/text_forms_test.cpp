// Texts as programs write them: decimal commas, signs for a missing value, comments, line ends of old programs, names
// that are not UTF-8. Each is read, or refused with what to do about it.
#include <gtest/gtest.h>

#include <string>

#include "cell.hpp"
#include "reading.hpp"
#include "remedy.hpp"
#include "sluice/error.hpp"
#include "utf8.hpp"

namespace sluice::test::text_forms_test {

namespace {

using io::Remedies;
using io::Remedy;
using Names = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string refusal_of(const std::string& text) {
    try {
        (void)reader_of(text);
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST(TextForms, ADecimalCommaIsSuggestedWhereTheCellIsANumberWithOne) {
    for (const char* text : {"a;b\n1,5;2\n", "a\tb\n-1,5e3\t2\n", "a b\n1,5 2\n", "a|b\n+0,5|2\n"}) {
        const RowError error = error_of(reading_of(text));
        EXPECT_EQ(error.remedies(), Remedies{Remedy::use_decimal_comma}) << error.what();
        EXPECT_TRUE(numbers_are(reading_of(std::string(text), {.decimal = ','}),
                                {{reading_of(text, {.decimal = ','}).rows.at(0).numbers[0], 2.0}}));
    }
    EXPECT_EQ(error_of(reading_of("a;b\n1.5;2\n", {.decimal = ','})).remedies(), Remedies{Remedy::use_decimal_point});
    EXPECT_NE(error_of(reading_of("a;b\n1,000,000;2\n")).remedies(), Remedies{Remedy::use_decimal_comma});
}

TEST(TextForms, ADecimalCommaBetweenCommasIsRefusedWithoutARemedyThatCannotHelp) {
    const RowError error = error_of(reading_of("a,b\n\"1,5\",2\n"));
    EXPECT_TRUE(contains(error.reason(), "the comma also separates the cells")) << error.what();
    EXPECT_TRUE(error.remedies().empty());
    const RowError json = error_of(reading_of("{\"a\":\"1,5\"}\n"));
    EXPECT_TRUE(contains(json.reason(), "JSON need a decimal point")) << json.what();
}

TEST(TextForms, ASignForMissingValuesIsSuggestedAsOne) {
    for (const char* sign : {"-", "--", "?", ".", "*", "#N/A", "n.a.", "None", "missing", "#DIV/0!", "na"}) {
        const RowError error = error_of(reading_of("a,b\n1," + std::string(sign) + "\n"));
        EXPECT_EQ(error.remedies(), (Remedies{Remedy::mark_missing, Remedy::skip_bad_rows})) << sign;
    }
    EXPECT_EQ(error_of(reading_of("a,b\n1,pump 3\n")).remedies().front(), Remedy::ignore_column);
}

TEST(TextForms, CommentsBeforeTheHeaderAreSkipped) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, kWhole}) {
        const Reading got =
            reading_of("# made by logger, \"v2\n#\n\n# 3 columns, see below\na,b,y\n1,2,3\n", {}, piece);
        EXPECT_EQ(got.columns, (Names{"a", "b", "y"}));
        EXPECT_TRUE(numbers_are(got, {{1, 2, 3}}));
        EXPECT_EQ(got.rows.at(0).at.line, 6U);
    }
    EXPECT_TRUE(numbers_are(reading_of("# no header\n1 2\n3 4\n", {.header = Dialect::Header::no}), {{1, 2}, {3, 4}}));
    EXPECT_TRUE(numbers_are(reading_of("# rows of JSON\n{\"a\":1}\n{\"a\":2}\n"), {{1}, {2}}));
}

TEST(TextForms, ACommentIsTheHeaderWhereARowOfAsManyCellsFollows) {
    EXPECT_EQ(reading_of("# run 7\n# a b y\n1 2 3\n").columns, (Names{"a", "b", "y"}));
    EXPECT_EQ(reading_of("#a,b,y\n1,2,3\n").columns, (Names{"a", "b", "y"}));
    EXPECT_EQ(reading_of("## a;b\n2024-01-01;3\n").columns, (Names{"a", "b"}));
    EXPECT_EQ(reading_of("#,a,y\n1,2,3\n").columns, (Names{"#", "a", "y"}));
    EXPECT_EQ(reading_of("% a,b\n1,2\n", {.comment = "%"}).columns, (Names{"a", "b"}));
    EXPECT_EQ(reading_of("# a, b\nx,y\n1,2\n").columns, (Names{"x", "y"})) << "a line of names follows";
    EXPECT_TRUE(numbers_are(reading_of("#a,b,y\n1,2,3\n4,5,6\n"), {{1, 2, 3}, {4, 5, 6}}));
}

TEST(TextForms, ACommentBetweenRowsIsRefusedWithTheOptionThatSkipsIt) {
    for (const char* comment : {"# stopped for cleaning", "#4,5", "# a, \"b"}) {
        const std::string text = "a,b\n1,2\n" + std::string(comment) + "\n3,4\n";
        const Reading got = reading_of(text);
        ASSERT_EQ(got.errors.size(), 1U) << comment;
        if (!contains(comment, "\"")) {  // there the quote without end is what is reported
            EXPECT_TRUE(has_remedy(got.errors.front(), Remedy::skip_comments)) << got.errors.front().what();
        }
        const Reading skipped = reading_of(text, {.comment = "#"});
        EXPECT_TRUE(numbers_are(skipped, {{1, 2}, {3, 4}})) << comment;
        EXPECT_EQ(skipped.rows.at(1).at.line, 4U);
    }
    EXPECT_EQ(error_of(reading_of("a,b\n#N/A,2\n")).at().line, 2U) << "a cell that begins with # is no comment";
}

TEST(TextForms, LinesMayEndInCrAlone) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, kWhole}) {
        const Reading got = reading_of("a,b\r1,2\r\r3,\"4\"\r5,x\r7,8", {}, piece);
        EXPECT_EQ(got.columns, (Names{"a", "b"}));
        ASSERT_EQ(got.rows.size(), 3U);
        EXPECT_EQ(got.rows.at(1).at, (Position{.line = 4, .byte = 9}));
        EXPECT_EQ(error_of(got).at(), (Position{.line = 5, .byte = 15}));
        EXPECT_TRUE(same(got.rows.at(2).numbers, {7, 8}));
    }
    EXPECT_EQ(reading_of("x\ra,b\r1,2\r", {.skip = 1}).columns, (Names{"a", "b"}));
}

TEST(TextForms, ACrInAHeaderWhoseLinesEndInLfIsPartOfAName) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{4}, kWhole}) {
        EXPECT_EQ(reading_of("\"a\r1\",b\n1,2\n", {}, piece).columns, (Names{"a\r1", "b"}));
    }
}

TEST(TextForms, NamesAndTextsThatAreNotUtf8AreReadAsWindows1252) {
    const Reading got = texts_of("Temp\xe9rature,\x80,b\n\xb5g,\x93x\x94,c\n");
    EXPECT_EQ(got.columns, (Names{"Temp\u00e9rature", "\u20ac", "b"}));
    EXPECT_EQ(got.rows.at(0).texts, (Names{"\u00b5g", "\u201cx\u201d", "c"}));
    EXPECT_EQ(texts_of("T\u00e9,b\n\u20ac,c\n").columns, (Names{"T\u00e9", "b"})) << "UTF-8 stays as it is";
    EXPECT_EQ(error_of(reading_of("a,b\n1,\xb5g\n")).value(), "\u00b5g");
}

TEST(TextForms, EveryByteHasACharacterOfItsOwn) {
    std::vector<std::string> seen;
    for (int byte = 0x80; byte < 0x100; ++byte) {
        const std::string text = io::to_utf8(std::string(1, static_cast<char>(byte)));
        EXPECT_TRUE(io::is_utf8(text));
        EXPECT_EQ(std::ranges::find(seen, text), seen.end()) << byte;
        seen.push_back(text);
    }
}

TEST(TextForms, Utf16IsBadDataWithAndWithoutItsMark) {
    const std::string little("a\0,\0b\0\n\0001\0,\0002\0\n\0", 16);
    const std::string big("\0a\0,\0b\0\n\0001\0,\0002\0\n", 16);
    EXPECT_TRUE(contains(refusal_of("\xff\xfe" + little), "iconv -f UTF-16 -t UTF-8"));
    EXPECT_TRUE(contains(refusal_of("\xfe\xff" + big), "iconv -f UTF-16 -t UTF-8"));
    EXPECT_TRUE(contains(refusal_of(little), "iconv -f UTF-16LE -t UTF-8"));
    EXPECT_TRUE(contains(refusal_of(big), "iconv -f UTF-16BE -t UTF-8"));
}

}  // namespace sluice::test::text_forms_test
