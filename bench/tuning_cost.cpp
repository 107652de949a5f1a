#include "tuning_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::bench {

namespace {

Times summary_of(std::vector<double> times) {
    std::ranges::sort(times);
    double sum = 0.0;
    for (const double time : times) {
        sum += time;
    }
    const auto at = [&](double share) {
        return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    return {.median = at(0.5), .mean = sum / static_cast<double>(times.size()), .p99 = at(0.99), .most = times.back()};
}

}  // namespace

TuningCost measure_tuning(const TuningCase& what, const std::function<std::size_t()>& allocations) {
    FactorStream stream({.inputs = what.inputs, .outputs = what.outputs}, what.seed);
    AdaptiveModel tuned(what.inputs, what.outputs, {.model = {.names = 20}});
    StreamModel plain(what.inputs, what.outputs, {.forgetting = 0.98});
    std::vector<double> x(what.inputs);
    std::vector<double> y(what.outputs);
    std::vector<double> tuned_times;
    std::vector<double> plain_times;
    tuned_times.reserve(what.rows);
    plain_times.reserve(what.rows);
    const auto time = [](auto&& work) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        return 1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    TuningCost cost;
    std::size_t allocated = 0;
    for (std::size_t row = 0; row < what.first_rows + what.rows; ++row) {
        stream.next(x, y);
        const std::size_t before = allocations();
        const double of_tuned = time([&] { (void)tuned.learn(x, y); });
        const std::size_t after = allocations();
        const double of_plain = time([&] { (void)plain.learn(x, y); });
        if (row >= what.first_rows) {
            tuned_times.push_back(of_tuned);
            plain_times.push_back(of_plain);
            allocated += after - before;
            cost.names += static_cast<double>(tuned.selected().size()) / static_cast<double>(what.rows);
        }
    }
    cost.tuned = summary_of(std::move(tuned_times));
    cost.plain = summary_of(std::move(plain_times));
    cost.tuned_bytes = tuned.bytes();
    cost.plain_bytes = plain.bytes();
    cost.allocations_per_row = static_cast<double>(allocated) / static_cast<double>(what.rows);
    return cost;
}

std::string as_text(const TuningCase& what, const TuningCost& cost) {
    constexpr double kMegabyte = 1e6;
    return fmt::format(
        "{:>6} inputs, {} outputs: {:8.1f} us a row, {:.2f} plain steps ({:.1f} us); median {:.1f} ({:.1f}), 99 % "
        "below {:.1f}: "
        "{:.1f} medians; {:.1f} names; {:.1f} MB, plain {:.1f} MB; {:.3f} allocations a row\n",
        what.inputs, what.outputs, cost.tuned.mean, cost.tuned.mean / cost.plain.mean, cost.plain.mean,
        cost.tuned.median, cost.plain.median, cost.tuned.p99, cost.tuned.p99 / cost.tuned.median, cost.names,
        static_cast<double>(cost.tuned_bytes) / kMegabyte, static_cast<double>(cost.plain_bytes) / kMegabyte,
        cost.allocations_per_row);
}

}  // namespace sluice::bench
