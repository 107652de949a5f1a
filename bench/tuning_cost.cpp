#include "tuning_cost.hpp"

#include <fmt/format.h>

#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::bench {

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
    TuningCost cost;
    for (std::size_t row = 0; row < what.first_rows + what.rows; ++row) {
        stream.next(x, y);
        const std::size_t before = allocations();
        const double of_tuned = time_of([&] { (void)tuned.learn(x, y); });
        const std::size_t after = allocations();
        const double of_plain = time_of([&] { (void)plain.learn(x, y); });
        if (row >= what.first_rows) {
            tuned_times.push_back(of_tuned);
            plain_times.push_back(of_plain);
            cost.allocations += after - before;
            cost.allocating_rows += after > before ? 1U : 0U;
            cost.names += static_cast<double>(tuned.selected().size()) / static_cast<double>(what.rows);
        }
    }
    cost.tuned = summary(std::move(tuned_times));
    cost.plain = summary(std::move(plain_times));
    cost.tuned_bytes = tuned.bytes();
    cost.plain_bytes = plain.bytes();
    return cost;
}

std::vector<TuningCase> tuning_suite() {
    return {{.inputs = 60, .outputs = 1, .most_steps = 5.0},
            {.inputs = 60, .outputs = 4},
            {.inputs = 1'000, .outputs = 1, .most_steps = 3.0},
            {.inputs = 1'000, .outputs = 4},
            {.inputs = 20'000, .outputs = 1, .first_rows = 300, .rows = 300}};
}

bool within_goals(const TuningCase& what, const TuningCost& cost) {
    constexpr double kMostTail = 5.0;
    return what.most_steps == 0.0 ||
           (cost.tuned.mean <= what.most_steps * cost.plain.mean && cost.tuned.tail() <= kMostTail);
}

std::string as_text(const TuningCase& what, const TuningCost& cost) {
    constexpr double kMegabyte = 1e6;
    const std::string goal = what.most_steps > 0.0 ? fmt::format(", goal {:.3g} {}", what.most_steps,
                                                                 within_goals(what, cost) ? "reached" : "MISSED")
                                                   : "";
    return fmt::format(
        "{:>6} inputs, {} outputs: {:8.1f} us a row, {:.2f} plain steps ({:.1f} us){}; median {:.1f} ({:.1f}), 99 % "
        "below {:.1f}: {:.1f} medians, 99.9 % below {:.1f}, maximum {:.1f}; {:.1f} names; {:.1f} MB, plain {:.1f} MB; "
        "{} allocations, in {} of {} rows\n",
        what.inputs, what.outputs, cost.tuned.mean, cost.tuned.mean / cost.plain.mean, cost.plain.mean, goal,
        cost.tuned.median, cost.plain.median, cost.tuned.p99, cost.tuned.tail(), cost.tuned.p999, cost.tuned.most,
        cost.names, static_cast<double>(cost.tuned_bytes) / kMegabyte,
        static_cast<double>(cost.plain_bytes) / kMegabyte, cost.allocations, cost.allocating_rows, what.rows);
}

}  // namespace sluice::bench
