// completion.cpp -- the guide as completion scripts for three shells.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "guide.hpp"

namespace sluice::cli {

namespace {

std::string top_level(const std::vector<GuideCommand>& guide, const char* between) {
    std::string out;
    for (const GuideCommand& command : guide) {
        if (command.name.find(' ') == std::string::npos) {
            out += (out.empty() ? "" : between) + command.name;
        }
    }
    return out;
}

// Options of a command and of its subcommands: one level is enough for the shells.
std::vector<GuideOption> options_of(const std::vector<GuideCommand>& guide, const std::string& name) {
    std::vector<GuideOption> options;
    std::set<std::string> seen;
    for (const GuideCommand& command : guide) {
        if (command.name == name || command.name.starts_with(name + " ")) {
            for (const GuideOption& option : command.options) {
                if (seen.insert(option.names.front()).second) {
                    options.push_back(option);
                }
            }
        }
    }
    return options;
}

std::vector<std::string> words_after(const std::vector<GuideCommand>& guide, const std::string& name) {
    std::vector<std::string> words;
    for (const GuideCommand& command : guide) {
        if (command.name.starts_with(name + " ")) {
            words.push_back(command.name.substr(name.size() + 1));
        }
    }
    for (const GuideOption& option : options_of(guide, name)) {
        if (option.positional) {
            words.insert(words.end(), option.choices.begin(), option.choices.end());
        }
    }
    return words;
}

std::vector<std::string> top_names(const std::vector<GuideCommand>& guide) {
    std::vector<std::string> names;
    for (const GuideCommand& command : guide) {
        if (command.name.find(' ') == std::string::npos) {
            names.push_back(command.name);
        }
    }
    return names;
}

std::string single_quoted(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return "'" + out + "'";
}

// In zsh's _arguments, brackets and colons are marks.
std::string zsh_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') {
            out += '\\';
        }
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return out;
}

}  // namespace

std::string bash_completion(const std::vector<GuideCommand>& guide) {
    std::string out =
        "# bash completion for sluice, written by `sluice completion bash`\n"
        "_sluice() {\n"
        "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" "
        "command=\"${COMP_WORDS[1]}\"\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
    out +=
        fmt::format("        COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n        return\n    fi\n",
                    top_level(guide, " "));
    out += "    case \"$command:$before\" in\n";
    for (const std::string& name : top_names(guide)) {
        for (const GuideOption& option : options_of(guide, name)) {
            if (!option.positional && !option.choices.empty()) {
                std::string pattern;
                for (const std::string& spelling : option.names) {
                    pattern += fmt::format("{}{}:{}", pattern.empty() ? "" : "|", name, spelling);
                }
                out += fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", pattern,
                                   fmt::join(option.choices, " "));
            }
        }
    }
    out += "    esac\n    local options=\n    case \"$command\" in\n";
    for (const std::string& name : top_names(guide)) {
        std::string options = fmt::format("{}", fmt::join(words_after(guide, name), " "));
        for (const GuideOption& option : options_of(guide, name)) {
            if (!option.positional) {
                options += " " + option.names.back();
            }
        }
        out += fmt::format("        {}) options=\"{}\" ;;\n", name, options);
    }
    out +=
        "    esac\n"
        "    if [[ \"$word\" == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "    else\n"
        "        COMPREPLY=($(compgen -W \"${options//--+([^ ])/}\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
        "    fi\n"
        "}\n"
        "shopt -s extglob\n"
        "complete -o filenames -F _sluice sluice\n";
    return out;
}

std::string zsh_completion(const std::vector<GuideCommand>& guide) {
    std::string out =
        "#compdef sluice\n# zsh completion for sluice, written by `sluice completion zsh`\n_sluice() {\n"
        "    local -a commands\n    commands=(\n";
    for (const GuideCommand& command : guide) {
        if (command.name.find(' ') == std::string::npos) {
            out += fmt::format("        '{}:{}'\n", command.name, zsh_text(command.help));
        }
    }
    out +=
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
        "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n";
    for (const std::string& name : top_names(guide)) {
        out += fmt::format("        {}) _arguments -s", name);
        for (const GuideOption& option : options_of(guide, name)) {
            if (option.positional) {
                continue;
            }
            for (const std::string& spelling : option.names) {
                out += fmt::format(" \\\n            '{}[{}]", spelling, zsh_text(option.help));
                if (!option.choices.empty()) {
                    out += fmt::format(":value:({})", fmt::join(option.choices, " "));
                } else if (!option.values.empty()) {
                    out += ":value:_files";
                }
                out += "'";
            }
        }
        const auto words = words_after(guide, name);
        out += words.empty()
                   ? " \\\n            '*:file:_files' ;;\n"
                   : fmt::format(" \\\n            '1:word:({})' '*:file:_files' ;;\n", fmt::join(words, " "));
    }
    out += "    esac\n}\ncompdef _sluice sluice\n";
    return out;
}

std::string fish_completion(const std::vector<GuideCommand>& guide) {
    std::string out = "# fish completion for sluice, written by `sluice completion fish`\n";
    for (const GuideCommand& command : guide) {
        if (command.name.find(' ') == std::string::npos) {
            out += fmt::format("complete -c sluice -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                               single_quoted(command.help));
        }
    }
    for (const std::string& name : top_names(guide)) {
        const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", name);
        if (const auto words = words_after(guide, name); !words.empty()) {
            out += fmt::format("complete -c sluice {} -f -a '{}'\n", when, fmt::join(words, " "));
        }
        for (const GuideOption& option : options_of(guide, name)) {
            if (option.positional) {
                continue;
            }
            out += "complete -c sluice " + when;
            for (const std::string& spelling : option.names) {
                out += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
            }
            if (!option.choices.empty()) {
                out += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
            } else if (!option.values.empty()) {
                out += " -r";
            }
            out += " -d " + single_quoted(option.help) + "\n";
        }
    }
    return out;
}

}  // namespace sluice::cli
