// read_csv.cpp -- how fast the same CSV is read: by Sluice, and line by line with std::getline and strtod.
//
//     read_csv_bench make FILE [ROWS]       60 columns of 17-digit numbers
//     read_csv_bench sluice|getline FILE    seconds and the sum of all numbers
//
// bench/reading.py runs these and pandas in turn.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "row_reader.hpp"
#include "source.hpp"

namespace {

constexpr std::size_t kColumns = 60;

void make(const std::string& path, std::size_t rows) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
        throw std::runtime_error("cannot write " + path);
    }
    for (std::size_t j = 0; j < kColumns; ++j) {
        std::fprintf(file, "%sx%zu", j == 0 ? "" : ",", j + 1);
    }
    std::fputc('\n', file);
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal(0.0, 10.0);
    for (std::size_t t = 0; t < rows; ++t) {
        for (std::size_t j = 0; j < kColumns; ++j) {
            std::fprintf(file, "%s%.17g", j == 0 ? "" : ",", normal(random));
        }
        std::fputc('\n', file);
    }
    std::fclose(file);
}

// Both keep every number, as a program that uses them would, and sum them so that the results can be compared.
double read_by_sluice(const std::string& path) {
    const auto reader = sluice::io::open_rows(sluice::io::open_source(path), {});
    std::vector<std::size_t> all(reader->columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    reader->want(all, {});
    double sum = 0.0;
    for (sluice::io::Row row; reader->next(row);) {
        for (const double value : row.numbers) {
            sum += value;
        }
    }
    return sum;
}

double read_by_getline(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    std::vector<double> numbers(kColumns);
    double sum = 0.0;
    while (std::getline(file, line)) {
        char* at = line.data();
        for (double& number : numbers) {
            number = std::strtod(at, &at);
            at += *at == ',' ? 1 : 0;
        }
        for (const double value : numbers) {
            sum += value;
        }
    }
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv, argv + argc);
    if (words.size() >= 3 && words[1] == "make") {
        constexpr std::size_t kRows = 50'000;
        make(words[2], words.size() > 3 ? std::stoul(words[3]) : kRows);
        return 0;
    }
    if (words.size() != 3 || (words[1] != "sluice" && words[1] != "getline")) {
        std::fputs("usage: read_csv_bench make FILE [ROWS] | sluice FILE | getline FILE\n", stderr);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    const double sum = words[1] == "sluice" ? read_by_sluice(words[2]) : read_by_getline(words[2]);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    std::printf("%.6f %.17g\n", time.count(), sum);
    return 0;
}
