// raw_rows.cpp -- the core's time for rows that lie in memory, and what it learnt: the measure for bench/python.py.
//
//     raw_rows_bench X Y INPUTS [OPTION=VALUE ...]
//
// X and Y are files of doubles, row by row. Prints seconds for one call with all rows, seconds for a call per row, and the
// coefficients, in hexadecimal so that no bit is lost.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/adaptive_fields.hpp"

namespace {

std::vector<double> doubles_of(const char* path) {
    std::FILE* const file = std::fopen(path, "rb");
    if (file == nullptr) {
        throw std::invalid_argument(std::string(path) + " cannot be read");
    }
    std::vector<double> values;
    std::vector<double> block(1U << 16U);
    while (const std::size_t count = std::fread(block.data(), sizeof(double), block.size(), file)) {
        values.insert(values.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
    }
    static_cast<void>(std::fclose(file));
    return values;
}

template <typename Work>
double seconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(std::span<char*> arguments) {
    const auto x = doubles_of(arguments[1]);
    const auto y = doubles_of(arguments[2]);
    const std::size_t p = std::strtoul(arguments[3], nullptr, 10);
    const sluice::Rows inputs(x, p);
    const std::size_t q = y.size() / inputs.count();
    const sluice::Rows outputs(y, q);

    sluice::AdaptiveOptions options;
    for (const std::string_view setting : arguments.subspan(4)) {
        const auto split = setting.find('=');
        for (const auto& field : sluice::adaptive_fields()) {
            if (field.name == setting.substr(0, split)) {
                field.set(options, setting.substr(split + 1));
            }
        }
    }
    sluice::AdaptiveModel together(p, q, options);
    std::printf("%.9f\n", seconds([&] { static_cast<void>(together.learn_many(inputs, outputs)); }));
    sluice::AdaptiveModel single(p, q, options);
    std::printf("%.9f\n", seconds([&] {
                    for (std::size_t row = 0; row < inputs.count(); ++row) {
                        static_cast<void>(single.learn(inputs[row], outputs[row]));
                    }
                }));
    const sluice::Matrix coefficients = together.coefficients();
    for (std::size_t k = 0; k < q; ++k) {
        for (const double value : coefficients.column(k)) {
            std::printf("%a ", value);
        }
    }
    std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        std::fputs("raw_rows_bench X Y INPUTS [OPTION=VALUE ...]\n", stderr);
        return 2;
    }
    try {
        run({arguments, static_cast<std::size_t>(count)});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
