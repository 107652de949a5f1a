// latent_reference.hpp -- the blocks of latent_reference.txt, which make_latent_reference.py has made.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "sluice/matrix.hpp"
#include "support/streams.hpp"

namespace sluice::test {

inline const Matrix& reference(const std::string& name) {
    static const std::map<std::string, Matrix> all = [] {
        std::ifstream file(SLUICE_SOURCE_DIR "/tests/baselines/latent_reference.txt");
        std::map<std::string, Matrix> blocks;
        std::string line;
        while (std::getline(file, line)) {
            std::istringstream words(line);
            std::string kind;
            std::string block;
            std::size_t rows = 0;
            std::size_t cols = 0;
            if (!(words >> kind >> block >> rows >> cols) || kind != "block") {
                continue;
            }
            Matrix values(rows, cols);
            for (std::size_t i = 0; i < rows; ++i) {
                std::getline(file, line);
                std::istringstream numbers(line);
                for (std::size_t j = 0; j < cols; ++j) {
                    if (!(numbers >> values(i, j))) {
                        throw std::runtime_error("latent_reference.txt: block " + block + " is damaged");
                    }
                }
            }
            blocks.emplace(block, std::move(values));
        }
        return blocks;
    }();
    return all.at(name);
}

/// The table of the reference, with the outputs from `first_output` on.
inline Table reference_table(std::size_t outputs = 2, std::size_t first_output = 0) {
    const Matrix& x = reference("x");
    const Matrix& y = reference("y");
    Table table{.p = x.cols(), .q = outputs, .x = {}, .y = {}};
    for (std::size_t i = 0; i < x.rows(); ++i) {
        for (std::size_t j = 0; j < x.cols(); ++j) {
            table.x.push_back(x(i, j));
        }
        for (std::size_t k = 0; k < outputs; ++k) {
            table.y.push_back(y(i, first_output + k));
        }
    }
    return table;
}

/// Each entry within `share` of the largest in its column.
inline void expect_near(const Matrix& found, const Matrix& expected, double share) {
    ASSERT_EQ(found.rows(), expected.rows());
    ASSERT_EQ(found.cols(), expected.cols());
    for (std::size_t k = 0; k < found.cols(); ++k) {
        double largest = 0.0;
        for (const double value : expected.column(k)) {
            largest = std::max(largest, std::abs(value));
        }
        for (std::size_t j = 0; j < found.rows(); ++j) {
            EXPECT_NEAR(found(j, k), expected(j, k), share * largest) << "row " << j << ", column " << k;
        }
    }
}

template <typename Model>
void learn_all(Model& model, const Table& table) {
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
    }
}

template <typename Model>
std::vector<double> predicted_by(const Model& model, std::span<const double> x, std::size_t outputs) {
    std::vector<double> y(outputs);
    model.predict(x, y);
    return y;
}

}  // namespace sluice::test
