// detectors.hpp -- the self-tuning model's alarms on a stream, beside those of the usual methods.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sluice::experiments {

/// Rows one after the other.
struct AlarmStream {
    std::size_t p = 0;  ///< inputs
    std::size_t q = 0;  ///< outputs
    std::vector<double> x = {};
    std::vector<double> y = {};
    std::size_t measured = 0;  ///< columns that a chart sees
    std::vector<double> measurements = {};
    std::size_t fault_free = 0;  ///< first rows, from which a chart and the scale of an error are known

    [[nodiscard]] std::size_t rows() const { return y.size() / q; }
    [[nodiscard]] std::span<const double> x_row(std::size_t t) const { return std::span(x).subspan(t * p, p); }
    [[nodiscard]] std::span<const double> y_row(std::size_t t) const { return std::span(y).subspan(t * q, q); }
    [[nodiscard]] std::span<const double> measured_row(std::size_t t) const {
        return std::span(measurements).subspan(t * measured, measured);
    }
};

enum class Detector { sluice, sluice_errors, adwin, t2, spe };
inline constexpr std::size_t kDetectors = 5;
inline constexpr std::array<std::string_view, kDetectors> kDetectorNames = {
    "Sluice", "Sluice, by errors", "ADWIN on the error", "PCA chart, T2", "PCA chart, SPE"};
inline constexpr std::array<std::string_view, kDetectors> kDetectorKeys = {"sluice", "sluice_errors", "adwin", "t2",
                                                                           "spe"};

/// Rows of the alarms, ascending, by detector. A chart raises none in the first, fault-free rows.
using Alarms = std::array<std::vector<std::size_t>, kDetectors>;

/// AdaptiveModel with nothing given; ADWIN on its one-step error; a PCA chart of `components` with limits at 99 % and six rows
/// in a row beyond them.
[[nodiscard]] Alarms detect(const AlarmStream& stream, std::size_t components);

/// Alarms in rows from `first` up to before `end`.
[[nodiscard]] std::size_t count_between(std::span<const std::size_t> rows, std::size_t first, std::size_t end);

}  // namespace sluice::experiments
