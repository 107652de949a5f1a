// result.hpp -- what an experiment returns: everything that the report, its files and the JSON contain.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::experiments {

enum class Verdict { holds, in_part, fails, not_tested };

/// A sentence, and what we measured. The report shows the paper's sentences and ours in different tables.
struct Claim {
    std::string claim;
    std::string measured;
    Verdict verdict = Verdict::holds;
    bool ours = false;  ///< not in the paper
};

/// One measured number beside a reference: that of a prototype, or a goal that we set. The paper gives no such numbers.
struct Check {
    std::string what;
    double reference = 0.0;
    double measured = 0.0;
    double standard_error = 0.0;  ///< of `measured`
    std::string note = {};
    bool is_goal = false;  ///< `measured` must be at least `reference`, without tolerance
    bool at_most = false;  ///< of a goal: it must be at most `reference` instead

    /// For a prototype's number: `away()` is at most kTolerance plus two standard errors.
    [[nodiscard]] bool met() const;
    [[nodiscard]] double away() const;  ///< distance from the prototype's number, or shortfall from the goal
};

struct Figure {
    std::string name;  ///< of its file, without .svg
    std::string caption;
    std::string svg;
};

/// The numbers of a figure, as CSV.
struct Series {
    std::string name;  ///< of its file, without .csv
    std::string csv;
};

struct Table {
    std::string title;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

using Settings = std::vector<std::pair<std::string, std::string>>;  ///< name and value, the value as JSON

/// Part of section 4 of the paper.
enum class Section { simulations, markets };

struct Result {
    std::string name;
    std::string title;
    std::string question;
    Settings settings = {};
    std::vector<Claim> claims = {};
    std::vector<Figure> figures = {};
    std::vector<Table> tables = {};
    std::vector<Check> checks = {};
    std::vector<Series> series = {};
    std::vector<std::string> differs = {};  ///< from the paper, and why
    std::string json = {};                  ///< one line
    Section section = Section::simulations;
    std::string notice = {};                ///< shown on the terminal too, such as that real data was not found
    std::vector<std::string> summary = {};  ///< paragraphs before the figures: what holds and what does not
};

/// For a prototype's numbers, which are means over 40 to 150 runs.
inline constexpr double kTolerance = 0.03;

}  // namespace sluice::experiments
