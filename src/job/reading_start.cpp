#include "reading_start.hpp"

#include <cstdint>

#include "column_units.hpp"
#include "state.hpp"

namespace sluice::job {

void ReadingStart::remember(std::size_t output, const AdaptiveModel& model) {
    std::vector<Squares>& squares = squares_[output];
    squares.clear();
    for (const AdaptiveModel::Reading& reading : model.readings(output)) {
        squares.push_back({.sum = reading.squares, .exponent = reading.exponent});
    }
}

void ReadingStart::save(core::StateWriter& out) const {
    for (const auto& squares : squares_) {
        out.put(static_cast<std::uint64_t>(squares.size()));
        for (const Squares& one : squares) {
            out.put(one.sum);
            out.put(static_cast<std::int64_t>(one.exponent));
        }
    }
}

void ReadingStart::load(core::StateReader& in) {
    for (auto& squares : squares_) {
        std::uint64_t readings = 0;
        in.get(readings);
        in.require(readings <= in.left() / (sizeof(double) + sizeof(std::int64_t)),
                   "its list of readings is longer than the file");
        squares.resize(readings);
        for (Squares& one : squares) {
            std::int64_t exponent = 0;
            in.get(one.sum);
            in.get(exponent);
            in.require(one.sum >= 0.0, "a sum of squares is negative");
            in.require(exponent >= -core::kExponentLimit && exponent <= core::kExponentLimit,
                       "the unit of an error is out of range");
            one.exponent = static_cast<int>(exponent);
        }
    }
}

}  // namespace sluice::job
