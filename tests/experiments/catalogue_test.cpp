// What every experiment owes: numbers that do not depend on threads, files that belong together, JSON of the agreed form.
#include "experiments/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "experiments/common/report.hpp"

namespace sluice::experiments::catalogue_test {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++found;
    }
    return found;
}

// Those that are run often cost little. The others, which compare many models, have tests of their own on short streams.
std::vector<Experiment> cheap() {
    std::vector<Experiment> all;
    std::ranges::copy_if(catalogue(), std::back_inserter(all),
                         [](const Experiment& one) { return one.usual_runs == kUsualRuns; });
    return all;
}

// Numbers in the first list behind `key`.
std::size_t length_of(const std::string& json, const std::string& key) {
    const std::size_t from = json.find(key + "[");
    const std::size_t to = json.find(']', from);
    const auto part = json.substr(from, to - from);
    return 1 + count(part, ",");
}

TEST(Experiments, GiveTheSameBytesWhateverTheThreads) {
    for (const Experiment& experiment : cheap()) {
        const Result one = experiment.run({.runs = 3, .seed = 9, .threads = 1, .portfolios = 20});
        const Result three = experiment.run({.runs = 3, .seed = 9, .threads = 3, .portfolios = 20});
        EXPECT_EQ(one.json, three.json) << experiment.name;
        const auto files_one = report_files({&one, 1}, {.runs = 3});
        const auto files_three = report_files({&three, 1}, {.runs = 3});
        ASSERT_EQ(files_one.size(), files_three.size());
        for (std::size_t i = 0; i < files_one.size(); ++i) {
            EXPECT_EQ(files_one[i].content, files_three[i].content) << files_one[i].name;
        }
        EXPECT_NE(one.json, experiment.run({.runs = 3, .seed = 10, .portfolios = 20}).json)
            << experiment.name << ": another seed";
    }
}

TEST(Experiments, ReportAllTheRowsThatTheyAnnounce) {
    for (const Experiment& experiment : cheap()) {
        std::size_t told = 0;
        Plan plan{.runs = 2, .threads = 2, .portfolios = 20};
        plan.on_progress = [&](std::size_t rows) {
            told += rows;
            return true;
        };
        (void)experiment.run(plan);
        EXPECT_EQ(told, experiment.rows(plan)) << experiment.name;
    }
}

TEST(Experiments, FiguresAreJsonOfTheAgreedForm) {
    const Plan plan{.runs = 2, .seed = 4};
    const auto json = [&](const char* name) { return find_experiment(name)->run(plan).json; };
    const std::string still = json("static");
    EXPECT_TRUE(still.starts_with(R"({"figure":"static","runs":2,"rows":100,"settings":{"seed":4,)")) << still;
    EXPECT_EQ(count(still, R"("component":[{"mean":[)"), 1U);
    EXPECT_EQ(count(still, R"("offline":[{"mean":[)"), 1U);
    EXPECT_EQ(count(still, R"("sd":[)"), 4U);
    EXPECT_EQ(length_of(still, R"("mean":)"), 100U);

    const std::string single = json("single");
    EXPECT_TRUE(single.starts_with(R"({"figure":"single","runs":1,"rows":400,)"));
    EXPECT_EQ(count(single, R"("selected":[[)"), 2U);

    const std::string switching = json("switching");
    EXPECT_TRUE(switching.starts_with(R"({"figure":"switching","runs":2,"rows":400,)"));
    EXPECT_EQ(count(switching, R"({"mean":[)"), 2U);
    EXPECT_EQ(length_of(switching, R"("error_over_variance":)"), 400U);

    const std::string forgetting = json("forgetting");
    EXPECT_NE(forgetting.find(R"("curves":[{"forgetting":0.9,"component":[{"mean":[)"), std::string::npos);
    for (const char* factor : {"0.95", "0.98", "1"}) {
        EXPECT_NE(forgetting.find(std::string(R"(,{"forgetting":)") + factor + R"(,"component":[)"), std::string::npos);
    }
    for (const std::string& text : {still, single, switching, forgetting, json("literal"), json("adaptive")}) {
        EXPECT_EQ(text.find('\n'), std::string::npos);
        EXPECT_EQ(count(text, "{"), count(text, "}"));
        EXPECT_EQ(count(text, "["), count(text, "]"));
        EXPECT_EQ(text.find("nan"), std::string::npos);
    }
}

