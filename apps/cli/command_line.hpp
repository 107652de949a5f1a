// command_line.hpp -- how a command declares its options. The parser behind it, CLI11, takes seconds to compile and is
// included only by command_line.cpp, guide.cpp and main.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sluice::cli {

/// What a command does once everything is parsed; the result is the exit code.
using Command = std::function<int()>;

/// An option, flag or positional argument that was added to a command.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    Option& values(const std::string& shown);  ///< what stands after its name in the help: "FILE|-"
    Option& group(const std::string& heading);
    Option& shows_default();  ///< the value before parsing, in the help
    Option& required();
    Option& joined_by(char separator);  ///< given several times, or with several words: one text
    Option& environment(const std::string& variable);
    Option& one_of(const std::vector<std::string>& words);  ///< only these words; the help shows "stop|skip"
    Option& only(const std::vector<std::string>& words);    ///< the same; the help shows what it did before
    Option& at_most(std::size_t largest);
    Option& positive();

    [[nodiscard]] bool given() const;

  private:
    CLI::Option* option_;
};

/// The tool itself, or one of its commands. What is parsed goes to `value`, which must live as long as the parser.
class CommandLine {
  public:
    explicit CommandLine(CLI::App& app) : app_(&app) {}

    [[nodiscard]] CommandLine add_subcommand(const std::string& name, const std::string& about);

    /// Names as "-o,--out", or "FILE" for a positional argument.
    Option add_option(const std::string& names, std::string& value, const std::string& help);
    Option add_option(const std::string& names, double& value, const std::string& help);
    Option add_option(const std::string& names, std::size_t& value, const std::string& help);
    Option add_option(const std::string& names, std::vector<std::string>& value, const std::string& help);
    Option add_option(const std::string& names, std::optional<double>& value, const std::string& help);
    Option add_option(const std::string& names, std::optional<std::size_t>& value, const std::string& help);
    Option add_flag(const std::string& names, bool& value, const std::string& help);
    /// "--long-only,!--allow-short": the second sets it to false.
    Option add_flag(const std::string& names, std::optional<bool>& value, const std::string& help);

    /// These options, which were added before, are listed first in the help. Names as "--out".
    void most_used(const std::vector<std::string>& names);

    void footer(const std::string& text);

    /// Everything after the command's name, --help too, is kept for another program.
    void pass_on_everything();
    [[nodiscard]] std::vector<std::string> passed_on() const;

    [[nodiscard]] const CLI::App& parser() const { return *app_; }

  private:
    CLI::App* app_;
};

}  // namespace sluice::cli
