// Question   What does one learnt row cost, and how does it grow with the number of inputs p?
// Ours       sluice::StreamModel, StreamOptions::paper()
// Peer       Algorithm 2 written plainly with Eigen                          bench/plain_eigen.hpp
// Equal work Both must predict 100 rows alike to 1e-9 of the output's size, or nothing is timed.
// Reports    time per row of each; compare within one run only
// Not asked  accuracy; wide streams, whose engine is still to come
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "plain_eigen.hpp"
#include "sluice/sluice.hpp"

namespace {

constexpr std::size_t kRows = 512;  // cycled, so that the cache does not hold a single row
constexpr std::size_t kOutputs = 2;
constexpr std::size_t kKeep = 20;

struct Data {
    explicit Data(std::size_t inputs) : p(inputs) {
        sluice::NormalSource normal(1);
        for (std::size_t t = 0; t < kRows; ++t) {
            const double factors[] = {normal.next(), normal.next(), normal.next()};
            for (std::size_t j = 0; j < p; ++j) {
                x.push_back(factors[j % 3] + normal.next());
            }
            for (std::size_t k = 0; k < kOutputs; ++k) {
                y.push_back(10.0 * factors[k] + 5.0 * factors[k + 1] + normal.next());
            }
        }
    }
    [[nodiscard]] std::span<const double> x_row(std::size_t t) const { return std::span(x).subspan(t % kRows * p, p); }
    [[nodiscard]] std::span<const double> y_row(std::size_t t) const {
        return std::span(y).subspan(t % kRows * kOutputs, kOutputs);
    }
    std::size_t p;
    std::vector<double> x;
    std::vector<double> y;
};

Eigen::VectorXd as_eigen(std::span<const double> v) {
    return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

sluice::StreamModel ours(std::size_t p) {
    return {p, kOutputs, sluice::StreamOptions::paper()};
}

sluice::bench::PlainEigen plain(std::size_t p) {
    return {static_cast<Eigen::Index>(p),
            static_cast<Eigen::Index>(kOutputs),
            2,
            static_cast<Eigen::Index>(kKeep),
            0.98,
            1e-5};
}

bool equal_work(std::size_t p) {
    const Data data(p);
    auto model = ours(p);
    auto peer = plain(p);
    for (std::size_t t = 0; t < 100; ++t) {
        const Eigen::VectorXd expected = peer.predict(as_eigen(data.x_row(t)));
        const auto predicted = model.predict(data.x_row(t));
        for (std::size_t k = 0; k < kOutputs; ++k) {
            if (!(std::abs(predicted[k] - expected[static_cast<Eigen::Index>(k)]) <= 1e-9 * 15.0)) {
                std::printf("p = %zu, row %zu: the two differ, nothing is timed\n", p, t);
                return false;
            }
        }
        model.learn(data.x_row(t), data.y_row(t));
        peer.learn(as_eigen(data.x_row(t)), as_eigen(data.y_row(t)));
    }
    return true;
}

void sluice_row(benchmark::State& state) {
    const Data data(static_cast<std::size_t>(state.range(0)));
    auto model = ours(data.p);
    std::size_t t = 0;
    for (auto _ : state) {
        model.learn(data.x_row(t), data.y_row(t));
        ++t;
    }
    state.SetComplexityN(state.range(0));
}

void plain_eigen_row(benchmark::State& state) {
    const Data data(static_cast<std::size_t>(state.range(0)));
    auto peer = plain(data.p);
    std::size_t t = 0;
    for (auto _ : state) {
        peer.learn(as_eigen(data.x_row(t)), as_eigen(data.y_row(t)));
        ++t;
    }
    state.SetComplexityN(state.range(0));
}

BENCHMARK(sluice_row)->Arg(60)->Arg(323)->Arg(1000)->Complexity();
BENCHMARK(plain_eigen_row)->Arg(60)->Arg(323)->Arg(1000)->Complexity();

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (!equal_work(60) || !equal_work(323)) {
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
}
