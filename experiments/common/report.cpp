#include "experiments/common/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/common/plot.hpp"
#include "experiments/common/put.hpp"
#include "experiments/common/style.hpp"
#include "sluice/version.hpp"
#include "xml_text.hpp"

namespace sluice::experiments {

namespace {

constexpr std::string_view kPageCss = R"(
body{margin:0;color:var(--ink);background:var(--ground);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 20px 60px}
h1{font-size:26px;line-height:1.2;margin:8px 0}
h2{font-size:20px;margin:44px 0 6px;padding-top:14px;border-top:1px solid var(--grid)}
h3{font-size:15px;margin:22px 0 6px}
p,li{max-width:82ch}
figure{margin:16px 0}
figure svg{width:100%;height:auto;display:block}
figcaption{color:var(--soft);font-size:13px;max-width:100ch;margin-top:4px}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;margin:8px 0}
th,td{text-align:left;vertical-align:top;padding:5px 12px 5px 0;border-bottom:1px solid var(--grid)}
th{color:var(--soft);font-weight:600}
td.number{white-space:nowrap}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
.verdict{white-space:nowrap;font-weight:600}
.settings{color:var(--soft);font-size:13px}
code{font-size:13px}
a{color:var(--c0)}
@media print{main{max-width:none}h2{break-after:avoid}figure,tr{break-inside:avoid}}
)";

// The sign, the word and the colour each say the same.
std::string verdict_cell(Verdict verdict) {
    constexpr std::array<std::string_view, 4> kSigns = {"&#10003;", "&#9680;", "&#10007;", "&#8211;"};
    constexpr std::array<std::string_view, 4> kColours = {"--c2", "--c1", "--c3", "--soft"};
    const auto i = static_cast<std::size_t>(verdict);
    return fmt::format(R"svg(<td class="verdict" style="color:var({})">{} {}</td>)svg", kColours.at(i), kSigns.at(i),
                       word_of(verdict));
}

// Words between backticks as code.
std::string with_code(const std::string& text) {
    std::string out;
    bool inside = false;
    for (const char c : io::xml(text)) {
        if (c == '`') {
            inside = !inside;
            out += inside ? "<code>" : "</code>";
        } else {
            out += c;
        }
    }
    return out;
}

// One table for what the paper says, one for what we say: a claim of ours never stands under the paper's name.
void put_claims(std::string& out, std::span<const Result> results, bool ours) {
    std::string rows;
    for (const Result& result : results) {
        for (const Claim& claim : all_claims(result)) {
            if (claim.ours == ours) {
                put(rows, "<tr><td><a href=\"#{0}\">{0}</a></td><td>{1}</td><td>{2}</td>{3}</tr>\n", result.name,
                    io::xml(claim.claim), io::xml(claim.measured), verdict_cell(claim.verdict));
            }
        }
    }
    if (rows.empty()) {
        return;
    }
    put(out,
        "<h2>{}</h2>\n<div class=\"wide\"><table>\n<tr><th>experiment</th><th>{}</th><th>measured</th>"
        "<th>verdict</th></tr>\n{}</table></div>\n",
        ours ? "Our own claims" : "The paper's claims", ours ? "claim" : "paper", rows);
}

void put_table(std::string& out, const Table& table) {
    put(out, "<h3>{}</h3>\n<div class=\"wide\"><table>\n<tr>", io::xml(table.title));
    const auto cell_class = [](std::size_t column) { return column == 0 ? "" : " class=\"number\""; };
    for (std::size_t i = 0; i < table.head.size(); ++i) {
        put(out, "<th{}>{}</th>", cell_class(i), io::xml(table.head[i]));
    }
    out += "</tr>\n";
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            put(out, "<td{}>{}</td>", cell_class(i), io::xml(row[i]));
        }
        out += "</tr>\n";
    }
    out += "</table></div>\n";
}

void put_checks(std::string& out, const Result& result) {
    if (result.checks.empty()) {
        return;
    }
    const bool goals = result.checks.front().is_goal;  // an experiment's checks are of one kind
    put(out,
        "<details><summary>{}</summary>\n<p>{}</p>\n<div class=\"wide\"><table>\n"
        "<tr><th>number</th><th class=\"number\">measured</th><th class=\"number\">{}</th><th "
        "class=\"number\">difference</th><th class=\"number\">standard error</th><th>verdict</th><th></th></tr>\n",
        goals ? "Numbers measured, beside the goals that we set" : "Numbers measured, beside reference numbers",
        goals
            ? "The goals are ours, not the paper's. A goal holds where the measured number is at least as large, or, "
              "where it says so, at most as large."
            : fmt::format("The paper shows curves and gives no numbers. The references are means of a prototype of the "
                          "same method over 40 to 150 runs; those of <code>literal</code> are means of this program "
                          "over 2,000 runs with another seed. A number holds where the difference is at most {} plus "
                          "two standard errors of the measured mean.",
                          kTolerance),
        goals ? "goal" : "reference");
    for (const Check& check : result.checks) {
        put(out,
            "<tr><td>{}</td><td class=\"number\">{:.3f}</td><td class=\"number\">{}{:g}</td><td "
            "class=\"number\">{:+.3f}</td><td class=\"number\">{:.3f}</td>{}<td>{}</td></tr>\n",
            io::xml(check.what), check.measured, check.at_most ? "at most " : "", check.reference,
            check.measured - check.reference, check.standard_error,
            verdict_cell(check.met() ? Verdict::holds : Verdict::fails), io::xml(check.note));
    }
    out += "</table></div></details>\n";
}

