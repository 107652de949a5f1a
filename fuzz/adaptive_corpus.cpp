// Writes the states that the fuzzing of load_adaptive begins from:
//     cmake --build build/fuzz --target adaptive_corpus && build/fuzz/fuzz/adaptive_corpus fuzz/corpus/load_adaptive
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace {

// Outputs follow the first input, and after half of the rows the last.
sluice::AdaptiveModel taught(std::size_t p, std::size_t q, int rows, const sluice::AdaptiveOptions& options) {
    sluice::AdaptiveModel model(p, q, options);
    sluice::NormalSource normal(11);
    std::vector<double> x(p);
    std::vector<double> y(q);
    for (int row = 0; row < rows; ++row) {
        for (double& value : x) {
            value = normal.next();
        }
        for (double& value : y) {
            value = (2 * row < rows ? 3.0 * x.front() : -5.0 * x.back()) + normal.next(0.0, 0.1);
        }
        if (row % 7 == 3) {
            x.back() = std::numeric_limits<double>::quiet_NaN();
        }
        model.learn(x, y);
    }
    return model;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: adaptive_corpus FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];  // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic)
    auto write = [&](const char* name, const sluice::AdaptiveModel& model) {
        const auto bytes = model.save();
        std::ofstream out(folder + "/" + name, std::ios::binary);
        out.write(reinterpret_cast<const char*>(bytes.data()),  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
                  static_cast<std::streamsize>(bytes.size()));
    };
    sluice::Tuning forgetting = sluice::Tuning::off();
    forgetting.forgetting = true;
    sluice::Tuning variables = sluice::Tuning::off();
    variables.variables = true;
    sluice::Tuning most;
    most.names = sluice::Names::most;
    sluice::Tuning all;
    all.names = sluice::Names::all;
    sluice::Tuning alarms = sluice::Tuning::off();
    alarms.alarms = true;
    write("plain", taught(2, 1, 6, {.tuning = sluice::Tuning::off()}));
    write("fresh", taught(2, 1, 0, {}));
    write("all", taught(3, 1, 40, {}));
    write("after_break", taught(3, 1, 200, {}));
    write("given", taught(3, 1, 28, {.model = {.components = 1, .keep = {1}}}));
    write("two_outputs", taught(3, 2, 12, {.model = {.hold_bonus = 0.5}}));
    write("forgetting", taught(2, 1, 8, {.tuning = forgetting}));
    write("variables", taught(4, 1, 50, {.tuning = variables}));
    write("most_names", taught(4, 1, 20, {.model = {.names = 2}, .tuning = most}));
    write("all_names", taught(4, 2, 20, {.tuning = all}));
    write("alarms", taught(2, 1, 60, {.model = {.components = 1, .keep = {1}}, .tuning = alarms}));
    return 0;
}
