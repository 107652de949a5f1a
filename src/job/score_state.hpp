// score_state.hpp -- the sums of a score as bytes.
#pragma once

#include <array>
#include <cstdint>

#include "column_units.hpp"
#include "sluice/score.hpp"
#include "state.hpp"

namespace sluice::job {

/// All but the exponent, which the first model files did not have.
inline void put_sums(core::StateWriter& out, const Score::Sums& sums) {
    out.put(static_cast<std::uint64_t>(sums.count));
    for (const double number : {sums.mean, sums.spread, sums.error}) {
        out.put(number);
    }
}

/// At most `most` observations.
[[nodiscard]] inline Score::Sums get_sums(core::StateReader& in, std::uint64_t most) {
    std::uint64_t count = 0;
    in.get(count);
    std::array<double, 3> numbers{};
    for (double& number : numbers) {
        in.get(number);
    }
    in.require(count <= most, "more rows were scored than read");
    in.require(numbers[1] >= 0.0 && numbers[2] >= 0.0, "a sum of squares is negative");
    return {.count = count, .mean = numbers[0], .spread = numbers[1], .error = numbers[2]};
}

inline void put_exponent(core::StateWriter& out, const Score::Sums& sums) {
    out.put(static_cast<std::int64_t>(sums.exponent));
}

[[nodiscard]] inline int get_exponent(core::StateReader& in) {
    std::int64_t exponent = 0;
    in.get(exponent);
    in.require(exponent >= -core::kExponentLimit && exponent <= core::kExponentLimit,
               "the unit of an error is out of range");
    return static_cast<int>(exponent);
}

}  // namespace sluice::job
