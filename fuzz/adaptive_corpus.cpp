// Writes the states that the fuzzing of load_adaptive begins from, with nothing compressed, so that the fuzzer changes numbers. Those whose
// names do not begin with v5_ are of earlier formats.
//     cmake --build build/fuzz --target adaptive_corpus && build/fuzz/fuzz/adaptive_corpus fuzz/corpus/load_adaptive
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"
#include "support/damaged_state.hpp"

namespace {

// Outputs follow the first input, and in the last rows, `broken` of them, the last input.
sluice::AdaptiveModel taught(std::size_t p, std::size_t q, int rows, const sluice::AdaptiveOptions& options,
                             int broken = 0) {
    sluice::AdaptiveModel model(p, q, options);
    sluice::NormalSource normal(11);
    std::vector<double> x(p);
    std::vector<double> y(q);
    for (int row = 0; row < rows; ++row) {
        for (double& value : x) {
            value = normal.next();
        }
        for (double& value : y) {
            value = (row < rows - broken ? 3.0 * x.front() : -5.0 * x.back()) + normal.next(0.0, 0.1);
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
        const auto bytes = sluice::test::uncompressed(model.save());
        std::ofstream out(folder + "/v5_" + name, std::ios::binary);
        out.write(reinterpret_cast<const char*>(bytes.data()),  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
                  static_cast<std::streamsize>(bytes.size()));
    };
    auto only = [](bool sluice::Tuning::*flag) {
        sluice::Tuning tuning = sluice::Tuning::off();
        tuning.*flag = true;
        return tuning;
    };
    // Small ones: an intercept that drifts makes four readings of each.
    sluice::Tuning fixed;
    fixed.intercept = false;
    sluice::Tuning most = fixed;
    most.names = sluice::Names::most;
    sluice::Tuning all = fixed;
    all.names = sluice::Names::all;
    const sluice::StreamOptions given{.components = 1, .keep = {1}};
    write("plain", taught(2, 1, 6, {.tuning = sluice::Tuning::off()}));
    write("fresh", taught(2, 1, 0, {.tuning = fixed}));
    write("all", taught(3, 1, 40, {}, 20));
    write("on_trial", taught(3, 1, 46, {.tuning = fixed}, 6));
    write("after_break", taught(3, 1, 80, {.tuning = fixed}, 40));
    write("given", taught(3, 1, 28, {.model = given, .tuning = fixed}));
    write("given_on_trial", taught(2, 1, 46, {.model = given, .tuning = fixed}, 6));
    write("two_outputs", taught(3, 2, 12, {.tuning = fixed}));
    write("forgetting", taught(2, 1, 8, {.tuning = only(&sluice::Tuning::forgetting)}));
    write("variables", taught(4, 1, 50, {.tuning = only(&sluice::Tuning::variables)}));
    write("most_names", taught(4, 1, 20, {.model = {.names = 2}, .tuning = most}));
    write("all_names", taught(4, 1, 20, {.tuning = all}));
    write("held", taught(3, 1, 62, {.tuning = fixed}, 2));  // the last rows are held back
    write("guarded", taught(3, 1, 62, {.model = {.forgetting = 0.99}, .tuning = only(&sluice::Tuning::robust)}, 2));
    write("alarms", taught(2, 1, 60, {.model = given, .tuning = only(&sluice::Tuning::alarms)}));
    return 0;
}
