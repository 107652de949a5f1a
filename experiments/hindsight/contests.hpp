// contests.hpp -- the streams on which a model that chooses everything by itself meets fixed settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sluice::experiments {

/// Rows of a stream, kept so that every setting meets the same.
struct Recording {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::vector<double> x = {};
    std::vector<double> y = {};
    [[nodiscard]] std::size_t rows() const { return x.size() / inputs; }
    [[nodiscard]] std::span<const double> x_row(std::size_t t) const {
        return std::span(x).subspan(t * inputs, inputs);
    }
    [[nodiscard]] std::span<const double> y_row(std::size_t t) const {
        return std::span(y).subspan(t * outputs, outputs);
    }
};

struct Contest {
    std::string name;
    std::size_t rows = 0;
    std::function<Recording(std::uint64_t seed)> record;
};

/// The `factors` streams (100 inputs, one output and two; nothing changes, gradual drift, a break every 400 rows) of
/// `rows` rows, and the two streams of the paper.
[[nodiscard]] std::vector<Contest> contests(std::size_t rows);

}  // namespace sluice::experiments
