#include "demo.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "heatmap.hpp"
#include "sluice/sluice.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kGroups = PaperStream::inputs / PaperStream::group_size;

// What is shown of each phase of the stream: the last row, and errors once the model had time to settle.
struct Phase {
    std::size_t first;  // rows counted from 1
    std::size_t last;
    std::size_t scored_from;
    Score score = {};
    std::array<double, 2> share_right = {};
};

// A line of the true state above the picture: which group it is, where that changes.
std::string truth_line(const std::vector<int>& group_by_row, const char* label) {
    std::string line = fmt::format("{:>14} ", label);
    const std::size_t start = line.size();
    int shown = -1;
    for (std::size_t column = 0; column < kColumns; ++column) {
        const int group = group_by_row[column * group_by_row.size() / kColumns];
        if (group != shown) {
            line.resize(start + column, ' ');
            line += fmt::format("|group {}", group + 1);
            shown = group;
        }
    }
    return line;
}

void print_picture(const Heatmap& map, bool colour, const std::vector<int>& large, const std::vector<int>& small) {
    fmt::print("{}\n{}\n", truth_line(large, "large weights"), truth_line(small, "small weights"));
    const auto lines = map.lines(colour);
    const std::size_t lines_to_a_group = lines.size() / kGroups;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t group = i / lines_to_a_group;
        const bool middle = i % lines_to_a_group == lines_to_a_group / 2;
        const bool first = i % lines_to_a_group == 0;
        const std::string label = middle  ? fmt::format("group {}", group + 1)
                                  : first ? fmt::format("x{}", (group * PaperStream::group_size) + 1)
                                          : "";
        fmt::print("{:>14} {}\n", label, lines[i]);
    }
    fmt::print("{:>14} {:<20}{:<20}{:<20}{:<16}{}\n", "row", 1, 101, 201, 301, 400);
}

}  // namespace

int run_demo(const DemoArguments& arguments) {
    const StreamOptions options = StreamOptions::paper();
    constexpr std::size_t rows = PaperStream::phase_rows;
    PaperStream stream(PaperStream::Kind::switching, arguments.seed);
    StreamModel model(PaperStream::inputs, 1, options);

    Heatmap map(PaperStream::inputs, rows, kColumns);
    std::array<Phase, 3> phases = {Phase{.first = 1, .last = 100, .scored_from = 51},
                                   Phase{.first = 101, .last = 300, .scored_from = 151},
                                   Phase{.first = 301, .last = 400, .scored_from = 351}};
    Score whole;
    std::vector<int> large;
    std::vector<int> small;
    for (std::size_t row = 1; row <= rows; ++row) {
        const PaperStream::Row truth = stream.next();
        const StepReport report = model.learn(truth.x, {&truth.y, 1});  // predicts first
        large.push_back(truth.large);
        small.push_back(truth.small);
        map.mark(row - 1, 0, model.selected(0));
        map.mark(row - 1, 1, model.selected(1));
        whole.add(truth.y, report.predicted[0]);
        for (Phase& phase : phases) {
            if (row >= phase.scored_from && row <= phase.last) {
                phase.score.add(truth.y, report.predicted[0]);
            }
            if (row == phase.last) {
                phase.share_right = {PaperStream::share_right(model.selected(0), truth.large),
                                     PaperStream::share_right(model.selected(1), truth.small)};
            }
        }
    }

    fmt::print("The paper's switching stream, row by row: {} inputs, {} components of {} variables, forgetting {}\n",
               PaperStream::inputs, model.components(), options.keep_for(0, PaperStream::inputs), options.forgetting);
    fmt::print("Selected by component 1 ({}) and component 2 ({}), seed {}\n\n", arguments.colour ? "blue" : "1, +",
               arguments.colour ? "amber" : "2, -", arguments.seed);
    print_picture(map, arguments.colour, large, small);

    fmt::print("\n{:>12}  {:>22}  {:>22}  {:>28}\n", "rows", "component 1 right", "component 2 right",
               "one-step-ahead R2");
    for (const Phase& phase : phases) {
        fmt::print("{:>12}  {:>22}  {:>22}  {:>28}\n", fmt::format("{}-{}", phase.first, phase.last),
                   fmt::format("{:.0f} % at row {}", 100.0 * phase.share_right[0], phase.last),
                   fmt::format("{:.0f} % at row {}", 100.0 * phase.share_right[1], phase.last),
                   fmt::format("{:.3f} from row {} on", phase.score.r2(), phase.scored_from));
    }
    fmt::print("\nOver all {} rows, changes included: one-step-ahead R2 {:.3f}\n", rows, whole.r2());
    return 0;
}

}  // namespace sluice::cli
