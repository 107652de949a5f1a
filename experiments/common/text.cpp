#include "experiments/common/text.hpp"

#include <cmath>
#include <iterator>

#include "format_to.hpp"

namespace sluice::experiments {

std::string json(std::span<const double> numbers) {
    std::string out = "[";
    for (const double number : numbers) {
        out += out.size() > 1 ? "," : "";
        if (std::isfinite(number)) {
            fmt::format_to(std::back_inserter(out), "{}", number);
        } else {
            out += "null";
        }
    }
    return out + "]";
}

std::string json(std::span<const Curve> components) {
    std::string out = "[";
    for (const Curve& curve : components) {
        out += fmt::format(R"({}{{"mean":{},"sd":{}}})", out.size() > 1 ? "," : "", json(curve.mean), json(curve.sd));
    }
    return out + "]";
}

std::string json(const Settings& settings) {
    std::string out = "{";
    for (const auto& [name, value] : settings) {
        out += fmt::format(R"({}"{}":{})", out.size() > 1 ? "," : "", name, value);
    }
    return out + "}";
}

std::string json_line(const Result& result, std::size_t runs, std::size_t rows, const std::string& rest) {
    return fmt::format(R"({{"figure":"{}","runs":{},"rows":{},"settings":{},{}}})", result.name, runs, rows,
                       json(result.settings), rest);
}

Settings settings_of(const Plan& plan, const StreamOptions& options) {
    const std::size_t inputs = PaperStream::inputs;
    return {{"seed", fmt::format("{}", plan.seed)},
            {"inputs", fmt::format("{}", inputs)},
            {"components", fmt::format("{}", options.components_for(inputs))},
            {"keep", fmt::format("{}", options.keep_for(0, inputs))},
            {"forgetting", fmt::format("{}", options.forgetting)},
            {"ridge", fmt::format("{}", options.ridge)},
            {"center", options.center ? "true" : "false"},
            {"balance", options.balance == Balance::trace ? R"("trace")" : R"("raw")"},
            {"loadings", options.loadings == Loadings::weighted ? R"("weighted")" : R"("instant")"},
            {"third_phase", plan.third_phase == ThirdPhase::caption ? R"("caption")" : R"("text")"}};
}

std::string csv(const std::vector<Column>& columns) {
    std::string out = "row";
    for (const Column& column : columns) {
        out += "," + column.name;
    }
    out += '\n';
    const std::size_t rows = columns.empty() ? 0 : columns.front().values.size();
    for (std::size_t t = 0; t < rows; ++t) {
        fmt::format_to(std::back_inserter(out), "{}", t + 1);
        for (const Column& column : columns) {
            fmt::format_to(std::back_inserter(out), ",{}", column.values.at(t));
        }
        out += '\n';
    }
    return out;
}

void add_columns(std::vector<Column>& columns, const std::string& prefix, std::span<const Curve> components) {
    for (std::size_t r = 0; r < components.size(); ++r) {
        columns.push_back({.name = fmt::format("{}_{}_mean", prefix, r + 1), .values = components[r].mean});
        columns.push_back({.name = fmt::format("{}_{}_sd", prefix, r + 1), .values = components[r].sd});
    }
}

std::string share(double value) {
    return fmt::format("{:.2f}", value);
}

std::string percent(double value) {
    return fmt::format("{:.0f} %", 100.0 * value);
}

std::string signed_percent(double value) {
    return fmt::format("{:+.1f} %", 100.0 * value);
}

std::string row_or_none(std::optional<std::size_t> row, std::size_t last) {
    return row ? fmt::format("row {}", *row) : fmt::format("no row up to {}", last);
}

}  // namespace sluice::experiments
