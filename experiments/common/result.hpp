// result.hpp -- what an experiment hands back: all that the report, the files beside it and the JSON are made of.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::experiments {

enum class Verdict { holds, in_part, fails, not_asked };

/// A sentence of the paper beside what we measured.
struct Claim {
    std::string claim;
    std::string measured;
    Verdict verdict = Verdict::holds;
};

/// A number that must come out.
struct Check {
    std::string what;
    double expected = 0.0;
    double measured = 0.0;
    double standard_error = 0.0;  ///< of what was measured
    std::string note = {};
    bool at_least = false;  ///< more is welcome, less is not

    /// Within kTolerance, and two standard errors of our own on top. A number that must be reached is reached or not.
    [[nodiscard]] bool met() const;
    [[nodiscard]] double away() const;  ///< distance of the two; what is missing where it must be reached
};

struct Figure {
    std::string name;  ///< of its file, without .svg
    std::string caption;
    std::string svg;
};

/// Numbers behind a figure, as CSV.
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

/// Of the paper.
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
    std::string notice = {};                ///< what whoever runs it must know, on the terminal too; empty: nothing
    std::vector<std::string> summary = {};  ///< paragraphs before the figures: what holds and what does not
};

/// Of expected numbers. They are themselves means over 40 to 150 runs of a prototype.
inline constexpr double kTolerance = 0.03;

}  // namespace sluice::experiments
