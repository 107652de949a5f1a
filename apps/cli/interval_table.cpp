#include "interval_table.hpp"

#include <fmt/format.h>

#include "words.hpp"

namespace sluice::cli {

void print_interval_table(std::FILE* to, const job::Intervals& intervals, const std::vector<std::string>& targets) {
    fmt::print(to, "\n{} {:>10} {:>16} {:>25}\n",
               fitted(fmt::format("interval, {:g} asked", intervals.coverage_asked()), kNameWidth), "inside",
               "mean width", "rows with an interval");
    for (std::size_t j = 0; j < targets.size(); ++j) {
        const job::Intervals::Counts& counts = intervals.counts()[j];
        fmt::print(to, "{} {:>10} {:>16} {:>25}\n", fitted(targets[j], kNameWidth), fixed(counts.coverage(), 4),
                   counts.rows > 0 ? fmt::format("{:.4g}", counts.mean_width) : "-", grouped(counts.rows));
    }
}

}  // namespace sluice::cli
