#include "compare_page.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "compare_table.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/style.hpp"
#include "format_to.hpp"
#include "selection_counter.hpp"
#include "selection_picture.hpp"
#include "sluice/version.hpp"
#include "words.hpp"
#include "xml_text.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t kVariablesShown = 20;

constexpr std::string_view kPageCss = R"(
body{margin:0;color:var(--ink);background:var(--ground);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:24px 20px 60px}
h1{font-size:26px;line-height:1.2;margin:8px 0}
h2{font-size:20px;margin:40px 0 6px;padding-top:14px;border-top:1px solid var(--grid)}
p{max-width:90ch}
figure{margin:16px 0}
figure svg,figure img{width:100%;height:auto;display:block}
figcaption{color:var(--soft);font-size:13px}
.wide{overflow-x:auto}
.maps{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(520px,100%),1fr));gap:16px}
.maps figure{margin:0}
table{border-collapse:collapse;font-size:14px}
th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--grid);white-space:nowrap}
th{color:var(--soft)}
.number{text-align:right;font-variant-numeric:tabular-nums}
.best{font-weight:700}
@media print{figure,tr{break-inside:avoid}}
)";

template <typename... Arguments>
void put(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

// The picture as the address of an image: the rules of its style are then its own.
std::string as_address(std::string_view svg) {
    std::string out = "data:image/svg+xml,";
    for (const char c : svg) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20U || byte >= 0x7FU || std::string_view("\"#%&'<>").find(c) != std::string_view::npos) {
            put(out, "%{:02X}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

void put_table(std::string& out, const compare::CompareResult& result) {
    const bool several = result.targets.size() > 1;
    out +=
        "<div class=\"wide\"><table>\n<tr><th></th><th>method</th><th></th><th></th><th class=\"number\">error over "
        "variance</th>";
    if (several) {
        out += "<th class=\"number\">worst</th>";
        for (const std::string& target : result.targets) {
            put(out, "<th class=\"number\">{}</th>", io::xml(target));
        }
    }
    out +=
        "<th class=\"number\">inputs in use</th><th class=\"number\">entered per row</th><th "
        "class=\"number\">microseconds per row</th><th class=\"number\">memory</th></tr>\n";
    const auto number = [&](const std::string& text) { put(out, "<td class=\"number\">{}</td>", text); };
    for (const compare::MethodResult& method : result.methods) {
        put(out, "<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td>", method.best ? " class=\"best\"" : "",
            mark_of(method), io::xml(method.name), io::xml(method.title), method.selects ? "selects" : "dense");
        if (!method.failure.empty()) {
            put(out, "<td colspan=\"{}\">failed {}</td></tr>\n", several ? 6 + result.targets.size() : 5,
                io::xml(method.failure));
            continue;
        }
        number(error_text(method.mean_error));
        if (several) {
            number(error_text(method.worst_error));
            for (const auto& target : method.targets) {
                number(error_text(target.error_over_variance));
            }
        }
        number(fmt::format("{:.1f}", method.names));
        number(fmt::format("{:.3f}", method.turnover));
        number(fmt::format("{:.1f}", method.microseconds_per_row));
        number(bytes_text(method.bytes));
        out += "</tr>\n";
    }
    out += "</table></div>\n<p>* the lowest error, + the lowest of those that select.</p>\n";
}

// The lowest errors, and Sluice in any case: as many lines as there are styles.
std::vector<const compare::MethodResult*> drawn(const compare::CompareResult& result) {
    std::vector<const compare::MethodResult*> lines;
    for (const compare::MethodResult& method : result.methods) {
        if (method.failure.empty() && !std::isnan(method.mean_error)) {
            lines.push_back(&method);
        }
    }
    const auto sluice = std::ranges::find(lines, "sluice", [](const auto* method) { return method->name; });
    if (lines.size() > experiments::kLineStyles) {
        if (sluice - lines.begin() >= static_cast<std::ptrdiff_t>(experiments::kLineStyles) && sluice != lines.end()) {
            lines[experiments::kLineStyles - 1] = *sluice;
        }
        lines.resize(experiments::kLineStyles);
    }
    return lines;
}

experiments::Panel panel_of(const compare::CompareJob& job, const std::vector<const compare::MethodResult*>& methods,
                            std::string title, std::vector<double> compare::MethodResult::*curve) {
    experiments::Panel panel{
        .title = std::move(title), .scale = experiments::Scale::logarithm, .lines = {}, .upwards = "error / variance"};
    const auto& windows = job.windows().windows();
    for (const compare::MethodResult* method : methods) {
        experiments::Line line{.name = method->name, .mean = {}, .style = panel.lines.size()};
        const std::vector<double>& errors = method->*curve;
        for (std::size_t w = 0; w < errors.size(); ++w) {
            if (!std::isnan(errors[w])) {
                line.mean.push_back(errors[w]);
                line.at.push_back(static_cast<double>(windows[w].last));
            }
        }
        panel.lines.push_back(std::move(line));
    }
    return panel;
}

void put_curves(std::string& out, const compare::CompareJob& job, const compare::CompareResult& result) {
    const auto methods = drawn(result);
    if (methods.empty()) {
        return;
    }
    const auto& windows = job.windows().windows();
    const std::uint64_t length = windows.front().last - windows.front().first + 1;
    const experiments::Plot plot{
        .about = "Errors over time of each method",
        .panels = {panel_of(job, methods, fmt::format("In windows of {} rows", grouped(length)),
                            &compare::MethodResult::in_window),
                   panel_of(job, methods, "Of all rows so far", &compare::MethodResult::cumulated)},
        .wide = true};
    put(out,
        "<h2>Error over time</h2>\n<p>Squared error over the variance of all scored rows{}{}.</p>\n"
        "<figure>{}</figure>\n",
        result.targets.size() > 1 ? ", mean of the targets" : "",
        methods.size() < result.methods.size()
            ? fmt::format("; the {} methods with the lowest errors are shown", methods.size())
            : "",
        experiments::draw(plot));
}

void put_maps(std::string& out, const compare::CompareJob& job, const compare::CompareResult& result) {
    std::string maps;
    for (const compare::MethodResult& method : result.methods) {
        const auto trial =
            std::ranges::find(job.trials(), method.name, [](const compare::Trial& one) { return one.entry().name; });
        if (trial->selection() == nullptr || method.rows == 0) {
            continue;
        }
        job::SelectionCounter counter = *trial->selection();
        counter.set_targets(result.targets);
        const job::SelectionLog log = std::move(counter).finish();
        put(maps, "<figure><img alt=\"Inputs that {0} selected\" src=\"{1}\"><figcaption>{0}</figcaption></figure>\n",
            io::xml(method.title),
            as_address(job::selection_svg(log, {.title = method.title, .variables = kVariablesShown})));
    }
    if (!maps.empty()) {
        put(out,
            "<h2>Which inputs were selected when</h2>\n<p>Of the methods that select. One line for each input, time "
            "from left to right, darker the more often it was selected.</p>\n<div class=\"maps\">\n{}</div>\n",
            maps);
    }
}

}  // namespace

std::string compare_html(const compare::CompareJob& job, const compare::CompareResult& result) {
    const std::string source =
        result.input == "-" ? "standard input" : std::filesystem::path(result.input).filename().string();
    std::string out;
    put(out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
        "data:; "
        "base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>Methods compared on "
        "{0}</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n<main>\n<h1>Methods compared on {0}</h1>\n",
        io::xml(source), experiments::figure_css(), kPageCss);
    put(out, "<p>{} Sluice {}.</p>\n", io::xml(about_text(result)), SLUICE_VERSION);
    put_table(out, result);
    put_curves(out, job, result);
    put_maps(out, job, result);
    out += "</main>\n</body>\n</html>\n";
    return out;
}

}  // namespace sluice::cli
