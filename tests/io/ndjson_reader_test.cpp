#include "ndjson_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reading.hpp"

namespace sluice::test::ndjson_reader_test {
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
        texts_of(R"({"a\u0041\n":"x\"y\u00e9","b":1.50,"c":null,"d":true,"e":[1, {"f":2}],"g":{"h":[]}})",
                 {.strict_columns = true});
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

// A new field stopped the stream; with bad rows skipped, every later row was dropped.
TEST(NdjsonReader, AKeyThatTheFirstRowDoesNotHaveIsIgnoredAndListedOnce) {
    auto reader = reader_of(R"({"a":1,"o":{"b":2}}
{"new":7,"a":3,"o":{"b":4,"c":{"d":"x"}},"without":null}
{"a":5,"new":8,"o":{"c":{"d":1}},"list":[1]}
)");
    reader->want({0, 1}, {});
    Row row;
    ASSERT_TRUE(reader->next(row));
    EXPECT_TRUE(reader->new_fields().empty());
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.numbers, (std::vector<double>{3, 4}));
    EXPECT_EQ(Names(reader->new_fields().begin(), reader->new_fields().end()), (Names{"new", "o.c.d"}));
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.numbers[0], 5);
    EXPECT_TRUE(std::isnan(row.numbers[1]));
    EXPECT_EQ(Names(reader->new_fields().begin(), reader->new_fields().end()), (Names{"new", "o.c.d", "list"}));
}

TEST(NdjsonReader, TheListOfNewKeysIsBounded) {
    std::string text = "{\"a\":1}\n{\"" + std::string(2000, 'n') + "\":1";
    for (int key = 0; key < 1500; ++key) {
        text += ",\"k" + std::to_string(key) + "\":1";
    }
    auto reader = reader_of(text + "}\n");
    reader->want({0}, {});
    Row row;
    ASSERT_TRUE(reader->next(row));
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(reader->new_fields().size(), io::RowReader::kMostNewFields);
    EXPECT_EQ(reader->new_fields()[0], "k0");
}

TEST(NdjsonReader, NestedObjectsAreFlattened) {
    const Reading got = reading_of(R"({"a":{"b":1,"c":{"d":2}},"e":3,"none":{}}
{"e":6,"a":{"c":{"d":5},"b":4}}
{"a":null,"e":9}
{"a":{"b":7}}
)");
    EXPECT_EQ(got.columns, (Names{"a.b", "a.c.d", "e"}));
    EXPECT_TRUE(numbers_are(got, {{1, 2, 3}, {4, 5, 6}, {kMissing, kMissing, 9}, {7, kMissing, kMissing}}));
    EXPECT_EQ(reading_of(R"({"a":{"b":{"c":1}}})", {.strict_columns = true}).columns, (Names{"a"}));
}

TEST(NdjsonReader, AFlattenedNameThatIsAlsoAKeyIsRefused) {
    EXPECT_THROW((void)reader_of(R"({"a":{"b":1},"a.b":2})"), RowError);
    EXPECT_EQ(error_of(reading_of("{\"a\":{\"b\":1}}\n{\"a\":{\"b\":1},\"a.b\":2}\n")).column(), "a.b");
}

TEST(NdjsonReader, ObjectsNestedDeeplyAreNoTrouble) {
    std::string open;
    std::string shut;
    for (int level = 0; level < 100'000; ++level) {
        open += "{\"a\":";
        shut += "}";
    }
    const Reading got = reading_of("{\"b\":1}\n{\"b\":2,\"a\":" + open + "1" + shut + "}\n{\"b\":3}\n");
    EXPECT_EQ(got.rows.size(), 3U);
    EXPECT_EQ(got.rows[1].numbers[0], 2);
}

TEST(NdjsonReader, ColumnsThatAreKnownNeedNotBeInTheFirstRow) {
    const io::Dialect known{.known_columns = {"a", "b", "c"}};
    const Reading got = reading_of("{\"c\":3,\"a\":1,\"new\":4}\n{\"b\":2}\n", known);
    EXPECT_EQ(got.columns, (Names{"a", "b", "c"}));
    EXPECT_TRUE(numbers_are(got, {{1, kMissing, 3}, {kMissing, 2, kMissing}}));
    EXPECT_THROW((void)reader_of("{\"x\":3,\"a\":1}\n", known), RowError);
}

TEST(NdjsonReader, ATextInATolerantColumnIsMissingAndListed) {
    auto reader =
        reader_of("{\"a\":1,\"b\":2}\n{\"a\":\"ERR\",\"b\":[3]}\n{\"a\":\"ERR\",\"b\":\"x\"}\n{\"a\":4,\"b\":1e999}\n");
    reader->want({0, 1}, {});
    reader->tolerate(0);
    Row row;
    ASSERT_TRUE(reader->next(row));
    EXPECT_TRUE(row.unreadable.empty());
    EXPECT_THROW((void)reader->next(row), RowError);  // b is not tolerant
    reader->tolerate(1);
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.unreadable, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(row.unreadable_value, "ERR");
    EXPECT_TRUE(std::isnan(row.numbers[0]) && std::isnan(row.numbers[1]));
    ASSERT_TRUE(reader->next(row));
    EXPECT_EQ(row.unreadable, (std::vector<std::size_t>{1}));
    EXPECT_EQ(row.unreadable_value, "1e999");
}

TEST(NdjsonReader, WithStrictColumnsAKeyThatTheFirstRowDoesNotHaveIsNamed) {
    const Reading got = reading_of("{\"a\":1}\n{\"a\":1,\"new\":2}\n{\"a\":3}\n", {.strict_columns = true});
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
}  // namespace sluice::test::ndjson_reader_test
