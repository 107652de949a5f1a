#include "experiments/common/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "experiments/common/put.hpp"
#include "experiments/common/style.hpp"
#include "xml_text.hpp"

namespace sluice::experiments {

namespace {

constexpr std::size_t kColumns = 3;
constexpr double kWidth = 372.0;  // of a panel, in pixels, with its labels
constexpr double kHeight = 280.0;
constexpr double kPanelLeft = 52.0;
constexpr double kPanelRight = 12.0;
constexpr double kPanelTop = 54.0;
constexpr double kPanelBottom = 42.0;
constexpr std::size_t kFewestPlaces = 4;  // of markers: the same lines look alike in panels of up to four

// The field of one panel and how numbers lie in it.
struct Field {
    double left = 0.0;
    double top = 0.0;
    double rows = 1.0;
    Scale scale = Scale::percent;
    double low = 0.0;  // of the axis; decades where logarithmic
    double high = 1.0;
    double step = 0.2;  // between the lines of the grid, where the scale is not logarithmic
    double across = kWidth - kPanelLeft - kPanelRight;

    static constexpr double kDown = kHeight - kPanelTop - kPanelBottom;

    [[nodiscard]] double right() const { return left + across; }
    [[nodiscard]] double bottom() const { return top + kDown; }
    [[nodiscard]] double x(double row) const { return left + (across * row / rows); }
    [[nodiscard]] double y(double value) const {
        const double at = scale == Scale::logarithm ? std::log10(std::max(value, 1e-300)) : value;
        return bottom() - (kDown * (std::clamp(at, low, high) - low) / (high - low));
    }
};

// A round step of which some five fit into the range.
double round_step(double range) {
    const double decade = std::pow(10.0, std::floor(std::log10(range / 5.0)));
    for (const double times : {1.0, 2.0, 5.0}) {
        if (range / (times * decade) <= 6.0) {
            return times * decade;
        }
    }
    return 10.0 * decade;
}

void fit_growth(Field& field, const Panel& panel) {
    double least = 0.0;
    double most = 0.01;
    for (const Line& line : panel.lines) {
        for (const double value : line.mean) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
    }
    most = std::min(most, std::max(panel.ceiling.value_or(most), 0.01));
    field.step = round_step(most - least);
    field.low = field.step * std::floor(least / field.step);
    field.high = field.step * std::ceil(most / field.step);
}

Field field_of(const Panel& panel, std::size_t number, bool wide) {
    const std::size_t columns = wide ? 1 : kColumns;
    const std::size_t line_of_panels = number / columns;
    Field field{.left = kPanelLeft + (kWidth * static_cast<double>(number % columns)),
                .top = kPanelTop + (kHeight * static_cast<double>(line_of_panels)),
                .rows = 1.0,
                .scale = panel.scale};
    field.across += wide ? kWidth * static_cast<double>(kColumns - 1) : 0.0;
    double least = 1.0;
    double most = 0.0;
    for (const Line& line : panel.lines) {
        if (!line.mean.empty()) {
            field.rows = std::max(field.rows, line.row(line.mean.size() - 1));
        }
        for (const double value : line.mean) {
            least = value > 0.0 ? std::min(least, value) : least;
            most = std::max(most, value);
        }
    }
    if (panel.scale == Scale::logarithm) {
        constexpr double kFewestDecades = -4.0;
        field.low = std::clamp(std::floor(std::log10(least)), kFewestDecades, -1.0);
        field.high = std::max(std::ceil(std::log10(std::max(most, 1e-9))), 0.0);
    } else if (panel.scale == Scale::growth || panel.scale == Scale::count) {
        fit_growth(field, panel);
    }
    return field;
}

std::string decade_label(int decade) {
    constexpr std::array<const char*, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    return std::abs(decade) <= 2 ? fmt::format("{:g}", std::pow(10.0, decade))
                                 : fmt::format("10{}{}", decade < 0 ? "⁻" : "",
                                               kRaised.at(static_cast<std::size_t>(std::min(std::abs(decade), 9))));
}

double step_of(double rows) {
    for (const double step : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0}) {
        if (rows / step <= 5.0) {
            return step;
        }
    }
    return round_step(rows);
}

const char* meaning_of(Scale scale) {
    switch (scale) {
        case Scale::percent:
            return "variables right, %";
        case Scale::logarithm:
            return "squared error / variance";
        case Scale::growth:
            return "cumulative return, %";
        case Scale::count:
            return "number";
    }
    return "";
}

void put_axes(std::string& out, const Field& field, const Panel& panel) {
    const auto across = [&](double y, const std::string& label) {
        put(out, R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)", field.left, y, field.right());
        put(out, R"(<text class="soft" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", field.left - 6.0, y + 4.0,
            label);
    };
    if (field.scale != Scale::logarithm) {
        const auto ticks = std::lround((field.high - field.low) / field.step);
        for (long i = 0; i <= ticks; ++i) {
            const double at = field.low + (field.step * static_cast<double>(i));
            const double in_percent = std::round(1e4 * at) / 100.0;
            across(field.y(at), fmt::format("{:g}", field.scale == Scale::count ? at : in_percent));
        }
    } else {
        for (int decade = static_cast<int>(field.low); decade <= static_cast<int>(field.high); ++decade) {
            across(field.y(std::pow(10.0, decade)), decade_label(decade));
        }
    }
    const double step = step_of(field.rows);
    for (int i = 1; i * step <= field.rows; ++i) {
        const double x = field.x(i * step);
        put(out, R"(<path class="frame" d="M{:.1f} {:.1f}v4"/>)", x, field.bottom());
        put(out, R"(<text class="soft" x="{:.1f}" y="{:.1f}" text-anchor="middle">{:g}</text>)", x,
            field.bottom() + 16.0, i * step);
    }
    put(out, R"(<path class="frame" d="M{:.1f} {:.1f}V{:.1f}H{:.1f}"/>)", field.left, field.top, field.bottom(),
        field.right());
    put(out, R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", (field.left + field.right()) / 2.0,
        field.bottom() + 32.0, io::xml(panel.across));
    const double middle = (field.top + field.bottom()) / 2.0;
    const double x = field.left - kPanelLeft + 14.0;
    put(out, R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)svg", x,
        middle, panel.upwards.empty() ? meaning_of(field.scale) : io::xml(panel.upwards));
}

