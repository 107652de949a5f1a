#include "model_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json_text.hpp"
#include "lags.hpp"
#include "learner.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"
#include "sluice/interval.hpp"
#include "suggest.hpp"

namespace sluice::job {

namespace {

constexpr std::uint64_t kLongestHorizon = 1'000'000;

constexpr std::array<std::string_view, 16> kFields = {
    "targets", "inputs",  "ignore",     "time",    "lags",      "target_lags",    "horizon", "interval",
    "warmup",  "missing", "on_bad_row", "decimal", "delimiter", "strict_columns", "paper",   "options"};

[[noreturn]] void refuse(const std::string& sentence) {
    throw SettingError(sentence);
}

// As AdaptiveField::set takes it: true is yes, a list is joined by commas.
std::string option_text(const SettingNode& value, std::string_view field) {
    if (value.kind == SettingNode::Kind::text) {
        return text_of(value, field);
    }
    if (value.is_literal()) {
        return value.value == "true" ? "yes" : value.value == "false" ? "no" : value.value;
    }
    if (value.kind == SettingNode::Kind::list) {
        std::string out;
        for (const SettingNode& one : value.items) {
            if (!one.is_text() && !one.is_literal()) {
                refuse(fmt::format("{}: must be a number, a text, true, false or a list of numbers", field));
            }
            out += (out.empty() ? "" : ",") + option_text(one, field);
        }
        return out;
    }
    refuse(fmt::format("{}: must be a number, a text, true, false or a list of numbers", field));
}

// "0:15", or a list of numbers.
std::string lags_text(const SettingNode& value, std::string_view field) {
    if (value.is_text()) {
        return text_of(value, field);
    }
    if (value.kind != SettingNode::Kind::list || value.items.size() > kLongestLag) {
        refuse(fmt::format("{}: must be a text such as \"0:15\", or a list of numbers", field));
    }
    std::string out;
    for (const SettingNode& one : value.items) {
        out += fmt::format("{}{}", out.empty() ? "" : ",", count_of(one, field, kLongestLag));
    }
    return out;
}

void read_options(const SettingNode& given, ModelSpec& spec) {
    if (given.kind != SettingNode::Kind::map) {
        refuse("options: must be an object, such as {\"forgetting\": 0.98}");
    }
    const auto fields = adaptive_fields();
    for (const std::string& name : given.names) {
        if (std::ranges::find(fields, name, &AdaptiveField::name) == fields.end()) {
            const auto gone = std::ranges::find(removed_fields(), name, &RemovedField::name);
            if (gone != removed_fields().end()) {
                refuse(fmt::format("options: {}", gone->sentence));
            }
            std::vector<std::string> names;
            for (const AdaptiveField& field : fields) {
                names.emplace_back(field.name);
            }
            refuse(fmt::format("options: there is no option {}{}", io::json(name), io::did_you_mean(name, names)));
        }
    }
    for (const AdaptiveField& field : fields) {
        const auto at = std::ranges::find(given.names, field.name);
        if (at != given.names.end()) {
            const SettingNode& value = given.items[static_cast<std::size_t>(at - given.names.begin())];
            if (value.kind != SettingNode::Kind::null) {
                spec.options.emplace_back(field.name, option_text(value, field.name));
            }
        }
    }
}

void read_field(std::string_view field, const SettingNode& value, ModelSpec& spec, const OtherFields& others) {
    if (others.read && others.read(field, value)) {
        return;
    }
    if (field == "targets") {
        spec.roles.targets = texts_of(value, field);
    } else if (field == "inputs") {
        spec.roles.inputs = texts_of(value, field);
    } else if (field == "ignore") {
        spec.roles.ignore = texts_of(value, field);
    } else if (field == "time") {
        spec.roles.time = text_of(value, field);
    } else if (field == "lags") {
        spec.layout.lags = parse_lags(lags_text(value, field));
    } else if (field == "target_lags") {
        const std::string text = lags_text(value, field);
        spec.layout.target_lags = text.empty() ? std::vector<std::size_t>{} : parse_target_lags(text);
    } else if (field == "horizon") {
        spec.layout.horizon = count_of(value, field, kLongestHorizon);
    } else if (field == "interval") {
        const std::optional<double> coverage = number_of(value);
        if (!coverage || !IntervalOptions{.coverage = *coverage}.problems().empty()) {
            refuse("interval: must be the share of outputs that the intervals shall contain, 0.1 to 0.999");
        }
        spec.interval = coverage;
    } else if (field == "warmup") {
        spec.warmup = count_of(value, field, 1'000'000'000);
    } else if (field == "on_bad_row") {
        const std::string text = text_of(value, field);
        if (text != "stop" && text != "skip") {
            refuse("on_bad_row: must be \"stop\" (the batch is refused) or \"skip\"");
        }
        spec.skip_bad_rows = text == "skip";
    } else if (field == "strict_columns") {
        spec.strict_columns = flag_of(value, field);
    } else if (field == "paper") {
        spec.paper = flag_of(value, field);
    } else if (field == "delimiter") {
        spec.delimiter = character_of(value, field);
    } else if (field == "decimal") {
        spec.decimal = character_of(value, field);
    } else if (field == "missing") {
        spec.missing = texts_of(value, field);
    } else if (field == "options") {
        read_options(value, spec);
    } else {
        std::vector<std::string> names(kFields.begin(), kFields.end());
        names.insert(names.end(), others.names.begin(), others.names.end());
        refuse(fmt::format("there is no field {}{}", io::json(field), io::did_you_mean(std::string(field), names)));
    }
}

}  // namespace

AdaptiveOptions ModelSpec::adaptive_options() const {
    AdaptiveOptions out;
    if (paper) {
        out = {.model = StreamOptions::paper(), .tuning = Tuning::off()};
    }
    bool intercept_given = false;
    for (const auto& [name, text] : options) {
        const auto field = std::ranges::find(adaptive_fields(), name, &AdaptiveField::name);
        try {
            field->set(out, text);
        } catch (const OptionError& error) {
            throw OptionError({fmt::format("{}: {}", name, error.what())});
        }
        intercept_given = intercept_given || name == "intercept";
    }
    if (!intercept_may_drift(layout.horizon) && !intercept_given) {
        out.tuning.intercept = false;
    }
    return out;
}

io::Dialect ModelSpec::dialect(io::Dialect::Kind kind) const {
    io::Dialect out;
    out.kind = kind;
    out.delimiter = delimiter;
    out.decimal = decimal;
    out.missing = missing;
    out.strict_columns = strict_columns;
    return out;
}

ModelSpec read_spec(const SettingNode& map, const OtherFields& others) {
    if (map.kind != SettingNode::Kind::map) {
        refuse("a model is described by an object, such as {\"targets\": [\"y\"]}");
    }
    ModelSpec spec;
    std::string problems;
    for (std::size_t i = 0; i < map.items.size(); ++i) {
        const std::string& name = map.names[i];
        try {
            if (std::find(map.names.begin(), map.names.begin() + static_cast<std::ptrdiff_t>(i), name) !=
                map.names.begin() + static_cast<std::ptrdiff_t>(i)) {
                refuse(fmt::format("{}: is given twice", io::json(name)));
            }
            if (map.items[i].kind != SettingNode::Kind::null) {
                read_field(name, map.items[i], spec, others);
            }
        } catch (const std::exception& problem) {
            problems += fmt::format("{}{}", problems.empty() ? "" : "\n", problem.what());
        }
    }
    if (spec.roles.targets.empty()) {
        problems += fmt::format("{}targets: say which columns to predict, such as {{\"targets\": [\"y\"]}}",
                                problems.empty() ? "" : "\n");
    }
    if (!problems.empty()) {
        refuse(problems);
    }
    // Rules that depend on the number of columns are checked with the first rows.
    constexpr std::size_t kManyInputs = 1'000'000;
    if (const auto broken =
            spec.adaptive_options().problems(kManyInputs, std::max<std::size_t>(1, spec.roles.targets.size()));
        !broken.empty()) {
        throw OptionError(broken);
    }
    io::check_dialect(spec.dialect(io::Dialect::Kind::automatic));
    return spec;
}

std::string spec_json(const ModelSpec& spec) {
    return spec_json(spec, {}, {"warmup", "on_bad_row"});
}

std::string spec_json(const ModelSpec& spec, const std::vector<std::pair<std::string, std::string>>& others,
                      const std::vector<std::string_view>& optional) {
    const auto wanted = [&](std::string_view field) { return std::ranges::find(optional, field) != optional.end(); };
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object();
    for (const auto& [name, value] : others) {
        json.key(name).encoded(value);
    }
    json.key("targets").list(spec.roles.targets).key("inputs").list(spec.roles.inputs);
    json.key("ignore").list(spec.roles.ignore);
    json.key("time");
    spec.roles.time.empty() ? json.encoded("null") : json.value(spec.roles.time);
    json.key("lags").list(spec.layout.lags).key("target_lags").list(spec.layout.target_lags);
    json.member("horizon", spec.layout.horizon).member("interval", spec.interval);
    if (wanted("warmup")) {
        json.member("warmup", spec.warmup);
    }
    if (wanted("on_bad_row")) {
        json.member("on_bad_row", spec.skip_bad_rows ? "skip" : "stop");
    }
    json.member("strict_columns", spec.strict_columns).member("paper", spec.paper);
    json.key("delimiter");
    spec.delimiter ? json.value(std::string_view(&*spec.delimiter, 1)) : json.encoded("null");
    json.member("decimal", std::string_view(&spec.decimal, 1)).key("missing").list(spec.missing);
    json.key("options").begin_object();
    for (const auto& [name, text] : spec.options) {
        json.member(name, text);
    }
    json.end_object().end_object();
    return out;
}

}  // namespace sluice::job
