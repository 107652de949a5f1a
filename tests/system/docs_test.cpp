// Docs stay true: the map from the paper to the code names what exists, and the table of constants has their values.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sluice::docs_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SLUICE_SOURCE_DIR;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    std::set<std::string> found;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it) {
        found.insert((*it)[1]);
    }
    return found;
}

// "Suite.Name" of every test in the tree. A test that is commented out does not count.
std::set<std::string> tests_in_tree() {
    const std::regex regex(R"((?:^|\n)(?:TEST|TEST_F|TEST_P|TYPED_TEST_P)\(\s*(\w+)\s*,\s*(\w+))");
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
        const std::string text =
            entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp" ? text_of(entry.path()) : "";
        for (auto it = std::sregex_iterator(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it) {
            found.insert((*it)[1].str() + "." + (*it)[2].str());
        }
    }
    return found;
}

// The equations that a text names: "eq. (6)", "eq. (6), (16)", "eq. (9) and (11)", "equations (15) to (20)",
// "eq. (6)-(10)". A number in brackets without the word before it is no equation.
std::set<int> equations_named_in(const std::string& text) {
    const std::regex phrase(R"((?:eq\.|[Ee]quations?)\s*(\(\d+\)(?:\s*(?:,|and|or|to|-)\s*\(\d+\))*))");
    const std::regex range(R"(\((\d+)\)\s*(?:to|-)\s*\((\d+)\))");
    std::set<int> named;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), phrase); it != std::sregex_iterator(); ++it) {
        const std::string numbers = (*it)[1];
        for (const std::string& number : matches(numbers, R"(\((\d+)\))")) {
            named.insert(std::stoi(number));
        }
        for (auto r = std::sregex_iterator(numbers.begin(), numbers.end(), range); r != std::sregex_iterator(); ++r) {
            for (int number = std::stoi((*r)[1]); number <= std::stoi((*r)[2]); ++number) {
                named.insert(number);
            }
        }
    }
    return named;
}

constexpr int kEquations = 23;  // that the paper numbers
constexpr int kAlgorithms = 2;

// What is wrong with the map from the paper to the code, a sentence each: an equation or algorithm without a row, a row
// without a file or a test, a file that does not exist or does not name the equation, a test that does not exist.
// Only the page's first table is the map; those under its headings say how the paper is read.
std::vector<std::string> problems_of(const std::string& page, const std::set<std::string>& tests) {
    const std::string map = page.substr(0, page.find("\n## "));
    std::vector<std::string> problems;
    const std::regex row_pattern(R"(\n\| (eq\. \((\d+)\)|Algorithm (\d+)) \|[^|\n]*\|([^|\n]*)\|([^|\n]*)\|)");
    std::set<std::string> rows;
    for (auto it = std::sregex_iterator(map.begin(), map.end(), row_pattern); it != std::sregex_iterator(); ++it) {
        const std::string paper = (*it)[1];
        if (!rows.insert(paper).second) {
            problems.push_back(paper + " has two rows");
        }
        const auto files = matches((*it)[4], R"(`([^`]+)`)");
        const auto pinned_by = matches((*it)[5], R"(`([^`]+)`)");
        if (files.empty() || pinned_by.empty()) {
            problems.push_back(paper + " names no file or no test");
        }
        for (const std::string& file : files) {
            const std::string code = fs::is_regular_file(kRoot / file) ? text_of(kRoot / file) : "";
            const bool named = (*it)[3].matched ? std::regex_search(code, std::regex(paper + "\\b"))
                                                : equations_named_in(code).contains(std::stoi((*it)[2]));
            if (!named) {
                problems.push_back(file + " does not exist, or does not name " + paper);
            }
        }
        for (const std::string& test : pinned_by) {
            if (!tests.contains(test)) {
                problems.push_back(paper + " is pinned by " + test + ", which does not exist");
            }
        }
    }
    for (int i = 1; i <= kEquations; ++i) {
        if (!rows.contains("eq. (" + std::to_string(i) + ")")) {
            problems.push_back("no row for equation (" + std::to_string(i) + ")");
        }
    }
    for (int i = 1; i <= kAlgorithms; ++i) {
        if (!rows.contains("Algorithm " + std::to_string(i))) {
            problems.push_back("no row for Algorithm " + std::to_string(i));
        }
    }
    return problems;
}

TEST(Docs, EachEquationAndAlgorithmHasARowWhoseFilesNameItAndWhoseTestsExist) {
    for (const std::string& problem : problems_of(text_of(kRoot / "docs/equations.md"), tests_in_tree())) {
        ADD_FAILURE() << problem;
    }
}

