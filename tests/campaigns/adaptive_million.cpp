// A million rows of 20 inputs through a model that tunes itself; the relation breaks after each 100,000.
//
// Every number must be finite, the saved state must not grow after the first 10,000 rows but for the record of decisions and
// the window of the alarm, and a model loaded from it must go on alike. Takes some minutes:
//     cmake --build build/release --target adaptive_million && build/release/tests/adaptive_million [ROWS]
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace {

constexpr std::size_t p = 20;
constexpr std::size_t kPhase = 100000;
constexpr std::size_t kEarly = 10000;
constexpr std::size_t kRecord = 32768;

long resident_kilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
    sluice::NormalSource normal(1);
    sluice::AdaptiveModel model(p, 1);
    std::vector<double> x(p);
    std::size_t early = 0;
    long early_memory = 0;
    std::size_t alarms = 0;
    std::size_t decisions = 0;
    double square = 0.0;
    double variance = 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
        for (double& value : x) {
            value = normal.next();
        }
        const std::size_t phase = row / kPhase;
        const double y = (2.0 * x[phase % p]) - x[(phase + 7) % p] + normal.next(0.0, 1.5);
        const auto report = model.learn(x, {&y, 1});
        if (!std::isfinite(report.predicted[0]) || !std::isfinite(report.error_before)) {
            std::printf("row %zu: not finite\n", row);
            return 1;
        }
        alarms += report.outcome == sluice::Outcome::drift ? 1 : 0;
        decisions += report.decisions.size();
        square += report.error_before * report.error_before;
        variance += y * y;
        if (row + 1 == kEarly) {
            early = model.save().size();
            early_memory = resident_kilobytes();
        }
        if ((row + 1) % kPhase == 0) {
            const auto state = model.save();
            auto again = sluice::AdaptiveModel::load(state);
            const bool alike = again.save() == state && again.predict(x) == model.predict(x);
            std::printf(
                "%8zu rows: error over variance %.4f, %zu alarms, %zu decisions, state %zu bytes, %ld kB resident%s\n",
                row + 1, square / variance, alarms, decisions, state.size(), resident_kilobytes(),
                alike ? "" : ", LOADED DIFFERS");
            std::fflush(stdout);
            if (!alike || (early > 0 && state.size() > early + kRecord)) {
                std::puts("the state has grown, or does not go on");
                return 1;
            }
        }
    }
    std::printf("resident %ld kB after %zu rows, %ld kB after %zu\n", early_memory, kEarly, resident_kilobytes(), rows);
    return 0;
}
