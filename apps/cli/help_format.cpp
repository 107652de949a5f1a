#include "help_format.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

namespace sluice::cli {

namespace {

constexpr std::size_t kColumnWidth = 36;

bool has_dashed_twin(const std::string& name, const std::vector<std::string>& names) {
    std::string dashed = name;
    std::ranges::replace(dashed, '_', '-');
    return dashed != name && std::ranges::find(names, dashed) != names.end();
}

class HelpFormatter final : public CLI::Formatter {
  public:
    [[nodiscard]] std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        if (is_positional || !option->nonpositional()) {
            return CLI::Formatter::make_option_name(option, is_positional);
        }
        std::string names;
        for (const std::string& name : shown_names(*option)) {
            names += (names.empty() ? "" : ",") + name;
        }
        return names;
    }
};

}  // namespace

std::vector<std::string> shown_names(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        if (!has_dashed_twin(name, option.get_lnames())) {
            names.push_back("--" + name);
        }
    }
    return names;
}

void use_our_help(CLI::App& app) {
    auto formatter = std::make_shared<HelpFormatter>();
    formatter->column_width(kColumnWidth);
    app.formatter(formatter);
}

}  // namespace sluice::cli