void put_band(std::string& out, const Field& field, const Line& line) {
    if (line.sd.empty()) {
        return;
    }
    put(out, R"(<path class="band f{}" d="M)", line.style);
    for (std::size_t t = 0; t < line.mean.size(); ++t) {
        put(out, "{:.1f} {:.1f} ", field.x(line.row(t)), field.y(line.mean[t] + line.sd[t]));
    }
    for (std::size_t t = line.mean.size(); t-- > 0;) {
        put(out, "{:.1f} {:.1f} ", field.x(line.row(t)), field.y(line.mean[t] - line.sd[t]));
    }
    out += R"(z"/>)";
}

void put_dashed(std::string& out, std::size_t style, const std::string& path) {
    const std::string_view dash = line_styles().at(style).dash;
    put(out, R"(<path class="line s{}"{} d="{}"/>)", style,
        dash.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dash), path);
}

void put_marker(std::string& out, std::size_t style, double x, double y) {
    put(out, R"svg(<path class="f{}" transform="translate({:.1f} {:.1f})" d="{}"/>)svg", style, x, y,
        line_styles().at(style).marker);
}

void put_line(std::string& out, const Field& field, const Line& line, std::size_t places) {
    std::string path = "M";
    for (std::size_t t = 0; t < line.mean.size(); ++t) {
        put(path, "{:.1f} {:.1f} ", field.x(line.row(t)), field.y(line.mean[t]));
    }
    put_dashed(out, line.style, path);
    // Markers of different lines stand at different rows.
    const std::size_t every = std::max<std::size_t>(line.mean.size() / 7, 1);
    for (std::size_t t = every * (line.style + 1) / (places + 1); t < line.mean.size(); t += every) {
        put_marker(out, line.style, field.x(line.row(t)), field.y(line.mean[t]));
    }
}

void put_legend(std::string& out, const Field& field, const Panel& panel) {
    constexpr double kStroke = 24.0;
    constexpr double kLetter = 6.3;  // an average letter of 11 pixels
    double x = field.left;
    const double y = field.top - 14.0;
    for (const Line& line : panel.lines) {
        put_dashed(out, line.style, fmt::format("M{:.1f} {:.1f}h{}", x, y, kStroke));
        put_marker(out, line.style, x + (kStroke / 2.0), y);
        put(out, R"(<text class="soft" x="{:.1f}" y="{:.1f}">{}</text>)", x + kStroke + 5.0, y + 4.0,
            io::xml(line.name));
        x += kStroke + 14.0 + (kLetter * static_cast<double>(line.name.size()));
    }
}

}  // namespace

std::string draw(const Plot& plot) {
    const std::size_t to_a_line = plot.wide ? 1 : kColumns;
    const std::size_t lines = (plot.panels.size() + to_a_line - 1) / to_a_line;
    const std::size_t columns = plot.wide ? kColumns : std::min(plot.panels.size(), kColumns);
    const double width = kWidth * static_cast<double>(columns);
    const double height = kHeight * static_cast<double>(lines);
    std::string out;
    put(out,
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img">)",
        width, height);
    put(out, "<title>{}</title>\n", io::xml(plot.about));
    for (std::size_t i = 0; i < plot.panels.size(); ++i) {
        const Panel& panel = plot.panels[i];
        const Field field = field_of(panel, i, plot.wide);
        put(out, R"(<text class="title" x="{:.1f}" y="{:.1f}">{}</text>)", field.left, field.top - 32.0,
            io::xml(panel.title));
        put_axes(out, field, panel);
        for (const std::size_t change : plot.changes) {
            put(out, R"(<path class="change" d="M{:.1f} {:.1f}V{:.1f}"/>)", field.x(static_cast<double>(change)),
                field.top, field.bottom());
        }
        for (const Line& line : panel.lines) {
            put_band(out, field, line);
        }
        for (const Line& line : panel.lines) {
            put_line(out, field, line, std::max(kFewestPlaces, panel.lines.size()));
        }
        put_legend(out, field, panel);
        out += '\n';
    }
    return out + "</svg>\n";
}

std::string as_file(const std::string& svg) {
    const std::size_t title = svg.find("<title>");
    return svg.substr(0, title) + "<style>\n" + std::string(figure_css()) + "</style>\n" + svg.substr(title);
}

}  // namespace sluice::experiments
