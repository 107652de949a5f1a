// adaptive_fields.cpp -- the table of options of the self-tuning model, each as text.
#include "sluice/adaptive_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "field_text.hpp"
#include "sluice/error.hpp"

namespace sluice {

namespace {

using core::Words;
using O = StreamOptions;
using T = Tuning;

constexpr std::array<std::pair<std::string_view, bool>, 2> kIntercept = {{{"drifting", true}, {"fixed", false}}};

void set_intercept(AdaptiveOptions& options, std::string_view text) {
    options.tuning.intercept = core::meaning_of(text, Words<bool>(kIntercept));
}
std::string get_intercept(const AdaptiveOptions& options) {
    return core::word_for(options.tuning.intercept, Words<bool>(kIntercept));
}

void set_alarms(AdaptiveOptions& options, std::string_view text) {
    core::parse(text, options.tuning.alarms);
}
std::string get_alarms(const AdaptiveOptions& options) {
    return core::print(options.tuning.alarms);
}

void set_robust(AdaptiveOptions& options, std::string_view text) {
    core::parse(text, options.tuning.robust);
}
std::string get_robust(const AdaptiveOptions& options) {
    return core::print(options.tuning.robust);
}

// forgetting, shrinkage: a number turns the tuning off.
template <auto kValue, auto kTuned>
void set_tuned(AdaptiveOptions& options, std::string_view text) {
    if (text != "auto") {
        core::parse(text, options.model.*kValue);
    }
    options.tuning.*kTuned = text == "auto";
}
template <auto kValue, auto kTuned>
std::string get_tuned(const AdaptiveOptions& options) {
    return options.tuning.*kTuned ? "auto" : core::print(options.model.*kValue);
}

// components, keep: a number gives the structure, and the variables are not found. "auto" leaves the field empty.
template <auto kValue>
void set_structure(AdaptiveOptions& options, std::string_view text) {
    if (text == "auto") {
        options.model.*kValue = {};
        options.tuning.variables = true;
    } else {
        core::parse(text, options.model.*kValue);
    }
}
template <auto kValue>
std::string get_structure(const AdaptiveOptions& options) {
    const bool empty = options.model.*kValue == decltype(options.model.*kValue){};
    return empty && options.tuning.variables ? "auto" : core::print(options.model.*kValue);
}

constexpr const char* kContradiction =
    "names = all contradicts number = most: with all names of every memory there is no number";

void set_names(AdaptiveOptions& options, std::string_view text) {
    const bool all = text == "all";
    if (all && options.tuning.names == Names::most) {
        throw OptionError({kContradiction});
    }
    if (all || text == "auto") {
        options.model.names.reset();
        options.tuning.variables = true;
    } else {
        core::parse(text, options.model.names);
    }
    if (all) {
        options.tuning.names = Names::all;
    } else if (options.tuning.names == Names::all) {
        options.tuning.names = Names::found;
    }
}
std::string get_names(const AdaptiveOptions& options) {
    if (options.tuning.names == Names::all) {
        return "all";
    }
    return !options.model.names && options.tuning.variables ? "auto" : core::print(options.model.names);
}

// Names::all is a value of the field `names`; "found" does not change it, so that a copy field by field is equal.
constexpr std::array<std::pair<std::string_view, bool>, 2> kNumber = {{{"found", false}, {"most", true}}};

void set_number(AdaptiveOptions& options, std::string_view text) {
    const bool most = core::meaning_of(text, Words<bool>(kNumber));
    const bool all = options.tuning.names == Names::all;
    if (most && all) {
        throw OptionError({kContradiction});
    }
    if (!all) {
        options.tuning.names = most ? Names::most : Names::found;
    }
}
std::string get_number(const AdaptiveOptions& options) {
    return core::word_for(options.tuning.names == Names::most, Words<bool>(kNumber));
}

// Fields of StreamOptions with other values or another help. An empty text is that of the plain field.
constexpr std::array<AdaptiveField, 6> kChanged = {{
    {.name = "components",
     .values = "auto|N",
     .help = "R, latent components. auto: none, the variables are found one by one; where only keep is given, 5",
     .set_adaptive = set_structure<&O::components>,
     .get_adaptive = get_structure<&O::components>},
    {.name = "keep",
     .values = "auto|N[,N...]",
     .help = "theta, variables kept by each component: one number, or one per component. auto: the variables are found "
             "one by one; where only components is given, 4",
     .set_adaptive = set_structure<&O::keep>,
     .get_adaptive = get_structure<&O::keep>},
    {.name = "names",
     .values = "auto|N|all",
     .help = "At most N variables. auto: at most 50. all: every memory has its own variables and all of them predict, "
             "where only the forecast counts",
     .set_adaptive = set_names,
     .get_adaptive = get_names},
    {.name = "forgetting",
     .values = "auto|NUMBER",
     .help = "",
     .set_adaptive = set_tuned<&O::forgetting, &T::forgetting>,
     .get_adaptive = get_tuned<&O::forgetting, &T::forgetting>},
    {.name = "shrinkage",
     .values = "auto|NUMBER",
     .help = "",
     .set_adaptive = set_tuned<&O::shrinkage, &T::shrinkage>,
     .get_adaptive = get_tuned<&O::shrinkage, &T::shrinkage>},
    {.name = "hold_bonus",
     .values = "",
     .help =
         "A kept variable is replaced only by one whose weight is larger by this share, 0 to 1e6. Not used where the "
         "variables are found one by one"},
}};

constexpr std::array<AdaptiveField, 4> kTuning = {{
    {.name = "number",
     .values = "found|most",
     .help = "Found: the fewest variables that are not clearly worse than more. Most: as many as names allows, or 20",
     .set_adaptive = set_number,
     .get_adaptive = get_number},
    {.name = "intercept",
     .values = "drifting|fixed",
     .help = "Drifting: means of known errors, at several speeds, are added to the prediction",
     .set_adaptive = set_intercept,
     .get_adaptive = get_intercept},
    {.name = "alarms",
     .values = "yes|no",
     .help = "Report where the relation changes suddenly",
     .set_adaptive = set_alarms,
     .get_adaptive = get_alarms},
    {.name = "robust",
     .values = "yes|no",
     .help = "Hold back a row that cannot be believed, until the next ones show whether it was wrong",
     .set_adaptive = set_robust,
     .get_adaptive = get_robust},
}};

constexpr std::array<RemovedField, 7> kRemoved = {{
    {"keep_rule",
     "keep_rule is gone: the number of variables is found from one-step errors. Use names to limit it, or keep to give "
     "it"},
    {"components_rule",
     "components_rule is gone: the variables are found one by one, without components. Use components to give their "
     "number"},
    {"keep_min",
     "keep_min is gone: the number of variables is found. Use number = most and names for a given number, or keep for "
     "each component"},
    {"keep_max", "keep_max is gone: use names, the most variables in all"},
    {"share_low",
     "share_low is gone: the variables are found one by one, without components. Use components to give their number"},
    {"share_high",
     "share_high is gone: the variables are found one by one, without components. Use components to give their number"},
    {"dwell", "dwell is gone: settings are mixed by their errors, and none of them has to wait. Leave it out"},
}};

AdaptiveField adaptive(const OptionField& plain) {
    AdaptiveField field{.name = plain.name, .values = plain.values, .help = plain.help, .plain = &plain};
    const auto* changed = std::ranges::find(kChanged, plain.name, &AdaptiveField::name);
    if (changed != kChanged.end()) {
        field.values = changed->values.empty() ? plain.values : changed->values;
        field.help = changed->help.empty() ? plain.help : changed->help;
        field.set_adaptive = changed->set_adaptive;
        field.get_adaptive = changed->get_adaptive;
    }
    return field;
}

std::vector<AdaptiveField> all_fields() {
    std::vector<AdaptiveField> fields;
    for (const OptionField& field : option_fields()) {
        fields.push_back(adaptive(field));
    }
    fields.insert(fields.end(), kTuning.begin(), kTuning.end());
    return fields;
}

}  // namespace

void AdaptiveField::set(AdaptiveOptions& options, std::string_view text) const {
    if (set_adaptive != nullptr) {
        set_adaptive(options, text);
    } else {
        plain->set(options.model, text);
    }
}

std::string AdaptiveField::get(const AdaptiveOptions& options) const {
    return get_adaptive != nullptr ? get_adaptive(options) : plain->get(options.model);
}

std::span<const AdaptiveField> adaptive_fields() {
    static const std::vector<AdaptiveField> all = all_fields();
    return all;
}

std::span<const RemovedField> removed_fields() {
    return kRemoved;
}

}  // namespace sluice
