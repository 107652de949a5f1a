// heatmap.hpp -- which streams were selected when, as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sluice::cli {

/// Streams from top to bottom, two to a line; rows of the stream from left to right, several to a column. Component 1
/// and component 2 have a colour each, stronger the longer a stream was selected; without colour they are 1 and 2,
/// and + and - where a stream was selected for less than half of the time.
class Heatmap {
  public:
    Heatmap(std::size_t streams, std::size_t rows, std::size_t columns);

    void mark(std::size_t row, std::size_t component, std::span<const std::size_t> selected);
    [[nodiscard]] std::vector<std::string> lines(bool colour) const;

  private:
    struct Cell {
        double share = 0.0;         // of the time, for the component selected longer
        std::size_t component = 0;  // which that is
    };
    [[nodiscard]] Cell cell(std::size_t first_stream, std::size_t streams, std::size_t column) const;
    [[nodiscard]] double& count(std::size_t component, std::size_t stream, std::size_t column);

    std::size_t streams_;
    std::size_t rows_;
    std::size_t columns_;
    std::vector<double> counts_;
    std::vector<double> rows_in_column_;
};

}  // namespace sluice::cli
