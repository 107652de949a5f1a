#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/error.hpp"
#include "usage.hpp"

namespace sluice::cli {

AdaptiveOptions paper_options() {
    return {.model = StreamOptions::paper(), .tuning = Tuning::off()};
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        parts.push_back(text.substr(from, comma - from));
        from = comma + 1;
    }
    return parts;
}

void add_output_flags(CommandLine& command, OutputFlags& flags, const char* json_means) {
    command.add_flag("-q,--quiet", flags.quiet, "Print nothing but errors");
    command.add_flag("--json", flags.json, json_means);
}

void ReadingArguments::add_to(CommandLine& command) {
    const char* group = "How to read";
    command.add_option("--format", format_, "Format of the input").group(group).one_of({"auto", "csv", "ndjson"});
    command.add_flag("--no-header", no_header_, "The first line is data; columns are called c1, c2, ...").group(group);
    command.add_option("--delimiter", delimiter_, "One character, or auto, tab, space (runs of blanks)")
        .values("CHAR")
        .group(group);
    command.add_option("--decimal", decimal_, "Decimal mark").group(group).one_of({".", ","});
    command.add_option("--skip", skip_, "Lines before the header (or before the data, without one)")
        .values("N")
        .group(group);
    command
        .add_option("--comment", comment_,
                    "Skip lines that begin with TEXT; those that begin with # before the header always are")
        .values("TEXT")
        .group(group);
    command
        .add_flag("--strict-columns", strict_columns_,
                  "A new field of NDJSON, a nested object, a text in a column of numbers, and other columns in a file "
                  "that continues the stream are errors")
        .group(group);
    missing_option_ = command
                          .add_option("--missing", missing_,
                                      "Cells that mean missing, such as NA,-200; the empty cell always does. Default: "
                                      "NA, N/A, NaN, nan, null, NULL")
                          .values("TEXT[,TEXT...]")
                          .group(group);
}

io::Dialect ReadingArguments::dialect() const {
    io::Dialect dialect;
    dialect.kind = format_ == "csv"      ? io::Dialect::Kind::csv
                   : format_ == "ndjson" ? io::Dialect::Kind::ndjson
                                         : io::Dialect::Kind::automatic;
    dialect.header = no_header_ ? io::Dialect::Header::no : io::Dialect::Header::yes;
    if (delimiter_ == "tab" || delimiter_ == "\\t") {
        dialect.delimiter = '\t';
    } else if (delimiter_ == "space" || delimiter_ == " ") {
        dialect.delimiter = ' ';
    } else if (delimiter_ != "auto") {
        if (delimiter_.size() != 1 || delimiter_ == "\"" || delimiter_ == "\n") {
            throw job::UsageError(fmt::format("--delimiter {}: give one character, tab, space or auto", delimiter_));
        }
        dialect.delimiter = delimiter_.front();
    }
    dialect.decimal = decimal_.front();
    if (dialect.delimiter == dialect.decimal) {
        throw job::UsageError("--delimiter and --decimal are the same character");
    }
    dialect.skip = skip_;
    dialect.comment = comment_;
    dialect.strict_columns = strict_columns_;
    if (missing_option_->given()) {
        dialect.missing = split(missing_);
    }
    return dialect;
}

void RoleArguments::add_to(CommandLine& command) {
    const char* group = "Which column is what";
    const auto add = [&](const char* name, std::string& value, const char* help) {
        command.add_option(name, value, help).values("COL[,COL...]").joined_by(',').group(group);
    };
    add("-t,--targets", targets_, "What to predict: names, numbers from 1, ranges 3:10, patterns PT08*");
    add("-i,--inputs", inputs_, "What to predict from [every other column]");
    add("--ignore", ignore_, "Columns to leave out");
    command.add_option("--time", time_, "Column that is copied into the records; several are joined by blanks")
        .values("COL[,COL...]")
        .joined_by(',')
        .group(group);
}

job::RoleRequest RoleArguments::request() const {
    return {.targets = split(targets_), .inputs = split(inputs_), .ignore = split(ignore_), .time = time_};
}

void ModelArguments::add_to(CommandLine& command) {
    const AdaptiveOptions defaults;
    const AdaptiveOptions paper = paper_options();
    for (const AdaptiveField& field : adaptive_fields()) {
        std::string value = field.get(defaults);
        if (const std::string of_paper = field.get(paper); of_paper != value && !value.empty()) {
            value += "; with --paper " + of_paper;
        }
        add(command, {.field = &field, .values = field.values, .help = field.help, .value = value});
    }
}

void ModelArguments::add_plain_to(CommandLine& command, const std::vector<std::string>& except,
                                  const StreamOptions& defaults) {
    for (const AdaptiveField& field : adaptive_fields()) {
        if (field.plain != nullptr && std::ranges::find(except, field.name) == except.end()) {
            const OptionField& plain = *field.plain;
            add(command, {.field = &field, .values = plain.values, .help = plain.help, .value = plain.get(defaults)});
        }
    }
}

void ModelArguments::add(CommandLine& command, const Shown& shown) {
    const std::string name(shown.field->name);
    std::string dashed = name;
    std::ranges::replace(dashed, '_', '-');
    std::string help(shown.help);
    if (!shown.value.empty() && shown.value != "none") {
        help += fmt::format(" [{}]", shown.value);
    }
    auto text = std::make_unique<std::string>();
    Option option =
        command.add_option(dashed == name ? "--" + name : fmt::format("--{},--{}", dashed, name), *text, help);
    option.values(std::string(shown.values)).group("The model");
    arguments_.push_back({.field = shown.field, .text = std::move(text), .option = option});
}

void ModelArguments::each_given(const std::function<void(const AdaptiveField&, const std::string&)>& set) const {
    std::vector<std::string> problems;
    for (const Argument& argument : arguments_) {
        if (!argument.option.given()) {
            continue;
        }
        try {
            set(*argument.field, *argument.text);
        } catch (const OptionError& error) {
            problems.push_back(fmt::format("{}: {}", argument.field->name, error.what()));
        }
    }
    if (!problems.empty()) {
        throw OptionError(problems);
    }
}

void ModelArguments::apply(AdaptiveOptions& options, std::vector<std::string>& given) const {
    each_given([&](const AdaptiveField& field, const std::string& text) {
        given.emplace_back(field.name);
        field.set(options, text);
    });
}

void ModelArguments::apply_plain(StreamOptions& options) const {
    each_given([&](const AdaptiveField& field, const std::string& text) {
        if (text == "auto") {
            throw job::UsageError(
                fmt::format("{}: auto: this command tunes nothing; give a value, or use `sluice stream`", field.name));
        }
        field.plain->set(options, text);
    });
}

}  // namespace sluice::cli
