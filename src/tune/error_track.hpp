// error_track.hpp -- recent one-step errors of one reading, with an intercept that drifts at one of several speeds.
//
//     b <- b + (e - b) / w,   w <- g w + 1                 discounted mean of the known errors e, for each speed g
//     E <- d E + (e - b_before)^2                          discounted square of what is left one step ahead, d = 0.97
//
// The speed with the least E is used, if that is clearly less than without drift; g = 0 repeats the last error. Like e^(r) of eq. (23), but of
// predictions made before the row was learnt.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

class ErrorTrack {
  public:
    /// drifts: false keeps the intercept fixed.
    ErrorTrack(std::size_t outputs, bool drifts);

    /// An output that was observed.
    void add(std::size_t output, double observed, double predicted);

    [[nodiscard]] double error(std::size_t output) const;  ///< least E
    [[nodiscard]] double drift(std::size_t output) const;  ///< b at the speed in use
    /// Sum over the outputs of error / scale; outputs of scale 0 are passed over.
    [[nodiscard]] double loss(std::span<const double> scale) const;
    void multiply_errors(double factor);

    /// Paired comparison with the reading in use, row by row: chance moves both alike. scale: as for loss().
    void compare(const ErrorTrack& used, std::span<const double> scale);
    /// Mean gain since the comparison began, in standard errors; negative: this one was worse.
    [[nodiscard]] double t_statistic() const;
    void reset_comparison() { gain_ = gain_square_ = 0.0; }
    /// Values of this output are multiplied by `times` from now on: another unit.
    void change_unit(std::size_t output, double times);

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    static constexpr double kOff = 1.0;
    // Off, then slow to immediate. (Eleven tasks, 20 names: geometric mean of error over variance 0.084 with "off" alone,
    // 0.081 with 0.98 and 0.9 beside it, 0.062 with all of these: on some streams the errors wander within a few rows.)
    static constexpr std::array<double, 7> kSpeeds = {kOff, 0.98, 0.9, 0.7, 0.5, 0.25, 0.0};

    struct Speed {
        double mean = 0.0;    // b
        double weight = 0.0;  // w
        double error = 0.0;   // E
    };
    [[nodiscard]] const Speed& best(std::size_t output) const;

    std::size_t speeds_;
    std::vector<double> last_;  // square of the last error of each output, at the speed then in use
    double gain_ = 0.0;         // discounted sum of what the used one lost more, and of its squares
    double gain_square_ = 0.0;
    std::vector<Speed> of_;  // outputs x speeds
};

}  // namespace sluice::tune
