// man.cpp -- the guide as a manual page.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "guide.hpp"
#include "sluice/version.hpp"

namespace sluice::cli {

namespace {

// Text as troff takes it: backslashes and dashes escaped, no line that begins with a dot or an apostrophe.
std::string troff(const std::string& text) {
    std::string out;
    bool line_start = true;
    for (const char c : text) {
        if (line_start && (c == '.' || c == '\'')) {
            out += "\\&";
        }
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
        line_start = c == '\n';
    }
    return out;
}

}  // namespace

std::string man_page(const std::vector<GuideCommand>& guide, const std::string& about) {
    std::string out = fmt::format(
        ".TH SLUICE 1 \"\" \"sluice {}\" \"User Commands\"\n.SH NAME\nsluice \\- {}\n.SH SYNOPSIS\n.B sluice\n"
        ".I COMMAND\n[options]\n.SH DESCRIPTION\nData goes to standard output, messages to standard error; \\- is "
        "standard "
        "input or output.\nEvery row is predicted before it is learnt.\n.SH COMMANDS\n",
        SLUICE_VERSION, troff(about));
    for (const GuideCommand& command : guide) {
        out += fmt::format(".SS \"sluice {}\"\n{}.\n", troff(command.name), troff(command.help));
        std::string group;
        for (const GuideOption& option : command.options) {
            if (option.group != group && option.group != "Positionals" && option.group != "Options") {
                group = option.group;
                out += fmt::format(".PP\n.I {}\n", troff(group));
            }
            std::string names;
            for (const std::string& name : option.names) {
                names += (names.empty() ? "" : ", ") + name;
            }
            out += fmt::format(".TP\n.B {} {}\n{}\n", troff(names), troff(option.values), troff(option.help));
        }
        if (!command.footer.empty()) {
            out += fmt::format(".PP\n.nf\n{}\n.fi\n", troff(command.footer));
        }
    }
    out +=
        ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nfailure while running: a file that cannot be opened or "
        "written\n.TP\n2\n"
        "usage\n.TP\n3\nbad data\n.TP\n4\ndamaged or foreign model file\n.TP\n130\ninterrupted by SIGINT or SIGTERM, "
        "after "
        "finishing the row and writing the checkpoint\n"
        ".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set and not empty, no colours\n";
    return out;
}

}  // namespace sluice::cli
