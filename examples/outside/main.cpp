// Ten input streams, one output that follows inputs 3 and 7; at row 300 it turns to inputs 2 and 7.
#include <cstdio>
#include <sluice/sluice.hpp>
#include <vector>

int main() {
    sluice::StreamModel model(10, 1, {.components = 2, .keep = {1}, .forgetting = 0.95});
    sluice::NormalSource noise(1);
    std::vector<double> x(10);
    double squared_error = 0.0;
    for (int row = 0; row < 600; ++row) {
        for (double& value : x) {
            value = noise.next();
        }
        const double y = (2.0 * x[row < 300 ? 3 : 2]) - x[7] + noise.next(0.0, 0.1);

        const double predicted = model.predict(x)[0];
        const sluice::StepReport report = model.learn(x, {&y, 1});

        squared_error += (y - predicted) * (y - predicted);
        if (row == 299 || row == 599) {
            std::printf("row %d: selected", row + 1);
            for (const std::size_t input : report.selected) {
                std::printf(" %zu", input);
            }
            std::printf("\n");
        }
    }
    std::printf("one-step-ahead mean squared error %.2f, of a variance of 5\n", squared_error / 600.0);
}
