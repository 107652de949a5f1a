// guide.hpp -- what the tool can be asked, walked through once: the man page and the shells' completions are written
// from it, so that they cannot fall behind.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"

namespace sluice::cli {

struct GuideOption {
    std::vector<std::string> names;    ///< with their dashes; a positional has its one name
    std::string values;                ///< as in the help; empty for a flag
    std::vector<std::string> choices;  ///< where only certain words are allowed
    std::string help;
    std::string group;
    bool positional = false;
};

struct GuideCommand {
    std::string name;  ///< "stream", "bench step"
    std::string help;
    std::string footer;
    std::vector<GuideOption> options;
};

[[nodiscard]] std::vector<GuideCommand> guide_of(const CommandLine& app);

[[nodiscard]] std::string bash_completion(const std::vector<GuideCommand>& guide);
[[nodiscard]] std::string zsh_completion(const std::vector<GuideCommand>& guide);
[[nodiscard]] std::string fish_completion(const std::vector<GuideCommand>& guide);
[[nodiscard]] std::string man_page(const std::vector<GuideCommand>& guide, const std::string& about);

/// `sluice completion SHELL` and `sluice man`.
[[nodiscard]] Command add_completion(CommandLine& app);
[[nodiscard]] Command add_man(CommandLine& app);

}  // namespace sluice::cli
