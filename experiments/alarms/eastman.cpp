#include "experiments/alarms/eastman.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace sluice::experiments {

namespace {

constexpr std::size_t kMeasured = 22;     // XMEAS that are inputs: the first columns
constexpr std::size_t kAllMeasured = 41;  // then XMV
constexpr int kLastFault = 21;

std::vector<double> numbers_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::vector<double> numbers{std::istream_iterator<double>(in), {}};
    if (!in.eof() || numbers.empty() || numbers.size() % kEastmanColumns != 0) {
        throw std::runtime_error(
            fmt::format("{}: not a run of the Tennessee Eastman process, which has rows of {} numbers", file.string(),
                        kEastmanColumns));
    }
    return numbers;
}

std::filesystem::path test_file(const std::string& folder, int fault) {
    return std::filesystem::path(folder) / fmt::format("d{:02}_te.dat", fault);
}

bool is_there(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
}

}  // namespace

std::string find_eastman(const std::string& data) {
    for (const auto& place : {std::filesystem::path(data) / "tep", std::filesystem::path(data)}) {
        if (!data.empty() && is_there(place / "d00.dat")) {
            return place.string();
        }
    }
    return {};
}

std::size_t eastman_tests(const std::string& folder) {
    std::size_t count = 0;
    for (int fault = 0; fault <= kLastFault; ++fault) {
        count += is_there(test_file(folder, fault)) ? 1U : 0U;
    }
    return count;
}

Eastman read_eastman(const std::string& folder) {
    Eastman out{.normal = {.fault = "00"}, .tests = {}};
    const std::vector<double> columns = numbers_in(std::filesystem::path(folder) / "d00.dat");  // one after the other
    const std::size_t rows = columns.size() / kEastmanColumns;
    out.normal.values.resize(columns.size());
    for (std::size_t j = 0; j < kEastmanColumns; ++j) {
        for (std::size_t t = 0; t < rows; ++t) {
            out.normal.values[(t * kEastmanColumns) + j] = columns[(j * rows) + t];
        }
    }
    for (int fault = 0; fault <= kLastFault; ++fault) {
        if (const auto file = test_file(folder, fault); is_there(file)) {
            out.tests.push_back({.fault = fmt::format("{:02}", fault), .values = numbers_in(file)});
        }
    }
    return out;
}

AlarmStream eastman_stream(const EastmanRun& normal, const EastmanRun& test, std::span<const std::size_t> outputs) {
    std::vector<double> all = normal.values;
    all.insert(all.end(), test.values.begin(), test.values.end());
    const auto value = [&](std::size_t row, std::size_t column) { return all[(row * kEastmanColumns) + column]; };
    constexpr std::size_t kInputs = kMeasured + (kEastmanColumns - kAllMeasured);
    AlarmStream stream{.p = kInputs * kEastmanLags,
                       .q = outputs.size(),
                       .measured = kEastmanColumns,
                       .fault_free = normal.rows() - (kEastmanLags - 1)};
    for (std::size_t row = kEastmanLags - 1; row < all.size() / kEastmanColumns; ++row) {
        for (std::size_t input = 0; input < kInputs; ++input) {
            const std::size_t column = input < kMeasured ? input : kAllMeasured + input - kMeasured;
            for (std::size_t lag = 0; lag < kEastmanLags; ++lag) {
                stream.x.push_back(value(row - lag, column));
            }
        }
        for (const std::size_t output : outputs) {
            stream.y.push_back(value(row, output - 1));
        }
        for (std::size_t column = 0; column < kEastmanColumns; ++column) {
            stream.measurements.push_back(value(row, column));
        }
    }
    return stream;
}

double variance_ratio(const EastmanRun& normal, const EastmanRun& test, std::size_t column, std::size_t first) {
    const auto variance = [&](const EastmanRun& run, std::size_t from) {
        const auto n = static_cast<double>(run.rows() - from);
        double mean = 0.0;
        for (std::size_t t = from; t < run.rows(); ++t) {
            mean += run.values[(t * kEastmanColumns) + column - 1] / n;
        }
        double square = 0.0;
        for (std::size_t t = from; t < run.rows(); ++t) {
            const double apart = run.values[(t * kEastmanColumns) + column - 1] - mean;
            square += apart * apart / n;
        }
        return square;
    };
    return variance(test, first) / variance(normal, 0);
}

}  // namespace sluice::experiments