TEST(Experiments, TheThirdPhaseIsReadAsAskedFor) {
    Plan plan{.runs = 2, .seed = 4};
    const auto* switching = find_experiment("switching");
    const Result caption = switching->run(plan);
    plan.third_phase = ThirdPhase::text;
    const Result text = switching->run(plan);
    EXPECT_NE(text.json.find(R"("third_phase":"text")"), std::string::npos);
    EXPECT_NE(text.series.front().csv, caption.series.front().csv);
    // Up to row 300 the streams are one and the same. Errors, the last column, are over the variance of all rows.
    const auto shares = [](const std::string& csv) {
        std::string out;
        std::istringstream lines(csv.substr(0, csv.find("\n301,")));
        for (std::string line; std::getline(lines, line);) {
            out += line.substr(0, line.rfind(',')) + "\n";
        }
        return out;
    };
    EXPECT_EQ(shares(text.series.front().csv), shares(caption.series.front().csv));
    EXPECT_EQ(count(shares(text.series.front().csv), "\n"), 301U);
    for (const Check& check : text.checks) {
        EXPECT_EQ(check.what.find("row 400"), std::string::npos) << "no number is known there";
    }
}

TEST(Experiments, EachHasAFolderWithItsQuestion) {
    const std::filesystem::path root = SLUICE_SOURCE_DIR;
    for (const Experiment& experiment : catalogue()) {
        std::string folder(experiment.name);
        std::ranges::replace(folder, '-', '_');
        EXPECT_TRUE(std::filesystem::exists(root / "experiments" / folder / "README.md")) << experiment.name;
    }
}

TEST(Report, NeedsNoScriptAndNothingFromElsewhere) {
    std::vector<Result> results;
    const Plan plan{.runs = 2, .portfolios = 20};
    for (const Experiment& experiment : cheap()) {
        results.push_back(experiment.run(plan));
    }
    const auto files = report_files(results, plan);
    EXPECT_EQ(files.back().name, kReportName) << "the page comes last";
    std::set<std::string> names;
    for (const File& file : files) {
        EXPECT_TRUE(names.insert(file.name).second) << file.name << " twice";
        EXPECT_EQ(file.content.find("<script"), std::string::npos) << file.name;
        EXPECT_EQ(file.content.find("nan"), std::string::npos) << file.name;
        const std::size_t addresses = count(file.content, "http");
        EXPECT_EQ(addresses, count(file.content, R"(xmlns="http://www.w3.org/2000/svg")")) << file.name;
    }
    const std::string& page = files.back().content;
    for (const Result& result : results) {
        for (const Figure& figure : result.figures) {
            EXPECT_NE(page.find(figure.svg), std::string::npos) << "figures are in the page";
            EXPECT_TRUE(names.contains(figure.name + ".svg"));
        }
    }
    EXPECT_EQ(count(page, "<svg"), count(page, "</svg>"));
}

TEST(Report, ShowsThePapersClaimsFirstAndOursInATableOfTheirOwn) {
    const Result result{.name = "x",
                        .title = "",
                        .question = "",
                        .claims = {{.claim = "theirs", .measured = "1", .verdict = Verdict::holds},
                                   {.claim = "our own", .measured = "2", .verdict = Verdict::holds, .ours = true}},
                        .checks = {{.what = "a share", .reference = 0.5, .measured = 0.9}}};
    const std::string page = report_html(std::vector{result}, {});
    const std::size_t paper = page.find("<h2>The paper's claims</h2>");
    const std::size_t ours = page.find("<h2>Our own claims</h2>");
    const std::size_t details = page.find("<h2 id=\"x\">");
    ASSERT_LT(paper, ours);
    ASSERT_LT(ours, details);
    const std::string of_the_paper = page.substr(paper, ours - paper);
    const std::string of_ours = page.substr(ours, details - ours);
    EXPECT_EQ(count(of_the_paper, "<tr><td>"), 1U);
    EXPECT_NE(of_the_paper.find("<th>paper</th><th>measured</th>"), std::string::npos);
    EXPECT_NE(of_the_paper.find("<td>theirs</td><td>1</td>"), std::string::npos);
    EXPECT_EQ(count(of_ours, "<tr><td>"), 2U) << "the checks are a claim of ours";
    EXPECT_NE(of_ours.find("<td>our own</td><td>2</td>"), std::string::npos);
    EXPECT_NE(of_ours.find("0 of 1 agree"), std::string::npos);
}

}  // namespace
}  // namespace sluice::experiments::catalogue_test
