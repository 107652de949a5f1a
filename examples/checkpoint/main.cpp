// Loads a checkpoint of `sluice stream`, continues to learn from CSV rows on standard input, and writes it back:
//
//     sluice stream plant.csv --targets y --checkpoint plant.sluice
//     ./checkpoint plant.sluice < newer-rows.csv
//     sluice inspect plant.sluice
//
// The rows have the columns of the model's inputs and targets by name, in any order, and no others are needed. Lags begin
// as missing, as at the start of a stream.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sluice/sluice.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::byte> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// Beside the file first, then renamed: a crash leaves the old file or the new one.
void replace_file(const std::string& path, const std::vector<std::byte>& bytes) {
    std::ofstream(path + ".new", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    std::rename((path + ".new").c_str(), path.c_str());
}

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> out;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) {
        out.push_back(cell);
    }
    return out;
}

std::vector<double> numbers(const std::vector<std::string>& names, const std::vector<std::string>& header,
                            const std::vector<std::string>& row) {
    std::vector<double> out;
    for (const std::string& name : names) {
        const auto at = static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
        out.push_back(at < row.size() && !row[at].empty() ? std::stod(row[at]) : std::nan(""));
    }
    return out;
}

// A column as it was that many rows before the newest one.
double earlier(const std::vector<std::vector<double>>& rows, std::size_t rows_back, std::size_t column) {
    return rows_back < rows.size() ? rows[rows.size() - 1 - rows_back][column] : std::nan("");
}

// x of the newest row, in the order of plant.input_names(): every input at every lag, then every target at every target
// lag.
std::vector<double> stacked(const sluice::NamedModel& plant, const std::vector<std::vector<double>>& inputs,
                            const std::vector<std::vector<double>>& targets) {
    std::vector<double> x;
    for (std::size_t input = 0; input < plant.roles.inputs.size(); ++input) {
        for (const std::size_t lag : plant.layout.lags) {
            x.push_back(earlier(inputs, lag, input));
        }
    }
    for (std::size_t target = 0; target < plant.roles.targets.size(); ++target) {
        for (const std::size_t lag : plant.layout.target_lags) {
            x.push_back(earlier(targets, plant.layout.rows_back(lag), target));
        }
    }
    return x;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: checkpoint MODEL < ROWS.csv\n", stderr);
        return 2;
    }
    try {
        sluice::NamedModel plant = sluice::unpack_model(read_file(argv[1]));
        std::printf("%llu rows learnt before; inputs:", static_cast<unsigned long long>(plant.model.rows_met()));
        for (const std::string& name : plant.input_names()) {
            std::printf(" %s", name.c_str());
        }
        std::printf("\n");

        std::string line;
        std::getline(std::cin, line);
        const std::vector<std::string> header = cells(line);
        std::vector<std::vector<double>> inputs;
        std::vector<std::vector<double>> targets;
        std::vector<sluice::Score> scores(plant.roles.targets.size());
        for (std::vector<std::vector<double>> x; std::getline(std::cin, line);) {
            const std::vector<std::string> row = cells(line);
            const std::vector<double> y = numbers(plant.roles.targets, header, row);
            inputs.push_back(numbers(plant.roles.inputs, header, row));
            targets.push_back(y);
            x.push_back(stacked(plant, inputs, targets));
            if (x.size() > plant.layout.horizon) {  // the inputs that this row's outputs belong to
                const std::vector<double>& then = x[x.size() - 1 - plant.layout.horizon];
                const std::vector<double> predicted = plant.model.predict(then);
                for (std::size_t j = 0; j < y.size(); ++j) {
                    scores[j].add(y[j], predicted[j]);
                }
                plant.model.learn(then, y);
            }
        }
        for (std::size_t j = 0; j < scores.size(); ++j) {
            std::printf("%s: one-step-ahead R2 %.3f\n", plant.roles.targets[j].c_str(), scores[j].r2());
        }
        std::printf("selected:");
        const std::vector<std::string> names = plant.input_names();
        for (const std::size_t input : plant.model.selected()) {
            std::printf(" %s", names[input].c_str());
        }
        std::printf("\n");
        replace_file(argv[1], sluice::pack_model(plant));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
