#include "compare_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "words.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t kMethodWidth = 22;
constexpr std::size_t kMostTargetsShown = 4;  // each with a column of its own; of more, the worst
constexpr std::size_t kNumberWidth = 10;

}  // namespace

std::string error_text(double error) {
    constexpr double kLong = 1e4;
    return std::isfinite(error) && std::abs(error) >= kLong ? fmt::format("{:.2e}", error) : fixed(error, 4);
}

std::string bytes_text(std::size_t bytes) {
    constexpr double kStep = 1000.0;
    auto size = static_cast<double>(bytes);
    for (const char* unit : {"B", "kB", "MB"}) {
        if (size < kStep) {
            return fmt::format("{:.{}f} {}", size, size < 10.0 && unit[0] != 'B' ? 1 : 0, unit);
        }
        size /= kStep;
    }
    return fmt::format("{:.1f} GB", size);
}

std::string mark_of(const compare::MethodResult& method) {
    return method.best ? "*" : method.best_selecting ? "+" : " ";
}

std::string about_text(const compare::CompareResult& result) {
    std::string out = grouped(result.rows) + " rows";
    if (result.skipped > 0) {
        out += fmt::format(", {} bad ones skipped", grouped(result.skipped));
    }
    out += fmt::format(", {} inputs, {} target{}; predicted {}", grouped(result.inputs), grouped(result.targets.size()),
                       result.targets.size() == 1 ? "" : "s",
                       result.horizon == 0   ? "one step ahead"
                       : result.horizon == 1 ? "1 row ahead"
                                             : fmt::format("{} rows ahead", grouped(result.horizon)));
    if (result.warmup > 0) {
        out += fmt::format(", the first {} rows not scored", grouped(result.warmup));
    }
    return out + fmt::format(". Methods that select use at most {} inputs.", grouped(result.names));
}

void print_compare_table(std::FILE* to, const compare::CompareResult& result) {
    fmt::print(to, "{}\n\n", about_text(result));
    const std::size_t targets = result.targets.size();
    const bool each = targets > 1 && targets <= kMostTargetsShown;
    const std::size_t name_width = [&] {
        std::size_t width = kMethodWidth;
        for (const auto& method : result.methods) {
            width = std::max(width, method.name.size());
        }
        return width;
    }();
    fmt::print(to, "  {:<{}} {:<8} {:>{}}", "error over variance", name_width, "", targets == 1 ? "" : "mean",
               kNumberWidth);
    if (targets > 1) {
        fmt::print(to, " {:>{}}", "worst", kNumberWidth);
    }
    if (each) {
        for (const std::string& target : result.targets) {
            fmt::print(to, " {:>{}}", target.size() <= kNumberWidth ? target : fitted(target, kNumberWidth),
                       kNumberWidth);
        }
    }
    fmt::print(to, " {:>8} {:>9} {:>10} {:>8}\n", "inputs", "entered", "us/row", "memory");
    for (const compare::MethodResult& method : result.methods) {
        fmt::print(to, "{} {:<{}} {:<8}", mark_of(method), method.name, name_width,
                   method.selects ? "selects" : "dense");
        if (!method.failure.empty()) {
            fmt::print(to, " failed {}\n", method.failure);
            continue;
        }
        fmt::print(to, " {:>{}}", error_text(method.mean_error), kNumberWidth);
        if (targets > 1) {
            fmt::print(to, " {:>{}}", error_text(method.worst_error), kNumberWidth);
        }
        if (each) {
            for (const auto& target : method.targets) {
                fmt::print(to, " {:>{}}", error_text(target.error_over_variance), kNumberWidth);
            }
        }
        fmt::print(to, " {:>8.1f} {:>9.3f} {:>10.1f} {:>8}\n", method.names, method.turnover,
                   method.microseconds_per_row, bytes_text(method.bytes));
    }
    fmt::print(to,
               "\n* the lowest error, + the lowest of those that select. inputs: in use, mean of the rows; entered: "
               "inputs per row.\n");
}

void print_methods(std::FILE* to) {
    for (const compare::Entry& entry : compare::all_entries()) {
        fmt::print(to, "{:<{}} {:<8} {}{}\n", entry.name, kMethodWidth, entry.selects ? "selects" : "dense",
                   entry.title, entry.paper.empty() ? "" : fmt::format(" ({})", entry.paper));
    }
}

}  // namespace sluice::cli
