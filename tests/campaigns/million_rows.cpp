// A million rows of 323 inputs through the screened or the dense engine, beside moments kept in long double.
//
// At each 1,000th row the reference takes the directions of the row before, makes one step of Algorithm 2 with its own
// moments, every matrix formed, and must select the same variables with the same weights to 1e-11. Takes some minutes:
//     cmake --build build/release --target million_rows && build/release/tests/million_rows [ROWS [dense]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

#include "sluice/model.hpp"
#include "sluice/simulate.hpp"

namespace {

using Number = long double;

constexpr std::size_t p = 323;
constexpr std::size_t q = 2;
constexpr std::size_t kComponents = 2;
constexpr std::size_t kKeep = 10;
constexpr double kForgetting = 0.99;
constexpr double kRidge = 1e-5;

// C and M about the weighted means, straight from eq. (15); lower triangle of C.
struct Reference {
    Number n = 0;
    std::vector<Number> mean = std::vector<Number>(p + q, 0);
    std::vector<Number> C = std::vector<Number>(p * p, 0);
    std::vector<Number> M = std::vector<Number>(p * q, 0);
    std::vector<Number> deviation = std::vector<Number>(p + q, 0);

    void add(const std::vector<double>& x, const std::vector<double>& y) {
        const Number before = static_cast<Number>(kForgetting) * n;
        n = before + 1;
        for (std::size_t i = 0; i < p + q; ++i) {
            deviation[i] = static_cast<Number>(i < p ? x[i] : y[i - p]) - mean[i];
            mean[i] += deviation[i] / n;
        }
        for (std::size_t j = 0; j < p; ++j) {
            const Number factor = before / n * deviation[j];
            for (std::size_t i = j; i < p; ++i) {
                C[(j * p) + i] = (static_cast<Number>(kForgetting) * C[(j * p) + i]) + (factor * deviation[i]);
            }
            for (std::size_t k = 0; k < q; ++k) {
                M[(k * p) + j] = (static_cast<Number>(kForgetting) * M[(k * p) + j]) + (factor * deviation[p + k]);
            }
        }
    }

    [[nodiscard]] Number c(std::size_t i, std::size_t j) const { return i >= j ? C[(j * p) + i] : C[(i * p) + j]; }

    // One step from the directions U, by columns.
    [[nodiscard]] std::vector<Number> step(const std::vector<Number>& U) const {
        Number trace = 0;
        Number square = 0;
        for (std::size_t j = 0; j < p; ++j) {
            trace += c(j, j);
        }
        for (const Number m : M) {
            square += m * m;
        }
        std::vector<Number> result(p * kComponents, 0);
        for (std::size_t r = 0; r < kComponents; ++r) {
            const Number* u = U.data() + (r * p);
            std::vector<Number> a(p, 0);
            for (std::size_t i = 0; i < p; ++i) {
                Number along = 0;
                for (std::size_t j = 0; j < p; ++j) {
                    along += c(i, j) * u[j];
                }
                a[i] = static_cast<Number>(kRidge) / trace * along;
            }
            for (std::size_t k = 0; k < q; ++k) {
                Number g = 0;
                for (std::size_t j = 0; j < p; ++j) {
                    g += M[(k * p) + j] * u[j];
                }
                for (std::size_t i = 0; i < p; ++i) {
                    a[i] += (1 - static_cast<Number>(kRidge)) / square * M[(k * p) + i] * g;
                }
            }
            for (std::size_t s = 0; s < r; ++s) {  // one earlier vector of unit length
                Number along = 0;
                for (std::size_t i = 0; i < p; ++i) {
                    along += result[(s * p) + i] * a[i];
                }
                for (std::size_t i = 0; i < p; ++i) {
                    a[i] -= along * result[(s * p) + i];
                }
            }
            std::vector<Number> sizes;
            for (const Number value : a) {
                sizes.push_back(std::abs(value));
            }
            std::ranges::nth_element(sizes, sizes.begin() + kKeep, std::greater{});
            const Number gamma = sizes[kKeep];
            Number length = 0;
            Number largest = 0;
            for (std::size_t i = 0; i < p; ++i) {
                const Number value = std::abs(a[i]) > gamma ? std::copysign(std::abs(a[i]) - gamma, a[i]) : 0;
                result[(r * p) + i] = value;
                length += value * value;
                largest = std::abs(value) > std::abs(largest) ? value : largest;
            }
            for (std::size_t i = 0; i < p; ++i) {
                result[(r * p) + i] *= (largest < 0 ? -1 : 1) / std::sqrt(length);
            }
        }
        return result;
    }
};

}  // namespace

int main(int argc, char** argv) {
    static_assert(kComponents <= 2, "the projection above is for one earlier vector");
    const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    auto options = sluice::StreamOptions::paper();
    options.components = kComponents;
    options.keep = {kKeep};
    options.forgetting = kForgetting;
    const bool dense = argc > 2 && std::string_view(argv[2]) == "dense";
    options.engine = dense ? sluice::Engine::dense : sluice::Engine::screened;
    sluice::StreamModel model(p, q, options);
    Reference reference;
    sluice::NormalSource normal(1);
    std::vector<double> x(p);
    std::vector<double> y(q);
    std::vector<Number> before(p * kComponents);
    std::size_t checked = 0;
    std::size_t differ = 0;
    Number farthest = 0;
    for (std::size_t t = 1; t <= rows; ++t) {
        const double f[] = {normal.next(), normal.next(), normal.next()};
        for (std::size_t j = 0; j < p; ++j) {
            x[j] = 2.0 + f[j % 3] + normal.next();
        }
        for (std::size_t k = 0; k < q; ++k) {
            y[k] = (10.0 * f[k]) + (5.0 * f[2]) + normal.next();
        }
        const bool check = t % 1000 == 0;
        for (std::size_t r = 0; r < kComponents && check; ++r) {
            std::ranges::copy(model.weights(r), before.begin() + static_cast<std::ptrdiff_t>(r * p));
        }
        model.learn(x, y);
        reference.add(x, y);
        if (!check) {
            continue;
        }
        ++checked;
        const auto expected = reference.step(before);
        for (std::size_t r = 0; r < kComponents; ++r) {
            bool same = true;
            for (std::size_t j = 0; j < p; ++j) {
                const auto ours = static_cast<Number>(model.weights(r)[j]);
                same = same && (ours != 0) == (expected[(r * p) + j] != 0);
                farthest = std::max(farthest, std::abs(ours - expected[(r * p) + j]));
            }
            differ += same ? 0 : 1;
        }
    }
    std::printf("%zu rows, %zu checked: %zu selections differ, weights differ by %.2Lg at most\n", rows, checked,
                differ, farthest);
    return differ == 0 && farthest <= 1e-11L ? EXIT_SUCCESS : EXIT_FAILURE;
}
