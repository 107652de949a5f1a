#include "model_spec.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "json_text.hpp"
#include "lags.hpp"
#include "learner.hpp"
#include "request_error.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"
#include "sluice/interval.hpp"
#include "suggest.hpp"

namespace sluice::serve {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kLongestText = 10'000;
constexpr std::size_t kMostTexts = 100'000;
constexpr std::uint64_t kLongestHorizon = 1'000'000;

constexpr std::array<std::string_view, 16> kFields = {
    "targets", "inputs",  "ignore",     "time",    "lags",      "target_lags",    "horizon", "interval",
    "warmup",  "missing", "on_bad_row", "decimal", "delimiter", "strict_columns", "paper",   "options"};

[[noreturn]] void refuse(const std::string& sentence) {
    throw RequestError(400, "bad_model", sentence);
}

std::string text_of(dom::element value, std::string_view field) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS || text.size() > kLongestText ||
        text.find('\0') != std::string_view::npos) {
        refuse(fmt::format("{}: must be a text of at most {} bytes", field, kLongestText));
    }
    return std::string(text);
}

// A text, or a list of texts.
std::vector<std::string> texts_of(dom::element value, std::string_view field) {
    if (value.is_string()) {
        return {text_of(value, field)};
    }
    dom::array list;
    if (value.get(list) != simdjson::SUCCESS || list.size() > kMostTexts) {
        refuse(fmt::format("{}: must be a list of texts", field));
    }
    std::vector<std::string> out;
    for (const dom::element one : list) {
        out.push_back(text_of(one, field));
    }
    return out;
}

bool flag_of(dom::element value, std::string_view field) {
    bool flag = false;
    if (value.get(flag) != simdjson::SUCCESS) {
        refuse(fmt::format("{}: must be true or false", field));
    }
    return flag;
}

std::uint64_t count_of(dom::element value, std::string_view field, std::uint64_t most) {
    std::uint64_t count = 0;
    if (value.get(count) != simdjson::SUCCESS || count > most) {
        refuse(fmt::format("{}: must be a whole number, 0 to {}", field, most));
    }
    return count;
}

std::optional<char> character_of(dom::element value, std::string_view field) {
    const std::string text = text_of(value, field);
    if (text.size() != 1) {
        refuse(fmt::format("{}: must be one character", field));
    }
    return text.front();
}

// As AdaptiveField::set takes it: true is yes, a list is joined by commas.
std::string option_text(dom::element value, std::string_view field) {
    switch (value.type()) {
        case dom::element_type::STRING:
            return text_of(value, field);
        case dom::element_type::BOOL:
            return flag_of(value, field) ? "yes" : "no";
        case dom::element_type::INT64:
        case dom::element_type::UINT64:
        case dom::element_type::DOUBLE:
            return simdjson::minify(value);
        case dom::element_type::ARRAY: {
            std::string out;
            for (const dom::element one : dom::array(value)) {
                if (one.is_array() || one.is_object() || one.is_null()) {
                    refuse(fmt::format("{}: must be a number, a text, true, false or a list of numbers", field));
                }
                out += (out.empty() ? "" : ",") + option_text(one, field);
            }
            return out;
        }
        default:
            refuse(fmt::format("{}: must be a number, a text, true, false or a list of numbers", field));
    }
}

// "0:15", or a list of numbers.
std::string lags_text(dom::element value, std::string_view field) {
    if (value.is_string()) {
        return text_of(value, field);
    }
    dom::array list;
    std::string out;
    if (value.get(list) == simdjson::SUCCESS && list.size() <= job::kLongestLag) {
        for (const dom::element one : list) {
            out += fmt::format("{}{}", out.empty() ? "" : ",", count_of(one, field, job::kLongestLag));
        }
        return out;
    }
    refuse(fmt::format("{}: must be a text such as \"0:15\", or a list of numbers", field));
}