TEST(Docs, AMapThatIsWrongIsFound) {
    using Problems = std::vector<std::string>;
    const std::string map = text_of(kRoot / "docs/equations.md");
    const auto tests = tests_in_tree();
    const auto after = [&](const std::string& what, const std::string& by) {
        std::string changed = map;
        const std::size_t at = changed.find(what);
        EXPECT_NE(at, std::string::npos) << what;
        return problems_of(changed.replace(at, what.size(), by), tests);
    };
    EXPECT_EQ(after("\n| eq. (7) |", "\n| equation 7 |"), Problems{"no row for equation (7)"});
    EXPECT_EQ(after("\n| Algorithm 2 |", "\n| Algorithm |"), Problems{"no row for Algorithm 2"});
    EXPECT_EQ(after("`src/batch/operator.cpp`", "`src/batch/operators.cpp`"),
              Problems{"src/batch/operators.cpp does not exist, or does not name eq. (6)"});
    EXPECT_EQ(after("`src/simulate/paper_stream.cpp`", "`src/batch/operator.cpp`"),
              Problems{"src/batch/operator.cpp does not exist, or does not name eq. (21)"});
    EXPECT_EQ(after("`Regress.LoadingsTimesWeightsAreTheCoefficients`", "`Regress.Nothing`"),
              Problems{"eq. (3) is pinned by Regress.Nothing, which does not exist"});
    EXPECT_EQ(after("`Regress.LoadingsTimesWeightsAreTheCoefficients`", "-"),
              Problems{"eq. (3) names no file or no test"});
}

TEST(Docs, AnEquationIsNamedByTheWordAndItsNumber) {
    EXPECT_EQ(equations_named_in("H, eq. (6), (16), f(7), eq. (9) and (11)\n equations (15) to (17), eq.(2)-(4)"),
              (std::set<int>{2, 3, 4, 6, 9, 11, 15, 16, 17}));
    EXPECT_EQ(equations_named_in("x(3), row (19), see (20)"), std::set<int>());
}

std::vector<fs::path> pages() {
    std::vector<fs::path> pages = {"README.md", "CONTRIBUTING.md", "experiments/README.md"};
    for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
        if (entry.path().extension() == ".md") {
            pages.push_back(fs::path("docs") / entry.path().filename());
        }
    }
    return pages;
}

// In backticks, as the target of a link or picture, or a source in a diagram.
TEST(Docs, EveryFileNamedInTheDocsExists) {
    const std::string folders = "(?:src|include|tests|docs|apps|examples|experiments|bench|fuzz|cmake|scripts|python)/";
    std::size_t named = 0;
    for (const fs::path& page : pages()) {
        const std::string text = text_of(kRoot / page);
        const auto check = [&](const std::string& pattern, const fs::path& folder) {
            for (const std::string& file : matches(text, pattern)) {
                EXPECT_TRUE(fs::exists(folder / file)) << page << " names " << file;
                ++named;
            }
        };
        check("`(" + folders + "[\\w./-]*)`", kRoot);
        check("\\s(" + folders + R"([\w./-]+\.[ch]pp))", kRoot);
        check(R"(\]\(([\w./-]+)\))", (kRoot / page).parent_path());  // a link is relative to its page
    }
    EXPECT_GT(named, 20U);
}

TEST(Docs, EveryModuleIsInTheReadme) {
    const std::string readme = text_of(kRoot / "README.md");
    for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
        if (entry.is_directory()) {
            const std::string row = "| `src/" + entry.path().filename().string() + "/` |";
            EXPECT_NE(readme.find(row), std::string::npos) << "README.md has no row " << row;
        }
    }
}

TEST(Docs, EveryTestNamedInTheDocsExists) {
    const auto known = tests_in_tree();
    std::size_t named = 0;
    for (const fs::path& page : pages()) {
        for (const std::string& test : matches(text_of(kRoot / page), R"(`([A-Z]\w+\.[A-Z]\w+)`)")) {
            EXPECT_TRUE(known.contains(test)) << page << " names " << test;
            ++named;
        }
    }
    EXPECT_GT(named, 20U);
}

using Constants = std::map<std::string, std::vector<double>>;

// Every number of a text, in its order.
std::vector<double> numbers_in(const std::string& text) {
    const std::regex regex(R"(\d[\d.]*(?:e[+-]?\d+)?)");
    std::vector<double> found;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it) {
        found.push_back(std::stod(it->str()));
    }
    return found;
}

