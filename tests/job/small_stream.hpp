// small_stream.hpp -- a stream to run jobs on, small enough to run them often.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/simulate.hpp"
#include "stream_job.hpp"

namespace sluice::test {

/// CSV with columns x1.., y1.. and when.
inline std::string small_stream(std::size_t rows, std::size_t inputs = 8, std::size_t outputs = 2,
                                double missing_share = 0.03, std::uint64_t seed = 1) {
    FactorStream stream(
        {.inputs = inputs, .outputs = outputs, .groups = 3, .drift = 0.05, .missing_share = missing_share}, seed);
    std::string text = "when";
    for (std::size_t i = 1; i <= inputs; ++i) {
        text += ",x" + std::to_string(i);
    }
    for (std::size_t j = 1; j <= outputs; ++j) {
        text += ",y" + std::to_string(j);
    }
    text += "\n";
    std::vector<double> x(inputs);
    std::vector<double> y(outputs);
    for (std::size_t row = 0; row < rows; ++row) {
        stream.next(x, y);
        text += "day " + std::to_string(row);
        for (const auto* cells : {&x, &y}) {
            for (const double cell : *cells) {
                text += "," + (std::isnan(cell) ? std::string() : std::to_string(cell));
            }
        }
        text += "\n";
    }
    return text;
}

inline job::StreamSettings small_settings(const std::string& input) {
    job::StreamSettings settings;
    settings.input = input;
    settings.roles.targets = {"y1", "y2"};
    settings.roles.time = "when";
    settings.options.tuning = Tuning::off();
    settings.options.model.components = 2;
    settings.options.model.keep = {2};
    return settings;
}

inline void ignore_message(const job::Message& /*message*/) {}

}  // namespace sluice::test
