#include "ndjson_reader.hpp"

#include <gtest/gtest.h>

#include "reading.hpp"

namespace sluice::test {
namespace {

using Names = std::vector<std::string>;

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(NdjsonReader, ReadsObjectsByKeyWhateverTheirOrder) {
    const Reading got = reading_of(R"({"a": 1, "b": 2.5}
{"b":4,"a":3}
 {"a" : -5e1 , "b":6} )");
    EXPECT_EQ(got.columns, (Names{"a", "b"}));
    EXPECT_TRUE(numbers_are(got, {{1, 2.5}, {3, 4}, {-50, 6}}));
}

TEST(NdjsonReader, ReadsArrays) {
    const Reading got = reading_of("[1, 2]\n[3,4]\r\n\n[5,6]\n");
    EXPECT_EQ(got.columns, (Names{"c1", "c2"}));
    EXPECT_TRUE(numbers_are(got, {{1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(got.rows[2].at, (Position{.line = 4, .byte = 15}));
}

TEST(NdjsonReader, AnAbsentKeyAndNullAreMissing) {
    EXPECT_TRUE(numbers_are(reading_of("{\"a\":1,\"b\":null}\n{\"b\":2}\n{}\n"),
                            {{1, kMissing}, {kMissing, 2}, {kMissing, kMissing}}));
}

TEST(NdjsonReader, TrueAndFalseAreOneAndZero) {
    EXPECT_TRUE(numbers_are(reading_of("[true, false]\n"), {{1, 0}}));
}

TEST(NdjsonReader, StringsAreReadLikeCells) {
    const Dialect dialect{.missing = {"NA", "-200"}};
    EXPECT_TRUE(numbers_are(reading_of("[\" 1.5 \", \"NA\", -200.0, \"-2e2\", \"\"]\n", dialect),
                            {{1.5, kMissing, kMissing, kMissing, kMissing}}));
    const RowError error = error_of(reading_of("{\"t\":\"2004-03-10\"}\n"));
    EXPECT_EQ(error.column(), "t");
    EXPECT_EQ(error.value(), "2004-03-10");
    EXPECT_TRUE(has_remedy(error, io::Remedy::name_time_column));
}

TEST(NdjsonReader, NanAsPythonWritesItIsMissing) {
    EXPECT_TRUE(numbers_are(reading_of("[1, NaN]\n"), {{1, kMissing}}));
    EXPECT_TRUE(says(error_of(reading_of("[1, Infinity]\n")).reason(), "infinite"));
    EXPECT_TRUE(says(error_of(reading_of("[1, NaN]\n", {.missing = {}})).reason(), "not a row of JSON"));
}

TEST(NdjsonReader, BigIntegersAndManyDigitsAreReadAsNumbers) {
    EXPECT_TRUE(numbers_are(reading_of("[123456789012345678901234567890, 0.1234567890123456789012345, 4.9e-324]\n"),
                            {{123456789012345678901234567890.0, 0.1234567890123456789012345, 4.9e-324}}));
    EXPECT_TRUE(says(error_of(reading_of("[1e400]\n")).reason(), "too large"));
}

TEST(NdjsonReader, TextsComeUnescaped) {
    const Reading got =
        texts_of(R"({"a\u0041\n":"x\"y\u00e9","b":1.50,"c":null,"d":true,"e":[1, {"f":2}],"g":{"h":[]}})");
    EXPECT_EQ(got.columns, (Names{"aA\n", "b", "c", "d", "e", "g"}));
    ASSERT_EQ(got.rows.size(), 1U);
    EXPECT_EQ(got.rows[0].texts, (Names{"x\"y\xc3\xa9", "1.50", "", "true", "[1, {\"f\":2}]", "{\"h\":[]}"}));
}

TEST(NdjsonReader, NestedValuesAreRefusedWhereANumberIsWanted) {
    const RowError error = error_of(reading_of("{\"a\":1,\"b\":2}\n{\"a\":[1,2],\"b\":2}\n"));
    EXPECT_EQ(error.column(), "a");
    EXPECT_TRUE(has_remedy(error, io::Remedy::ignore_column));
    auto reader = reader_of("{\"a\":1,\"b\":2}\n{\"a\":{\"x\":[1,2]},\"b\":2}\n");
    reader->want({1}, {});
    Row row;
    ASSERT_TRUE(reader->next(row));
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.numbers, std::vector<double>{2});
}

TEST(NdjsonReader, AKeyThatTheFirstRowDoesNotHaveIsNamed) {
    const Reading got = reading_of("{\"a\":1}\n{\"a\":1,\"new\":2}\n{\"a\":3}\n");
    EXPECT_EQ(error_of(got).value(), "new");
    EXPECT_TRUE(says(error_of(got).reason(), "first row"));
    EXPECT_EQ(got.rows.size(), 2U);
}

TEST(NdjsonReader, AKeyThatStandsTwiceIsRefused) {
    EXPECT_EQ(error_of(reading_of("{\"a\":1,\"b\":2}\n{\"a\":1,\"a\":2}\n")).column(), "a");
    EXPECT_THROW((void)reader_of("{\"a\":1,\"a\":2}\n"), RowError);
}

TEST(NdjsonReader, ArraysOfAnotherLengthAreRefused) {
    const Reading got = reading_of("[1,2]\n[1]\n[1,2,3]\n[]\n[3,4]\n");
    ASSERT_EQ(got.errors.size(), 3U);
    EXPECT_TRUE(says(got.errors[0].reason(), "has 1 value, the first row has 2"));
    EXPECT_TRUE(says(got.errors[1].reason(), "has 3 values, the first row has 2"));
    EXPECT_EQ(got.rows.size(), 2U);
}

TEST(NdjsonReader, MalformedRowsAreReportedWithLineAndByteAndSkipped) {
    const Names bad{"{\"a\":1",       "{\"a\":}",    "{\"a\" 1}",  "{a:1}",       "{\"a\":1}}",  "{\"a\":1} {\"a\":2}",
                    "{\"a\":1,}",     "{\"a\":1 2}", "{\"a\":1x}", "{\"a\":\"x}", "[1]",         "17",
                    "\"a\"",          "null",        "{",          "}",           "{\"a\":tru}", "{\"a\":\"\xff\"}",
                    "{\"a\":\"\\x\"}"};
    for (const std::string& line : bad) {
        const Reading got = reading_of("{\"a\":0}\n" + line + "\n{\"a\":3}\n");
        ASSERT_EQ(got.errors.size(), 1U) << line;
        EXPECT_EQ(got.errors[0].at(), (Position{.line = 2, .byte = 8})) << line;
        EXPECT_TRUE(says(got.errors[0].reason(), "each line must be one object or one array")) << got.errors[0].what();
        ASSERT_EQ(got.rows.size(), 2U) << line;
        EXPECT_EQ(got.rows[1].at.line, 3U);
    }
}

TEST(NdjsonReader, AFirstRowThatNamesNoColumnsIsRefused) {
    for (const char* text : {"{}\n", "[]\n", "[\n1,2\n]\n", "{\"a\":1"}) {
        EXPECT_THROW((void)reader_of(text), RowError) << text;
    }
    EXPECT_THROW((void)reader_of("17\n", {.kind = Dialect::Kind::ndjson}), RowError);
    EXPECT_THROW((void)reader_of("", {.kind = Dialect::Kind::ndjson}), DataError);
}

TEST(NdjsonReader, DeepNestingIsNoTrouble) {
    const std::string deep = std::string(2'000'000, '[') + std::string(2'000'000, ']');
    const Reading got = reading_of("{\"a\":1}\n{\"a\":" + deep + "}\n" + deep + "\n{\"a\":2}\n");
    EXPECT_EQ(got.errors.size(), 2U);
    EXPECT_EQ(got.rows.size(), 2U);
    EXPECT_EQ(reading_of(deep + "\n").errors.size(), 1U);
}

TEST(NdjsonReader, ARowThatIsTooLongIsPassedOver) {
    const Reading got = reading_of("[1]\n[" + std::string(100, ' ') + "2]\n[3]\n", {.longest_row = 50});
    EXPECT_TRUE(says(error_of(got).reason(), "longer than 50 bytes"));
    EXPECT_EQ(got.rows.size(), 2U);
}

TEST(NdjsonReader, PiecesOfAnySizeReadAlikeAndReadingContinuesAnywhere) {
    const std::string text =
        "\xef\xbb\xbf{\"a\":1,\"b\":\"x\"}\r\n\n{\"b\":2}\n{\"a\":}\n{\"a\":5,\"b\":6}\n{\"a\":7,\"b\":8}";
    const Reading whole = reading_of(text);
    for (std::size_t piece = 1; piece < text.size(); ++piece) {
        EXPECT_TRUE(same(whole, reading_of(text, {}, piece))) << piece;
    }
    for (std::size_t cut = 0; cut < whole.positions.size(); ++cut) {
        auto reader = reader_of(text, {}, 3);
        reader->skip_to(whole.positions[cut]);
        const Reading rest = drain(*reader);
        EXPECT_EQ(rest.rows.size() + rest.errors.size(), whole.positions.size() - 1 - cut);
        EXPECT_EQ(rest.positions.back(), whole.positions.back());
    }
}

}  // namespace
}  // namespace sluice::test
