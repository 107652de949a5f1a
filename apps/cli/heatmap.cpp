#include "heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::cli {

namespace {

constexpr std::size_t kComponents = 2;
constexpr std::size_t kStreamsToALine = 2;

// From an unselected stream to one that was always selected, for each component: dark blue and amber, told apart by
// brightness too. Numbers of the 256-colour palette.
constexpr std::size_t kShades = 5;
constexpr std::array<std::array<int, kShades>, kComponents> kShade = {
    {{235, 24, 31, 38, 45}, {235, 94, 130, 172, 214}}};

int shade_of(double share, std::size_t component) {
    const auto step = static_cast<std::size_t>(std::lround(share * static_cast<double>(kShades - 1)));
    return kShade.at(component).at(step);
}

}  // namespace

Heatmap::Heatmap(std::size_t streams, std::size_t rows, std::size_t columns)
    : streams_(streams),
      rows_(rows),
      columns_(columns),
      counts_(kComponents * streams * columns, 0.0),
      rows_in_column_(columns, 0.0) {}

double& Heatmap::count(std::size_t component, std::size_t stream, std::size_t column) {
    return counts_.at((((component * streams_) + stream) * columns_) + column);
}

void Heatmap::mark(std::size_t row, std::size_t component, std::span<const std::size_t> selected) {
    const std::size_t column = row * columns_ / rows_;
    rows_in_column_.at(column) += component == 0 ? 1.0 : 0.0;
    for (const std::size_t stream : selected) {
        count(component, stream, column) += 1.0;
    }
}

Heatmap::Cell Heatmap::cell(std::size_t first_stream, std::size_t streams, std::size_t column) const {
    Cell best;
    for (std::size_t component = 0; component < kComponents; ++component) {
        double sum = 0.0;
        for (std::size_t s = first_stream; s < first_stream + streams; ++s) {
            sum += counts_.at((((component * streams_) + s) * columns_) + column);
        }
        const double share = sum / (rows_in_column_.at(column) * static_cast<double>(streams));
        if (share > best.share) {
            best = {.share = std::min(share, 1.0), .component = component};
        }
    }
    return best;
}

std::vector<std::string> Heatmap::lines(bool colour) const {
    std::vector<std::string> lines;
    for (std::size_t stream = 0; stream + kStreamsToALine <= streams_; stream += kStreamsToALine) {
        std::string line;
        for (std::size_t column = 0; column < columns_; ++column) {
            if (colour) {
                const Cell upper = cell(stream, 1, column);
                const Cell lower = cell(stream + 1, 1, column);
                line += fmt::format("\x1b[38;5;{}m\x1b[48;5;{}m▀", shade_of(upper.share, upper.component),
                                    shade_of(lower.share, lower.component));
            } else {
                const Cell both = cell(stream, kStreamsToALine, column);
                const bool first = both.component == 0;
                const char strong = first ? '1' : '2';
                const char weak = first ? '+' : '-';
                line += both.share >= 0.5 ? strong : (both.share >= 0.125 ? weak : ' ');
            }
        }
        lines.push_back(colour ? line + "\x1b[0m" : line.erase(line.find_last_not_of(' ') + 1));
    }
    return lines;
}

}  // namespace sluice::cli
