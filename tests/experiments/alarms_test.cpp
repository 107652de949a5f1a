// The experiment on alarms: on runs made here in the form of the Tennessee Eastman files, and on the real ones where they are.
#include "experiments/alarms/alarms.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <string>
#include <vector>

#include "experiments/alarms/detectors.hpp"
#include "experiments/alarms/eastman.hpp"
#include "experiments/alarms/stationary.hpp"
#include "sluice/simulate.hpp"
#include "support/scratch.hpp"

namespace sluice::experiments::alarms_test {
namespace {

std::string real_data() {
    const char* data = std::getenv("SLUICE_DATA");  // NOLINT(concurrency-mt-unsafe)
    return data == nullptr ? "" : find_eastman(data);
}

// Column j of row t is 100 j + t / 1000.
std::vector<double> counted(std::size_t rows) {
    std::vector<double> values;
    for (std::size_t t = 0; t < rows; ++t) {
        for (std::size_t j = 0; j < kEastmanColumns; ++j) {
            values.push_back((100.0 * static_cast<double>(j)) + (0.001 * static_cast<double>(t)));
        }
    }
    return values;
}

// Normal numbers; from the fault on, XMEAS 3 is far away.
std::vector<double> noisy(std::size_t rows, std::uint64_t seed, bool fault) {
    NormalSource normal(seed);
    std::vector<double> values(rows * kEastmanColumns);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool moved = fault && i / kEastmanColumns >= kEastmanFault && i % kEastmanColumns == 2;
        values[i] = normal.next(moved ? 20.0 : 0.0, 1.0);
    }
    return values;
}

void write(const std::filesystem::path& file, const std::vector<double>& values, bool transposed) {
    std::ofstream out(file);
    out << std::setprecision(10);
    const std::size_t rows = values.size() / kEastmanColumns;
    for (std::size_t i = 0; i < (transposed ? kEastmanColumns : rows); ++i) {
        for (std::size_t j = 0; j < (transposed ? rows : kEastmanColumns); ++j) {
            out << "  " << values[transposed ? (j * kEastmanColumns) + i : (i * kEastmanColumns) + j];
        }
        out << "\n";
    }
}

TEST(Eastman, FilesAreReadAndTheFirstIsTransposed) {
    const test::Scratch scratch;
    const std::filesystem::path folder = scratch.path("tep");
    std::filesystem::create_directory(folder);
    write(folder / "d00.dat", counted(20), true);
    write(folder / "d00_te.dat", counted(30), false);
    write(folder / "d13_te.dat", counted(25), false);
    EXPECT_EQ(find_eastman(folder.parent_path().string()), folder.string());
    EXPECT_EQ(find_eastman(folder.string()), folder.string());
    EXPECT_EQ(eastman_tests(folder.string()), 2U);
    const Eastman data = read_eastman(folder.string());
    ASSERT_EQ(data.normal.rows(), 20U);
    ASSERT_EQ(data.tests.size(), 2U);
    EXPECT_EQ(data.tests[1].fault, "13");
    EXPECT_EQ(data.tests[1].rows(), 25U);
    EXPECT_DOUBLE_EQ(data.normal.values[(7 * kEastmanColumns) + 40], 4000.007);
    EXPECT_DOUBLE_EQ(data.tests[0].values[(7 * kEastmanColumns) + 40], 4000.007);

    std::ofstream(folder / "d01_te.dat") << "1 2 3\n";
    EXPECT_THROW((void)read_eastman(folder.string()), std::runtime_error);
}

TEST(Eastman, StreamHasLaggedInputsAndNoOutputAmongThem) {
    const EastmanRun normal{.fault = "00", .values = counted(10)};
    const EastmanRun test{.fault = "01", .values = counted(12)};
    const AlarmStream stream = eastman_stream(normal, test, std::vector<std::size_t>{40, 41});
    EXPECT_EQ(stream.p, 132U);
    EXPECT_EQ(stream.rows(), 19U);
    EXPECT_EQ(stream.fault_free, 7U);
    EXPECT_DOUBLE_EQ(stream.x_row(0)[0], 0.003);      // XMEAS 1, now
    EXPECT_DOUBLE_EQ(stream.x_row(0)[3], 0.0);        // three rows before
    EXPECT_DOUBLE_EQ(stream.x_row(0)[4], 100.003);    // XMEAS 2
    EXPECT_DOUBLE_EQ(stream.x_row(0)[88], 4100.003);  // XMV 1 is column 42
    EXPECT_DOUBLE_EQ(stream.x_row(8)[1], 0.000);      // the test run's first row is the one before
    EXPECT_DOUBLE_EQ(stream.y_row(0)[1], 4000.003);
    EXPECT_DOUBLE_EQ(stream.measured_row(18)[51], 5100.011);
}

TEST(Alarms, OfAFaultThatMovesAnInputAreFoundByTheModelAndTheChart) {
    const test::Scratch scratch;
    const std::filesystem::path folder = scratch.path("tep");
    std::filesystem::create_directory(folder);
    write(folder / "d00.dat", noisy(500, 1, false), true);
    write(folder / "d00_te.dat", noisy(300, 2, false), false);
    write(folder / "d05_te.dat", noisy(300, 3, true), false);
    const Result result = run_alarms({.runs = 1, .data = folder.string()});
    EXPECT_NE(result.json.find(R"({"outputs":"G, H","fault":"00","by":null,"rows":{"sluice":null)"), std::string::npos)
        << result.json;
    EXPECT_NE(result.json.find(R"({"outputs":"G, H","fault":"05","by":"inputs","rows":{"sluice":)"), std::string::npos)
        << result.json;
    EXPECT_NE(result.json.find(R"("before":{"sluice":0)"), std::string::npos);
    EXPECT_NE(result.json.find(R"("t2":6,"spe":6)"), std::string::npos) << "six rows in a row";
    EXPECT_EQ(result.claims[1].verdict, Verdict::holds);
    EXPECT_EQ(result.claims[2].verdict, Verdict::holds);
    EXPECT_TRUE(result.notice.empty());
}

TEST(Alarms, WithoutTheDataSayWhereItShouldBe) {
    const Result result = run_alarms({.runs = 1});
    EXPECT_NE(result.notice.find("--data"), std::string::npos);
    EXPECT_EQ(result.claims[1].verdict, Verdict::not_tested);
    EXPECT_NE(result.json.find(R"("eastman":[])"), std::string::npos);
}

TEST(Alarms, StationaryStreamsAreHalfNoise) {
    for (const Noise noise : {Noise::normal, Noise::heavy, Noise::autocorrelated}) {
        const AlarmStream stream = stationary_stream(noise, 20000, 3);
        double square = 0.0;
        double explained = 0.0;
        for (std::size_t t = 0; t < stream.rows(); ++t) {
            const auto x = stream.x_row(t);
            const double fit = (2.0 * x[0]) - x[1] + (0.5 * x[2]);
            square += stream.y[t] * stream.y[t];
            explained += fit * fit;
        }
        EXPECT_NEAR(explained / square, 0.5, 0.15) << static_cast<int>(noise);  // t(3) has no fourth moment
    }
}

TEST(Alarms, OfTheRealRunsAreRightOrMissing) {
    const std::string data = real_data();
    if (data.empty()) {
        GTEST_SKIP() << "the data is not here: set SLUICE_DATA to the folder that has tep/";
    }
    const Eastman runs = read_eastman(data);
    constexpr auto kSluice = static_cast<std::size_t>(Detector::sluice);
    for (const EastmanRun& test : runs.tests) {
        const AlarmStream stream = eastman_stream(runs.normal, test, std::vector<std::size_t>{40, 41});
        const Alarms alarms = detect(stream, kEastmanComponents);
        const std::size_t fault = test.fault == "00" ? stream.rows() : stream.fault_free + kEastmanFault;
        EXPECT_EQ(count_between(alarms[kSluice], 0, fault), 0U) << "fault " << test.fault;
        if (test.fault != "00") {
            EXPECT_GE(count_between(alarms[kSluice], fault, fault + 150), 1U) << "fault " << test.fault;
        }
    }
}

}  // namespace
}  // namespace sluice::experiments::alarms_test