void read_options(dom::element value, ModelSpec& spec) {
    dom::object given;
    if (value.get(given) != simdjson::SUCCESS) {
        refuse("options: must be an object, such as {\"forgetting\": 0.98}");
    }
    const auto fields = adaptive_fields();
    for (const dom::key_value_pair one : given) {
        if (std::ranges::find(fields, one.key, &AdaptiveField::name) == fields.end()) {
            const auto gone = std::ranges::find(removed_fields(), one.key, &RemovedField::name);
            if (gone != removed_fields().end()) {
                refuse(fmt::format("options: {}", gone->sentence));
            }
            std::vector<std::string> names;
            for (const AdaptiveField& field : fields) {
                names.emplace_back(field.name);
            }
            refuse(fmt::format("options: there is no option {}{}", io::json(one.key),
                               io::did_you_mean(std::string(one.key), names)));
        }
    }
    for (const AdaptiveField& field : fields) {
        dom::element text;
        if (given.at_key(field.name).get(text) == simdjson::SUCCESS && !text.is_null()) {
            spec.options.emplace_back(field.name, option_text(text, field.name));
        }
    }
}

void read_field(std::string_view field, dom::element value, ModelSpec& spec) {
    if (field == "targets") {
        spec.roles.targets = texts_of(value, field);
    } else if (field == "inputs") {
        spec.roles.inputs = texts_of(value, field);
    } else if (field == "ignore") {
        spec.roles.ignore = texts_of(value, field);
    } else if (field == "time") {
        spec.roles.time = text_of(value, field);
    } else if (field == "lags") {
        spec.layout.lags = job::parse_lags(lags_text(value, field));
    } else if (field == "target_lags") {
        const std::string text = lags_text(value, field);
        spec.layout.target_lags = text.empty() ? std::vector<std::size_t>{} : job::parse_target_lags(text);
    } else if (field == "horizon") {
        spec.layout.horizon = count_of(value, field, kLongestHorizon);
    } else if (field == "interval") {
        double coverage = 0.0;
        if (value.get(coverage) != simdjson::SUCCESS || !IntervalOptions{.coverage = coverage}.problems().empty()) {
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
        spec.decimal = *character_of(value, field);
    } else if (field == "missing") {
        spec.missing = texts_of(value, field);
    } else if (field == "options") {
        read_options(value, spec);
    } else {
        std::vector<std::string> names(kFields.begin(), kFields.end());
        refuse(fmt::format("there is no field {}{}", io::json(field), io::did_you_mean(std::string(field), names)));
    }
}

}  // namespace

bool is_model_name(std::string_view name) noexcept {
    constexpr std::size_t kLongest = 64;
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return !name.empty() && name.size() <= kLongest && plain(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

void check_model_name(std::string_view name) {
    if (!is_model_name(name)) {
        throw RequestError(400, "bad_name",
                           "the name of a model must be a letter or digit, followed by at most 63 letters, digits, - "
                           "and _");
    }
}

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
    if (!job::intercept_may_drift(layout.horizon) && !intercept_given) {
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

ModelSpec parse_spec(std::string_view json, std::string* name) {
    dom::parser parser;
    dom::element whole;
    dom::object object;
    const simdjson::padded_string padded(json);
    if (const auto error = parser.parse(padded).get(whole); error != simdjson::SUCCESS) {
        refuse(fmt::format("this is not JSON: {}", simdjson::error_message(error)));
    }
    if (whole.get(object) != simdjson::SUCCESS) {
        refuse("a model is described by a JSON object, such as {\"targets\": [\"y\"]}");
    }
    ModelSpec spec;
    std::string problems;
    std::vector<std::string_view> met;
    for (const dom::key_value_pair field : object) {
        try {
            if (std::ranges::find(met, field.key) != met.end()) {
                refuse(fmt::format("{}: is given twice", io::json(field.key)));
            }
            met.push_back(field.key);
            if (name != nullptr && field.key == "name") {
                *name = text_of(field.value, "name");
            } else if (!field.value.is_null()) {
                read_field(field.key, field.value, spec);
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
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object().key("targets").list(spec.roles.targets).key("inputs").list(spec.roles.inputs);
    json.key("ignore").list(spec.roles.ignore);
    json.key("time");
    spec.roles.time.empty() ? json.encoded("null") : json.value(spec.roles.time);
    json.key("lags").list(spec.layout.lags).key("target_lags").list(spec.layout.target_lags);
    json.member("horizon", spec.layout.horizon).member("interval", spec.interval).member("warmup", spec.warmup);
    json.member("on_bad_row", spec.skip_bad_rows ? "skip" : "stop");
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

}  // namespace sluice::serve
