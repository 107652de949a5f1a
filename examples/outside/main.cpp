// Ten inputs, one output. The output follows inputs 3 and 7, and from row 301 on inputs 2 and 7.
#include <cstdio>
#include <sluice/sluice.hpp>
#include <vector>

int main() {
    sluice::StreamModel model(10, 1, {.components = 2, .keep = {1}, .forgetting = 0.98});
    sluice::NormalSource noise(1);
    std::vector<double> x(10);
    for (int row = 1; row <= 600; ++row) {
        for (double& value : x) {
            value = noise.next();
        }
        const double y = (2.0 * x[row <= 300 ? 3 : 2]) - x[7] + noise.next(0.0, 0.1);
        const sluice::StepReport step = model.learn(x, {&y, 1});  // predicts the row, then learns from it
        if (row % 100 == 0) {
            std::printf("row %d: selected %zu %zu, predicted %.2f, observed %.2f\n", row, step.selected[0],
                        step.selected[1], step.predicted[0], y);
        }
    }
}