void put_result(std::string& out, const Result& result) {
    put(out, "<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n<p class=\"settings\">", result.name, io::xml(result.title),
        io::xml(result.question));
    for (const auto& [name, value] : result.settings) {
        std::string plain = value;
        std::erase(plain, '"');
        put(out, "{} {} &#183; ", name, io::xml(plain));
    }
    put(out, "<code>sluice reproduce {}</code></p>\n", result.name);
    for (const std::string& paragraph : result.summary) {
        put(out, "<p>{}</p>\n", with_code(paragraph));
    }
    for (const Figure& figure : result.figures) {
        put(out, "<figure>{}<figcaption>{} <a href=\"{}.svg\">SVG</a></figcaption></figure>\n", figure.svg,
            io::xml(figure.caption), figure.name);
    }
    for (const Table& table : result.tables) {
        put_table(out, table);
    }
    put_checks(out, result);
    if (!result.differs.empty()) {
        out += "<h3>What differs from the paper</h3>\n<ul>\n";
        for (const std::string& line : result.differs) {
            put(out, "<li>{}</li>\n", with_code(line));
        }
        out += "</ul>\n";
    }
    out += "<p class=\"settings\">Numbers:";
    for (const Series& series : result.series) {
        put(out, " <a href=\"{0}.csv\">{0}.csv</a>", series.name);
    }
    out += "</p>\n";
}

}  // namespace

std::string_view word_of(Verdict verdict) {
    constexpr std::array<std::string_view, 4> kWords = {"holds", "holds in part", "does not hold", "not tested"};
    return kWords.at(static_cast<std::size_t>(verdict));
}

std::vector<Claim> all_claims(const Result& result) {
    std::vector<Claim> claims = result.claims;
    if (result.checks.empty()) {
        return claims;
    }
    const Check& worst = std::ranges::max(result.checks, {}, [](const Check& check) {
        return check.is_goal ? check.away() / check.reference : check.away();  // goals are in several units
    });
    const auto met = std::ranges::count_if(result.checks, &Check::met);
    const auto all = std::ssize(result.checks);
    const Verdict verdict = met == all ? Verdict::holds : Verdict::in_part;
    if (worst.is_goal) {
        claims.push_back({.claim = "Every goal that we set for this experiment is reached.",
                          .measured = met == all ? fmt::format("all {} are reached", all)
                                                 : fmt::format("{} of {} are reached; the largest shortfall is {:.3f} "
                                                               "({})",
                                                               met, all, worst.away(), worst.what),
                          .verdict = verdict,
                          .ours = true});
        return claims;
    }
    const auto close = std::ranges::count_if(result.checks, [](const Check& c) { return c.away() <= kTolerance; });
    claims.push_back(
        {.claim = fmt::format("The numbers agree with the reference numbers of this experiment, within {} and two "
                              "standard errors.",
                              kTolerance),
         .measured = fmt::format("{} of {} agree, {} of them within {} alone; the largest difference is {:.3f}, with a "
                                 "standard error of {:.3f} ({})",
                                 met, all, close, kTolerance, worst.away(), worst.standard_error, worst.what),
         .verdict = verdict,
         .ours = true});
    return claims;
}

std::string report_html(std::span<const Result> results, const Plan& plan) {
    const auto has = [&](Section section) {
        return std::ranges::find(results, section, &Result::section) != results.end();
    };
    const bool simulations = has(Section::simulations);
    const bool markets = has(Section::markets);
    const char* what = simulations && markets ? "The experiments of section 4"
                       : markets              ? "The portfolios of section 4.2"
                                              : "The simulations of section 4.1";
    std::string out;
    put(out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>{0}, reproduced</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n<main>\n<h1>{0}, reproduced</h1>\n",
        what, figure_css(), kPageCss);
    put(out,
        "<p>What B. McWilliams and G. Montana claim in <em>Sparse partial least squares for on-line variable selection "
        "in multivariate data streams</em>, and what Sluice {} measured with its own implementation of the method "
        "(seed {}).</p>\n",
        SLUICE_VERSION, plan.seed);
    if (simulations) {
        put(out,
            "<p>Simulated streams: {} run{}, where an experiment does not say otherwise. Sixty inputs in three groups "
            "of twenty; the output depends on one group "
            "with large coefficients and on a second with smaller ones. The first component should select the first of "
            "these groups, the second component the other. <em>Right</em> is the share of a component's variables that "
            "belong to its group. Errors are one step ahead: each row is predicted before it is learnt. The third "
            "phase of the switching stream is as the paper's {} describes it.</p>\n",
            plan.runs, plan.runs == 1 ? "" : "s", plan.third_phase == ThirdPhase::caption ? "caption" : "text");
    }
    if (markets) {
        out +=
            "<p>Portfolios: <em>in-sample</em>, weights earn the returns of the weeks from which they were computed, "
            "as "
            "in the paper. <em>Walked forward</em>, they earn the returns of the week after.</p>\n";
    }
    put_claims(out, results, false);
    put_claims(out, results, true);
    for (const Result& result : results) {
        put_result(out, result);
    }
    return out + "</main>\n</body>\n</html>\n";
}

std::vector<File> report_files(std::span<const Result> results, const Plan& plan) {
    std::vector<File> files;
    for (const Result& result : results) {
        for (const Figure& figure : result.figures) {
            files.push_back({.name = figure.name + ".svg", .content = as_file(figure.svg)});
        }
        for (const Series& series : result.series) {
            files.push_back({.name = series.name + ".csv", .content = series.csv});
        }
    }
    files.push_back({.name = std::string(kReportName), .content = report_html(results, plan)});
    return files;
}

}  // namespace sluice::experiments
