#include "guide.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "exit_code.hpp"
#include "help_format.hpp"

namespace sluice::cli {

namespace {

// "yes|no" and "{auto,csv,ndjson}" are lists of words; "N|none" is not only words, but the words in it can be offered.
std::vector<std::string> words_of(const std::string& values) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : values + "|") {
        if (c == '|' || c == ',' || c == '{' || c == '}') {
            const bool plain = !word.empty() && std::ranges::all_of(word, [](char l) {
                return (l >= 'a' && l <= 'z') || l == '_' || l == '-' || (l >= '0' && l <= '9');
            });
            if (plain && word != "-") {
                words.push_back(word);
            }
            word.clear();
        } else {
            word += c;
        }
    }
    return words;
}

GuideOption option_of(const CLI::Option& option) {
    GuideOption out;
    out.names = shown_names(option);
    if (out.names.empty()) {
        out.names.push_back(option.get_name(true));
        out.positional = true;
    }
    out.help = option.get_description();
    out.group = option.get_group();
    if (option.get_items_expected_max() > 0 && !out.positional) {
        out.values = option.get_type_name();
        const std::size_t colon = out.values.find(':');  // CLI11 puts the allowed words after the type
        if (colon != std::string::npos && out.values.find('{') != std::string::npos) {
            out.values = out.values.substr(colon + 1);
        }
    }
    out.choices = words_of(out.positional ? option.get_type_name() : out.values);
    return out;
}

void add_commands(const CLI::App& app, const std::string& before, std::vector<GuideCommand>& guide) {
    for (const CLI::App* sub : app.get_subcommands(std::function<bool(const CLI::App*)>{})) {
        const std::string name = before.empty() ? sub->get_name() : before + " " + sub->get_name();
        GuideCommand command{.name = name, .help = sub->get_description(), .footer = sub->get_footer(), .options = {}};
        for (const CLI::Option* option : sub->get_options()) {
            command.options.push_back(option_of(*option));
        }
        std::ranges::stable_partition(
            command.options, [](const GuideOption& option) { return option.positional || option.group == kMostUsed; });
        guide.push_back(std::move(command));
        add_commands(*sub, name, guide);
    }
}

}  // namespace

std::vector<GuideCommand> guide_of(const CommandLine& app) {
    std::vector<GuideCommand> guide;
    add_commands(app.parser(), "", guide);
    return guide;
}

Command add_completion(CommandLine& app) {
    CommandLine command = app.add_subcommand("completion", "Print the completion script of a shell");
    auto shell = std::make_shared<std::string>();
    command.add_option("SHELL", *shell, "bash, zsh or fish").values("").required().only({"bash", "zsh", "fish"});
    command.footer(R"(Examples:
  source <(sluice completion bash)
  sluice completion fish > ~/.config/fish/completions/sluice.fish)");
    return [shell, app] {
        const auto guide = guide_of(app);
        fmt::print("{}", *shell == "bash"  ? bash_completion(guide)
                         : *shell == "zsh" ? zsh_completion(guide)
                                           : fish_completion(guide));
        return kDone;
    };
}

Command add_man(CommandLine& app) {
    CommandLine command = app.add_subcommand("man", "Print the manual page");
    command.footer(R"(Example:
  sluice man | man -l -)");
    return [app] {
        fmt::print("{}", man_page(guide_of(app), app.parser().get_description()));
        return kDone;
    };
}

}  // namespace sluice::cli
