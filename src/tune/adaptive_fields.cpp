#include "sluice/adaptive_fields.hpp"

#include <array>
#include <utility>
#include <vector>

#include "field_text.hpp"

namespace sluice {

namespace {

using core::Words;

constexpr std::array<std::pair<std::string_view, bool>, 2> kIntercept = {{{"drifting", true}, {"fixed", false}}};
constexpr std::array<std::pair<std::string_view, KeepRule>, 2> kKeepRule = {
    {{"error", KeepRule::error}, {"akaike", KeepRule::akaike}}};
constexpr std::array<std::pair<std::string_view, ComponentsRule>, 3> kComponentsRule = {
    {{"error", ComponentsRule::error}, {"energy", ComponentsRule::energy}, {"covariance", ComponentsRule::covariance}}};

template <auto MemoryModel>
void set(Tuning& tuning, std::string_view text) {
    core::parse(text, tuning.*MemoryModel);
}
template <auto MemoryModel>
std::string get(const Tuning& tuning) {
    return core::print(tuning.*MemoryModel);
}
template <auto MemoryModel, const auto& kWords>
void set_word(Tuning& tuning, std::string_view text) {
    tuning.*MemoryModel = core::meaning_of(text, Words<std::remove_reference_t<decltype(tuning.*MemoryModel)>>(kWords));
}
template <auto MemoryModel, const auto& kWords>
std::string get_word(const Tuning& tuning) {
    return core::word_for(tuning.*MemoryModel, Words<std::remove_cvref_t<decltype(tuning.*MemoryModel)>>(kWords));
}

using T = Tuning;

constexpr std::array<AdaptiveField, 9> kTuning = {{
    {.name = "intercept",
     .values = "drifting|fixed",
     .help = "Drifting: a discounted mean of known errors is added to the prediction",
     .set_tuning = set_word<&T::intercept, kIntercept>,
     .get_tuning = get_word<&T::intercept, kIntercept>},
    {.name = "alarms",
     .values = "yes|no",
     .help = "Say where the error or the explained covariance breaks",
     .set_tuning = set<&T::alarms>,
     .get_tuning = get<&T::alarms>},
    {.name = "keep_rule",
     .values = "error|akaike",
     .help = "keep = auto: by the one-step error, or by Akaike's criterion",
     .set_tuning = set_word<&T::keep_rule, kKeepRule>,
     .get_tuning = get_word<&T::keep_rule, kKeepRule>},
    {.name = "components_rule",
     .values = "error|energy|covariance",
     .help = "components = auto: by the one-step error, eq. (23), or by a share between two bounds",
     .set_tuning = set_word<&T::components_rule, kComponentsRule>,
     .get_tuning = get_word<&T::components_rule, kComponentsRule>},
    {.name = "keep_min",
     .values = "N",
     .help = "keep = auto: not fewer variables in a component",
     .set_tuning = set<&T::keep_min>,
     .get_tuning = get<&T::keep_min>},
    {.name = "keep_max",
     .values = "N|none",
     .help = "keep = auto: not more. Left out: 50",
     .set_tuning = set<&T::keep_max>,
     .get_tuning = get<&T::keep_max>},
    {.name = "share_low",
     .values = "NUMBER",
     .help = "components_rule energy, covariance: below this share a component is added",
     .set_tuning = set<&T::share_low>,
     .get_tuning = get<&T::share_low>},
    {.name = "share_high",
     .values = "NUMBER",
     .help = "and above this one, without the last, that is dropped",
     .set_tuning = set<&T::share_high>,
     .get_tuning = get<&T::share_high>},
    {.name = "dwell",
     .values = "N",
     .help = "Rows before a choice may change again",
     .set_tuning = set<&T::dwell>,
     .get_tuning = get<&T::dwell>},
}};

bool Tuning::*tuned_with(std::string_view name) {
    for (const auto& [field, flag] : {std::pair{std::string_view("forgetting"), &Tuning::forgetting},
                                      {std::string_view("keep"), &Tuning::keep},
                                      {std::string_view("components"), &Tuning::components},
                                      {std::string_view("shrinkage"), &Tuning::shrinkage}}) {
        if (field == name) {
            return flag;
        }
    }
    return nullptr;
}

std::string_view values_with_auto(std::string_view name) {
    return name == "keep" ? "auto|N[,N...]" : name == "components" ? "auto|N" : "auto|NUMBER";
}

std::vector<AdaptiveField> all_fields() {
    std::vector<AdaptiveField> fields;
    for (const OptionField& field : option_fields()) {
        bool Tuning::*flag = tuned_with(field.name);
        fields.push_back({.name = field.name,
                          .values = flag != nullptr ? values_with_auto(field.name) : field.values,
                          .help = field.help,
                          .plain = &field,
                          .automatic = flag});
    }
    fields.insert(fields.end(), kTuning.begin(), kTuning.end());
    return fields;
}

}  // namespace

void AdaptiveField::set(AdaptiveOptions& options, std::string_view text) const {
    if (plain == nullptr) {
        set_tuning(options.tuning, text);
        return;
    }
    if (automatic != nullptr) {
        options.tuning.*automatic = text == "auto";
        if (text == "auto") {
            return;
        }
    }
    plain->set(options.model, text);
}

std::string AdaptiveField::get(const AdaptiveOptions& options) const {
    if (plain == nullptr) {
        return get_tuning(options.tuning);
    }
    return automatic != nullptr && options.tuning.*automatic ? "auto" : plain->get(options.model);
}

std::span<const AdaptiveField> adaptive_fields() {
    static const std::vector<AdaptiveField> all = all_fields();
    return all;
}

}  // namespace sluice
