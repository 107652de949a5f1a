#include "selection_picture.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "format_to.hpp"
#include "round_step.hpp"
#include "xml_text.hpp"

namespace sluice::job {

namespace {

constexpr double kTop = 56.0;
constexpr double kAcross = 720.0;  // of the field, in pixels
constexpr double kLine = 15.0;     // of one input
constexpr double kBar = 12.0;      // what is drawn of it
constexpr double kBottom = 54.0;
constexpr double kRight = 58.0;
constexpr double kLetter = 7.2;  // a wide letter of 11 pixels
constexpr std::size_t kShades = 4;

// Colours are written out twice rather than as CSS variables, which some viewers of SVG do not know.
constexpr std::string_view kStyle = R"(<style>
text{font:11px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#1b1f24}
.title{font-size:14px;font-weight:600}.soft{fill:#5b6570}.ground{fill:#fff}.s0{stroke:#f0f2f5}.tick{stroke:#9aa4af}
.s1{stroke:#c3d9ee}.s2{stroke:#7fb2dd}.s3{stroke:#2f7fc1}.s4{stroke:#08407e}
@media (prefers-color-scheme:dark){text{fill:#e8eaed}.soft{fill:#a3adb8}.ground{fill:#15181c}.s0{stroke:#20252b}.tick{stroke:#6b7580}
.s1{stroke:#1a3a57}.s2{stroke:#24608f}.s3{stroke:#3d8fd1}.s4{stroke:#86c5ff}}
</style>
)";

template <typename... Arguments>
void put(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

std::size_t letters(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// The first letters, with an ellipsis where some are missing.
std::string cut(std::string_view text, std::size_t most) {
    if (letters(text) <= most) {
        return std::string(text);
    }
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        seen += (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U ? 1U : 0U;
        if (seen == most) {
            break;
        }
    }
    return std::string(text.substr(0, end)) + "\u2026";
}

std::string grouped(std::uint64_t number) {
    std::string text = fmt::format("{}", number);
    for (std::size_t at = text.size(); at > 3; at -= 3) {
        text.insert(at - 3, ",");
    }
    return text;
}

// Where each column begins: rows before it.
std::vector<std::uint64_t> starts_of(const SelectionLog& log) {
    std::vector<std::uint64_t> starts = {0};
    for (const auto& column : log.columns) {
        starts.push_back(starts.back() + column.rows);
    }
    return starts;
}

// The inputs selected in most rows, ordered by the middle of the time in which they were: what came late is below.
std::vector<const SelectionLog::Variable*> lines_of(const SelectionLog& log, std::size_t most) {
    std::vector<const SelectionLog::Variable*> lines;
    lines.reserve(log.variables.size());
    for (const auto& variable : log.variables) {
        lines.push_back(&variable);
    }
    std::ranges::stable_sort(lines, std::greater{}, &SelectionLog::Variable::rows);
    lines.resize(std::min(lines.size(), most));
    const auto middle = [](const SelectionLog::Variable* variable) {
        double moment = 0.0;
        for (std::size_t k = 0; k < variable->by_column.size(); ++k) {
            moment += static_cast<double>(k) * variable->by_column[k];
        }
        return moment / static_cast<double>(variable->rows);
    };
    std::ranges::stable_sort(lines, std::less{}, middle);
    return lines;
}

struct Tick {
    double rows = 0.0;  // before it
    std::string label;
};

std::vector<Tick> row_ticks(const SelectionLog& log) {
    std::vector<Tick> ticks;
    const std::uint64_t first = log.columns.front().row;
    const std::uint64_t step = io::round_step(log.last_row - first + 1);
    const double scale = static_cast<double>(log.rows) / static_cast<double>(log.last_row - first + 1);
    for (std::uint64_t row = (first + step - 1) / step * step; row <= log.last_row; row += step) {
        ticks.push_back({.rows = static_cast<double>(row - first) * scale, .label = grouped(row)});
    }
    return ticks;
}

// Dates that begin with the year have a tick where a year, a month or a day begins, whichever gives a few of them.
std::vector<Tick> date_ticks(const SelectionLog& log, const std::vector<std::uint64_t>& starts) {
    const auto is_dated = [](const SelectionLog::Column& column) {
        const std::string& time = column.time;
        const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(time[i])) != 0; };
        return time.size() >= 10 && digit(0) && digit(1) && digit(2) && digit(3) && time[4] == time[7];
    };
    if (!std::ranges::all_of(log.columns, is_dated)) {
        return {};
    }
    for (const std::size_t length : {4U, 7U, 10U}) {
        std::vector<Tick> ticks;
        for (std::size_t k = 1; k < log.columns.size(); ++k) {
            const std::string now = log.columns[k].time.substr(0, length);
            if (now != log.columns[k - 1].time.substr(0, length)) {
                ticks.push_back({.rows = static_cast<double>(starts[k]), .label = now});
            }
        }
        if (ticks.size() >= 3 && ticks.size() <= 10) {
            if (ticks.front().rows > static_cast<double>(log.rows) / 12.0) {  // there is room for the first label
                ticks.insert(ticks.begin(), {.rows = 0.0, .label = log.columns.front().time.substr(0, length)});
            }
            return ticks;
        }
    }
    return {};
}

// Other times as they are in the data, at equal distances.
std::vector<Tick> time_ticks(const SelectionLog& log, const std::vector<std::uint64_t>& starts) {
    std::size_t widest = 0;
    for (const auto& column : log.columns) {
        widest = std::max(widest, letters(column.time));
    }
    const double room = (static_cast<double>(widest) + 4.0) * kLetter;
    const auto wanted = std::clamp<std::size_t>(static_cast<std::size_t>(kAcross / room), 1, 6);
    const std::size_t count = std::min(wanted, log.columns.size());
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k = i * log.columns.size() / count;
        ticks.push_back({.rows = static_cast<double>(starts[k]), .label = log.columns[k].time});
    }
    return ticks;
}

std::vector<Tick> ticks_of(const SelectionLog& log, const std::vector<std::uint64_t>& starts) {
    if (std::ranges::all_of(log.columns, &std::string::empty, &SelectionLog::Column::time)) {
        return row_ticks(log);
    }
    auto ticks = date_ticks(log, starts);
    return ticks.empty() ? time_ticks(log, starts) : ticks;
}

// 0 for never, then quarters of the column's rows.
std::size_t shade_of(std::uint32_t selected, std::uint32_t rows) {
    return (static_cast<std::size_t>(selected) * kShades + rows - 1) / rows;
}

// Everything that the parts of the picture need to know of each other.
struct Drawing {
    const SelectionLog& log;
    std::vector<const SelectionLog::Variable*> lines;
    std::vector<std::uint64_t> starts;  // rows before each column
    std::size_t name_width = 0;
    double left = 0.0;

    [[nodiscard]] double right() const { return left + kAcross; }
    [[nodiscard]] double bottom() const { return kTop + (kLine * static_cast<double>(lines.size())); }
    [[nodiscard]] double x(double rows) const { return left + (kAcross * rows / static_cast<double>(log.rows)); }
    [[nodiscard]] double y(std::size_t line) const { return kTop + (kLine * (static_cast<double>(line) + 0.5)); }
};

Drawing drawing_of(const SelectionLog& log, const PictureOptions& options) {
    Drawing drawing{.log = log, .lines = lines_of(log, options.variables), .starts = starts_of(log)};
    for (const auto* line : drawing.lines) {
        drawing.name_width = std::max(drawing.name_width, std::min(letters(line->name), options.name_width));
    }
    drawing.left = 20.0 + (kLetter * static_cast<double>(drawing.name_width));
    return drawing;
}

void put_head(std::string& out, const Drawing& drawing, const std::string& title) {
    const std::size_t all = drawing.log.variables.size();
    const std::size_t shown = drawing.lines.size();
    put(out, "<text class=\"title\" x=\"10\" y=\"22\">{}</text>\n", io::xml(title));
    put(out,
        "<text class=\"soft\" x=\"10\" y=\"42\">{} rows. {} inputs were selected at some time; {}, with the share of "
        "rows.</text>\n",
        grouped(drawing.log.rows), grouped(all),
        shown < all ? fmt::format("the {} selected most often are shown", shown) : "all are shown");
}

// What the shades mean, below the axis.
void put_key(std::string& out, const Drawing& drawing) {
    constexpr double kBox = 26.0;
    const double y = drawing.bottom() + 40.0;
    const double from = drawing.right() - 90.0 - (kBox * kShades);
    put(out, R"(<text class="soft" x="{:g}" y="{:g}" text-anchor="end">seldom selected</text>)", from - 6.0, y + 4.0);
    put(out, R"(<text class="soft" x="{:g}" y="{:g}">always selected</text>)", from + (kBox * kShades) + 4.0, y + 4.0);
    for (std::size_t shade = 1; shade <= kShades; ++shade) {
        put(out, R"(<path class="s{}" stroke-width="{:g}" d="M{:g} {:g}h{:g}"/>)", shade, kBar,
            from + (kBox * static_cast<double>(shade - 1)), y, kBox - 2.0);
    }
    out += '\n';
}

void put_names(std::string& out, const Drawing& drawing) {
    for (std::size_t i = 0; i < drawing.lines.size(); ++i) {
        const SelectionLog::Variable& variable = *drawing.lines[i];
        const double y = drawing.y(i) + 4.0;
        put(out, R"(<text x="{:g}" y="{:g}" text-anchor="end">{}</text>)", drawing.left - 8.0, y,
            io::xml(cut(variable.name, drawing.name_width)));
        put(out, "<text class=\"soft\" x=\"{:g}\" y=\"{:g}\">{:.0f} %</text>\n", drawing.right() + 8.0, y,
            100.0 * static_cast<double>(variable.rows) / static_cast<double>(drawing.log.rows));
    }
}

// One stroke for each stretch of columns in which a variable has the same shade.
void put_strokes(std::string& out, const Drawing& drawing) {
    const auto& columns = drawing.log.columns;
    std::array<std::string, kShades + 1> paths;  // 0: the ground under each line
    for (std::size_t i = 0; i < drawing.lines.size(); ++i) {
        const auto shade_at = [&](std::size_t k) { return shade_of(drawing.lines[i]->by_column[k], columns[k].rows); };
        put(paths[0], "M{:g} {:g}h{:g}", drawing.left, drawing.y(i), kAcross);
        for (std::size_t k = 0; k < columns.size();) {
            const double from = drawing.x(static_cast<double>(drawing.starts[k]));
            const std::size_t shade = shade_at(k);
            while (k < columns.size() && shade_at(k) == shade) {
                ++k;
            }
            if (shade > 0) {
                put(paths.at(shade), "M{:.1f} {:g}h{:.1f}", from, drawing.y(i),
                    drawing.x(static_cast<double>(drawing.starts[k])) - from);
            }
        }
    }
    for (std::size_t shade = 0; shade <= kShades; ++shade) {
        put(out, "<path class=\"s{}\" stroke-width=\"{:g}\" d=\"{}\"/>\n", shade, kBar, paths.at(shade));
    }
}

void put_axis(std::string& out, const Drawing& drawing) {
    for (const Tick& tick : ticks_of(drawing.log, drawing.starts)) {
        const double x = drawing.x(tick.rows);
        put(out, R"(<path class="tick" d="M{:.1f} {:g}v5"/>)", x, drawing.bottom() + 1.0);
        put(out, "<text class=\"soft\" x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", x,
            drawing.bottom() + 18.0, io::xml(tick.label));
    }
}

}  // namespace

std::string selection_svg(const SelectionLog& log, const PictureOptions& options) {
    const Drawing drawing = drawing_of(log, options);
    const std::string title = options.title.empty()
                                  ? fmt::format("Inputs selected to predict {}", fmt::join(log.targets, ", "))
                                  : options.title;
    const double width = drawing.right() + kRight;
    const double height = drawing.bottom() + kBottom;
    std::string out;
    put(out,
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img">)",
        width, height);
    put(out, "<title>{}</title>\n{}", io::xml(title), kStyle);
    put(out, "<rect class=\"ground\" width=\"{:g}\" height=\"{:g}\"/>\n", width, height);
    put_head(out, drawing, title);
    put_names(out, drawing);
    put_strokes(out, drawing);
    put_axis(out, drawing);
    put_key(out, drawing);
    return out + "</svg>\n";
}

}  // namespace sluice::job
