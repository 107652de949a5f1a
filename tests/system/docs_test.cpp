// Docs stay true: the map from the paper to the code names what exists.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace sluice {
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

// "Suite.Name" of every test in the tree.
std::set<std::string> tests_in_tree() {
    const std::regex regex(R"((?:TEST|TEST_F|TEST_P|TYPED_TEST_P)\(\s*(\w+)\s*,\s*(\w+))");
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
        const std::string text = entry.is_regular_file() ? text_of(entry.path()) : "";
        for (auto it = std::sregex_iterator(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it) {
            found.insert((*it)[1].str() + "." + (*it)[2].str());
        }
    }
    return found;
}

TEST(Docs, EveryEquationAndAlgorithmOfThePaperHasARow) {
    const std::string map = text_of(kRoot / "docs/equations.md");
    for (int equation = 1; equation <= 23; ++equation) {
        const std::string row = "\n| eq. (" + std::to_string(equation) + ") |";
        EXPECT_NE(map.find(row), std::string::npos) << "no row for equation " << equation;
    }
    for (const char* algorithm : {"\n| Algorithm 1 |", "\n| Algorithm 2 |"}) {
        EXPECT_NE(map.find(algorithm), std::string::npos) << algorithm;
    }
}

TEST(Docs, EveryFileNamedInTheDocsExists) {
    std::size_t named = 0;
    for (const char* page : {"README.md", "CONTRIBUTING.md", "docs/equations.md", "docs/architecture.md",
                             "docs/performance.md", "docs/recipes.md", "docs/tracking.md"}) {
        for (const std::string& file :
             matches(text_of(kRoot / page),
                     R"(`((?:src|include|tests|docs|apps|examples|experiments|cmake|scripts)/[\w./-]*)`)")) {
            EXPECT_TRUE(fs::exists(kRoot / file)) << page << " names " << file;
            ++named;
        }
    }
    EXPECT_GT(named, 20U);
}

TEST(Docs, EveryTestNamedInTheMapExists) {
    const auto known = tests_in_tree();
    const auto named = matches(text_of(kRoot / "docs/equations.md"), R"(`([A-Z]\w+\.[A-Z]\w+)`)");
    for (const std::string& test : named) {
        EXPECT_TRUE(known.contains(test)) << test;
    }
    EXPECT_GT(named.size(), 20U);
}

TEST(Docs, EachEquationPinnedByATestIsNamedInItsCode) {
    // From the line back to the paper: a file in the map mentions the equation or algorithm it stands for.
    const std::string map = text_of(kRoot / "docs/equations.md");
    const std::regex row_pattern(R"(\n\| (eq\. \((\d+)\)|Algorithm (\d)) \|[^|]*\|([^|]*)\|)");
    for (auto it = std::sregex_iterator(map.begin(), map.end(), row_pattern); it != std::sregex_iterator(); ++it) {
        const auto files = matches((*it)[4], R"(`([\w./]+)`)");
        const bool is_algorithm = (*it)[3].matched;
        const std::string number = is_algorithm ? (*it)[3].str() : (*it)[2].str();
        bool mentioned = files.empty();
        for (const std::string& file : files) {
            const std::string code = text_of(kRoot / file);
            // "eq. (6), (16)", "eq. (6)-(10)", "Algorithm 2"
            mentioned = mentioned || (is_algorithm ? code.find("Algorithm " + number) != std::string::npos
                                                   : code.find("(" + number + ")") != std::string::npos);
            const std::regex range(R"(\((\d+)\)-\((\d+)\))");
            for (auto r = std::sregex_iterator(code.begin(), code.end(), range);
                 r != std::sregex_iterator() && !is_algorithm; ++r) {
                mentioned =
                    mentioned || (std::stoi((*r)[1]) <= std::stoi(number) && std::stoi(number) <= std::stoi((*r)[2]));
            }
        }
        EXPECT_TRUE(mentioned) << (*it)[1] << " is not mentioned in its code";
    }
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
}  // namespace sluice
