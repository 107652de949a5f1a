#include "error_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "words.hpp"

namespace sluice::cli {

namespace {

// As an ordinary number where it is short enough for its column.
std::string ratio(double number) {
    constexpr double kLong = 1e7;
    return std::abs(number) < kLong || !std::isfinite(number) ? fixed(number, 4) : fmt::format("{:.3g}", number);
}

std::string in_unit(double number) {
    return std::isfinite(number) ? fmt::format("{:.4g}", number) : "-";
}

void print_figures(std::FILE* to, const std::string& name, const job::ErrorFigures& figures, std::uint64_t rows) {
    fmt::print(to, "{} {:>10} {:>16} {:>12} {:>12}\n", fitted(name, kNameWidth), ratio(figures.r2()),
               ratio(figures.error_over_variance), in_unit(figures.rmse), grouped(rows));
}

void print_if_better(std::FILE* to, const std::string& name, const job::ErrorFigures& other,
                     const job::TargetErrors& one) {
    const double model = one.compared.model.rmse;
    if (!(other.rmse < model)) {
        return;
    }
    constexpr double kLeastShown = 0.1;
    const double smaller_by = 100.0 * (1.0 - (other.rmse / model));
    fmt::print(to, "{} predicts {} better than the model: its rmse is {} smaller.\n", name, one.target,
               smaller_by < kLeastShown ? "less than 0.1 %" : fmt::format("{:.1f} %", smaller_by));
}

}  // namespace

void print_error_table(std::FILE* to, const std::vector<job::TargetErrors>& errors, const MadeWhen& made) {
    const std::string ahead = made.late_labels    ? "before the label came"
                              : made.horizon == 0 ? "one step ahead"
                              : made.horizon == 1 ? "1 row ahead"
                                                  : fmt::format("{} rows ahead", grouped(made.horizon));
    fmt::print(to, "{} {:>10} {:>16} {:>12} {:>12}\n", fitted(ahead, kNameWidth), "R2", "error/variance", "rmse",
               "rows scored");
    const auto has_other_rows = [](const job::TargetErrors& one) { return one.compared.rows != one.scored; };
    for (const job::TargetErrors& one : errors) {
        print_figures(to, one.target, one.model, one.scored);
        if (one.believed_rows != one.scored) {
            print_figures(to, "  without suspect labels", one.believed, one.believed_rows);
        }
        if (one.best_fixed) {
            print_figures(to, "  the best fixed setting", one.best_fixed->figures, one.believed_rows);
            fmt::print(to, "    {}\n", one.best_fixed->setting);
        }
        if (has_other_rows(one)) {
            print_figures(to, "  the same rows as below", one.compared.model, one.compared.rows);
        }
        print_figures(to, "  the last value", one.compared.last_value, one.compared.rows);
        print_figures(to, "  the mean", one.compared.mean, one.compared.rows);
    }
    for (const job::TargetErrors& one : errors) {
        print_if_better(to, "The last value", one.compared.last_value, one);
        print_if_better(to, "The mean", one.compared.mean, one);
    }
    if (const auto at = std::ranges::find_if(errors, has_other_rows); at != errors.end()) {
        fmt::print(to, "The last value and the mean of earlier rows are not known: they are counted since row {}.\n",
                   grouped(at->compared.since));
    }
}

}  // namespace sluice::cli
