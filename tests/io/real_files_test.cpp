// The files of $SLUICE_DATA as they are: rows counted, and values that its README.md states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "reading.hpp"

namespace sluice::test::real_files_test {
namespace {

// Nothing where the file is not here.
std::unique_ptr<io::RowReader> open_real(const std::string& file, const Dialect& dialect) {
    const char* data = std::getenv("SLUICE_DATA");  // NOLINT(concurrency-mt-unsafe)
    if (data == nullptr || !std::filesystem::exists(std::filesystem::path(data) / file)) {
        return nullptr;
    }
    return io::open_rows(io::open_source((std::filesystem::path(data) / file).string()), dialect);
}

std::vector<Row> rows_of(io::RowReader& reader, const std::vector<std::size_t>& numbers,
                         const std::vector<std::size_t>& texts = {}) {
    reader.want(numbers, texts);
    std::vector<Row> rows;
    for (Row row; reader.next(row);) {
        rows.push_back(row);
    }
    return rows;
}

std::vector<std::size_t> range(std::size_t from, std::size_t to) {
    std::vector<std::size_t> out(to - from);
    std::iota(out.begin(), out.end(), from);
    return out;
}

#define SLUICE_OPEN_REAL(reader, file, ...)                                                \
    const auto reader = open_real(file, Dialect{__VA_ARGS__});                             \
    if (reader == nullptr) {                                                               \
        GTEST_SKIP() << file << " is not here: set SLUICE_DATA to the folder that has it"; \
    }

TEST(RealFiles, AirQualityHasItsGapsMarkedByANumber) {
    SLUICE_OPEN_REAL(reader, "air_quality/AirQualityUCI.csv", .missing = {"-200"});
    ASSERT_EQ(reader->columns().size(), 15U);
    EXPECT_EQ(reader->columns()[2], "CO_GT");
    const auto rows = rows_of(*reader, range(2, 15), {0, 1});
    ASSERT_EQ(rows.size(), 9357U);
    EXPECT_EQ(rows[0].texts, (std::vector<std::string>{"10/03/2004", "18:00:00"}));
    EXPECT_EQ(rows[0].numbers[0], 2.6);
    EXPECT_EQ(rows[0].numbers[12], 0.7578);
    const std::vector<int> gaps{1683, 366, 8443, 366, 366, 1639, 366, 1642, 366, 366, 366, 366, 366};
    for (std::size_t column = 0; column < gaps.size(); ++column) {
        EXPECT_EQ(std::ranges::count_if(rows, [&](const Row& row) { return std::isnan(row.numbers[column]); }),
                  gaps[column])
            << reader->columns()[column + 2];
    }
    EXPECT_EQ(rows.back().at.line, 9358U);
}

TEST(RealFiles, TheSulphurUnitHasATitleBlanksAndCrLf) {
    SLUICE_OPEN_REAL(reader, "soft_sensors/SRU_data.txt", .header = Dialect::Header::no, .skip = 4);
    ASSERT_EQ(reader->columns().size(), 7U);
    const auto rows = rows_of(*reader, range(0, 7));
    ASSERT_EQ(rows.size(), 10081U);
    EXPECT_EQ(rows[0].numbers[0], 6.6311319e-001);
    EXPECT_EQ(rows[0].numbers[6], 1.9147575e-001);
    EXPECT_EQ(rows[0].at.line, 5U);
    for (const Row& row : rows) {
        ASSERT_TRUE(std::ranges::all_of(row.numbers, [](double v) { return v >= 0.0 && v <= 1.0; })) << row.at.line;
    }
}

TEST(RealFiles, TheDebutanizerToo) {
    SLUICE_OPEN_REAL(reader, "soft_sensors/debutanizer_data.txt", .header = Dialect::Header::no, .skip = 4);
    EXPECT_EQ(reader->columns().size(), 8U);
    EXPECT_EQ(rows_of(*reader, range(0, 8)).size(), 2394U);
}

TEST(RealFiles, GasBatchesHaveNoHeaderAndATextFirst) {
    SLUICE_OPEN_REAL(reader, "gas_drift/batch1.dat", .header = Dialect::Header::no);
    ASSERT_EQ(reader->columns().size(), 130U);
    const auto rows = rows_of(*reader, range(1, 130), {0});
    ASSERT_EQ(rows.size(), 445U);
    EXPECT_EQ(rows[0].texts[0], "Ethanol");
    EXPECT_EQ(rows[0].numbers[0], 10.0);
    EXPECT_EQ(rows[0].numbers[1], 15596.1621);
}

TEST(RealFiles, SpectraHaveNumbersForNamesAndOneWithout) {
    const std::vector<std::pair<std::string, std::size_t>> scales{{"laboratory", 89}, {"pilot", 72}, {"full", 67}};
    for (const auto& [scale, count] : scales) {
        SLUICE_OPEN_REAL(reader, "nir_shootout2012/shootout_2012_" + scale + "_scale.csv", );
        ASSERT_EQ(reader->columns().size(), 374U);
        EXPECT_EQ(reader->columns()[0], "c1");
        EXPECT_EQ(reader->columns()[1], "API");
        EXPECT_EQ(reader->columns()[2], "952.42");
        EXPECT_EQ(reader->columns()[373], "1309.3");
        const auto rows = rows_of(*reader, range(1, 374));
        ASSERT_EQ(rows.size(), count) << scale;
        for (const Row& row : rows) {
            EXPECT_TRUE(row.numbers[0] > 4.5 && row.numbers[0] < 9.9) << row.numbers[0];
        }
    }
}

TEST(RealFiles, StockReturnsHaveBlanksInTheirNames) {
    SLUICE_OPEN_REAL(reader, "sp500_daily_2006_2012/sp500_returns.csv", );
    ASSERT_EQ(reader->columns().size(), 278U);
    EXPECT_EQ(reader->columns()[10], "A UN Equity");
    const auto rows = rows_of(*reader, range(1, 278), {0});
    ASSERT_EQ(rows.size(), 1761U);
    double least = 0.0;
    double most = 0.0;
    for (const Row& row : rows) {
        ASSERT_TRUE(std::ranges::none_of(row.numbers, [](double v) { return std::isnan(v); }));
        least = std::min(least, std::ranges::min(row.numbers));
        most = std::max(most, std::ranges::max(row.numbers));
    }
    EXPECT_NEAR(least, -0.61, 0.005);
    EXPECT_NEAR(most, 1.02, 0.005);
}

}  // namespace
}  // namespace sluice::test::real_files_test
