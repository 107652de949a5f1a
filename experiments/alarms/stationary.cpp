#include "experiments/alarms/stationary.hpp"

#include <algorithm>
#include <cmath>

#include "sluice/simulate.hpp"

namespace sluice::experiments {

namespace {

constexpr std::size_t kFaultFree = 500;  // rows that a chart is made from
constexpr double kMemory = 0.9;

class Source {
  public:
    Source(Noise noise, std::uint64_t seed) : noise_(noise), normal_(seed) {}
    // state: of an autocorrelated series.
    double next(double& state) {
        const double z = normal_.next();
        if (noise_ == Noise::autocorrelated) {
            state = (kMemory * state) + (std::sqrt(1.0 - (kMemory * kMemory)) * z);
            return state;
        }
        if (noise_ == Noise::heavy) {  // t(3) by its definition
            double chi = 0.0;
            for (int i = 0; i < 3; ++i) {
                const double other = normal_.next();
                chi += other * other;
            }
            return z / std::sqrt(chi);
        }
        return z;
    }

  private:
    Noise noise_;
    NormalSource normal_;
};

}  // namespace

AlarmStream stationary_stream(Noise noise, std::size_t rows, std::uint64_t seed) {
    constexpr std::size_t p = kStationaryInputs;
    AlarmStream stream{.p = p, .q = 1, .measured = p + 1, .fault_free = std::min(kFaultFree, rows / 2)};
    Source source(noise, seed);
    std::array<double, p + 1> state{};
    for (std::size_t t = 0; t < rows; ++t) {
        std::array<double, p> x{};
        for (std::size_t j = 0; j < p; ++j) {
            x.at(j) = source.next(state.at(j));
        }
        const double y = (2.0 * x[0]) - x[1] + (0.5 * x[2]) + (std::sqrt(5.25) * source.next(state[p]));
        stream.x.insert(stream.x.end(), x.begin(), x.end());
        stream.y.push_back(y);
        stream.measurements.insert(stream.measurements.end(), x.begin(), x.end());
        stream.measurements.push_back(y);
    }
    return stream;
}

}  // namespace sluice::experiments
