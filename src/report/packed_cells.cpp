#include "packed_cells.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace sluice::report {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append(std::string& out, double share, double steps, double zero) {
    const double known = std::isfinite(share) ? share : 0.0;  // sums of huge numbers may be too large
    const double number = std::clamp(zero + std::round(known * steps), 0.0, 4095.0);
    const auto bits = static_cast<unsigned>(number);
    out += kDigits[bits / 64];
    out += kDigits[bits % 64];
}

}  // namespace

PackedCells pack(std::span<const Cell> cells) {
    PackedCells out;
    const auto weight = [](const Cell& cell) { return std::abs(cell.weight) / cell.rows; };
    const auto gain = [](const Cell& cell) { return cell.gain / cell.rows; };
    bool has_gains = true;
    for (const Cell& cell : cells) {
        out.weight_scale = std::max(out.weight_scale, weight(cell));
        has_gains = has_gains && std::isfinite(gain(cell));
        out.gain_scale = has_gains ? std::max(out.gain_scale, std::abs(gain(cell))) : 0.0;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i == 0 || cells[i].index != cells[i - 1].index + 1) {
            out.runs.push_back(cells[i].index);
            out.runs.push_back(0);
        }
        ++out.runs.back();
        append(out.weights, out.weight_scale > 0.0 ? weight(cells[i]) / out.weight_scale : 0.0, 4095.0, 0.0);
        if (has_gains) {
            append(out.gains, out.gain_scale > 0.0 ? gain(cells[i]) / out.gain_scale : 0.0, 2047.0, 2048.0);
        }
    }
    return out;
}

}  // namespace sluice::report