// The constants that a source defines: one number or a list of numbers each. A comment defines nothing.
Constants constants_in(const std::string& code) {
    const std::regex regex(R"((?:^|\n)\s*(?:static )?constexpr [\w:<>, ]+ (k\w+) = ([^;]+);)");
    Constants found;
    for (auto it = std::sregex_iterator(code.begin(), code.end(), regex); it != std::sregex_iterator(); ++it) {
        found[(*it)[1]] = numbers_in((*it)[2]);
    }
    return found;
}

// The rows "| `kName` | value | .." of a page. Where `file` is given: "| `kName` | `file` | value | .." instead.
Constants constants_of_table(const std::string& page, const std::string& file = "") {
    const std::string place = file.empty() ? "" : " `" + file + "` \\|";
    const std::regex regex(R"(\n\| `(k\w+)` \|)" + place + R"( ([\d.e, +-]+) \|)");
    Constants found;
    for (auto it = std::sregex_iterator(page.begin(), page.end(), regex); it != std::sregex_iterator(); ++it) {
        found[(*it)[1]] = numbers_in((*it)[2]);
    }
    return found;
}

void expect_same_constants(const std::string& page, const std::string& file) {
    const Constants of_page = constants_of_table(text_of(kRoot / page));
    const Constants of_code = constants_in(text_of(kRoot / file));
    EXPECT_GT(of_code.size(), 10U);
    for (const auto& [name, value] : of_code) {
        EXPECT_TRUE(of_page.contains(name)) << page << " has no row for " << name;
    }
    for (const auto& [name, value] : of_page) {
        const auto defined = of_code.find(name);
        if (defined == of_code.end()) {
            ADD_FAILURE() << page << " has a row for " << name << ", which " << file << " does not define";
        } else {
            EXPECT_EQ(value, defined->second) << name;
        }
    }
}

TEST(Docs, TheTableOfConstantsIsThatOfTheSelfTuningModel) {
    expect_same_constants("docs/selftuning.md", "src/tune/constants.hpp");
}

TEST(Docs, TheTableOfConstantsIsThatOfRobustLearning) {
    expect_same_constants("docs/robust.md", "src/tune/robust_constants.hpp");
}

TEST(Docs, NumbersOfTheSelfTuningModelOutsideOfItsConstantsHaveTheStatedValues) {
    const std::string page = text_of(kRoot / "docs/selftuning.md");
    std::size_t rows = 0;
    for (const std::string& file : matches(page, R"(\n\| `k\w+` \| `([^`]+)` \|)")) {
        const Constants of_code = constants_in(text_of(kRoot / file));
        for (const auto& [name, value] : constants_of_table(page, file)) {
            const auto defined = of_code.find(name);
            ASSERT_NE(defined, of_code.end()) << file << " does not define " << name;
            EXPECT_EQ(value, defined->second) << name;
            ++rows;
        }
    }
    EXPECT_GT(rows, 5U);
}

TEST(Docs, ConstantsAreReadFromCodeAndFromTables) {
    EXPECT_EQ(constants_in("// constexpr double kNot = 1;\nconstexpr double kOne = 0.5;\n"
                           "    static constexpr std::array<double, 2> kTwo = {1.0, 1e-3};\n"),
              (Constants{{"kOne", {0.5}}, {"kTwo", {1.0, 1e-3}}}));
    const std::string page =
        "\n| `kOne` | 0.5 | half |\n| `kTwo` | 1, 1e-3 | both |\n| `kThree` | `src/a.cpp` | 7 | x |\n";
    EXPECT_EQ(constants_of_table(page), (Constants{{"kOne", {0.5}}, {"kTwo", {1.0, 1e-3}}}));
    EXPECT_EQ(constants_of_table(page, "src/a.cpp"), (Constants{{"kThree", {7.0}}}));
}

TEST(Docs, NoThirdPartyTypeAppearsInAPublicHeader) {
    for (const auto& entry : fs::directory_iterator(kRoot / "include/sluice")) {
        for (const std::string& header : matches(text_of(entry.path()), R"(#include <([^>]+)>)")) {
            EXPECT_EQ(header.find('.'), std::string::npos) << entry.path() << " includes " << header;
            EXPECT_EQ(header.find('/'), std::string::npos) << entry.path() << " includes " << header;
        }
    }
}

}  // namespace
}  // namespace sluice::docs_test
