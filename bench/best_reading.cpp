#include "best_reading.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice::bench {

ReadingErrors reading_errors(const AdaptiveModel& model) {
    ReadingErrors errors;
    for (std::size_t k = 0; k < model.outputs(); ++k) {
        std::vector<double> squares;
        for (const AdaptiveModel::Reading& reading : model.readings(k)) {
            squares.push_back(std::ldexp(reading.squares, 2 * reading.exponent));
        }
        if (!squares.empty()) {
            errors.push_back(std::move(squares));
        }
    }
    return errors;
}

std::optional<double> best_reading(const ReadingErrors& before, const ReadingErrors& after,
                                   std::span<const Score> scores) {
    if (after.empty()) {
        return std::nullopt;
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < scores.size(); ++k) {
        std::vector<double> since = after.at(k);
        for (std::size_t i = 0; i < since.size(); ++i) {
            since[i] -= before.at(k).at(i);
        }
        sum += std::ranges::min(since) / scores[k].sums().spread;
    }
    return sum / static_cast<double>(scores.size());
}

}  // namespace sluice::bench
