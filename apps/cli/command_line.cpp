#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include "help_format.hpp"

namespace sluice::cli {

namespace {

// The parser takes -5 for a huge number where no negative one is possible.
CLI::Option* not_negative(CLI::Option* option) {
    return option->check(
        [](const std::string& text) {
            return text.starts_with('-') ? "must be a whole number from 0 on, and " + text + " is negative" : "";
        },
        "");
}

}  // namespace

Option& Option::values(const std::string& shown) {
    option_->type_name(shown);
    return *this;
}

Option& Option::group(const std::string& heading) {
    option_->group(heading);
    return *this;
}

Option& Option::shows_default() {
    option_->capture_default_str();
    return *this;
}

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::joined_by(char separator) {
    option_->join(separator);
    return *this;
}

Option& Option::environment(const std::string& variable) {
    option_->envname(variable);
    return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
    std::string shown;
    for (const std::string& word : words) {
        shown += (shown.empty() ? "" : "|") + word;
    }
    option_->type_name(shown)->check(CLI::IsMember(words).description(""));
    return *this;
}

Option& Option::only(const std::vector<std::string>& words) {
    option_->check(CLI::IsMember(words));
    return *this;
}

Option& Option::at_most(std::size_t largest) {
    option_->check(CLI::Range(std::size_t{0}, largest).description(""));
    return *this;
}

Option& Option::positive() {
    option_->check(CLI::Validator(CLI::PositiveNumber).description(""));  // the help shows values() alone
    return *this;
}

bool Option::given() const {
    return option_->count() > 0;
}

CommandLine CommandLine::add_subcommand(const std::string& name, const std::string& about) {
    return CommandLine(*app_->add_subcommand(name, about));
}

Option CommandLine::add_option(const std::string& names, std::string& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, double& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, std::size_t& value, const std::string& help) {
    return Option(not_negative(app_->add_option(names, value, help)));
}

Option CommandLine::add_option(const std::string& names, std::vector<std::string>& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, std::optional<double>& value, const std::string& help) {
    return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, std::optional<std::size_t>& value, const std::string& help) {
    return Option(not_negative(app_->add_option(names, value, help)));
}

Option CommandLine::add_flag(const std::string& names, bool& value, const std::string& help) {
    return Option(app_->add_flag(names, value, help));
}

Option CommandLine::add_flag(const std::string& names, std::optional<bool>& value, const std::string& help) {
    return Option(app_->add_flag(names, value, help));
}

void CommandLine::most_used(const std::vector<std::string>& names) {
    // CLI11 lists groups in the order of their first options, and --help is the first of all.
    app_->get_help_ptr()->group(kMostUsed);
    for (const std::string& name : names) {
        app_->get_option(name)->group(kMostUsed);
    }
}

void CommandLine::footer(const std::string& text) {
    app_->footer(text);
}

void CommandLine::pass_on_everything() {
    app_->set_help_flag();
    app_->prefix_command();
}

std::vector<std::string> CommandLine::passed_on() const {
    return app_->remaining();
}

}  // namespace sluice::cli
