// option_fields.cpp -- the table of options: name, values, help, and each as text.
#include "sluice/option_fields.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "byte_text.hpp"
#include "field_text.hpp"
#include "sluice/error.hpp"

namespace sluice {

namespace {

using core::byte_text;
using core::number_from;
using core::parse;
using core::print;
using core::refuse;

constexpr std::array<std::pair<std::string_view, Balance>, 2> kBalance = {
    {{"trace", Balance::trace}, {"raw", Balance::raw}}};
constexpr std::array<std::pair<std::string_view, Loadings>, 2> kLoadings = {
    {{"weighted", Loadings::weighted}, {"instant", Loadings::instant}}};
constexpr std::array<std::pair<std::string_view, Deflation>, 2> kDeflation = {
    {{"refit", Deflation::refit}, {"project", Deflation::project}}};
constexpr std::array<std::pair<std::string_view, Penalty>, 7> kPenalty = {{{"lasso", Penalty::lasso},
                                                                           {"hard", Penalty::hard},
                                                                           {"elastic_net", Penalty::elastic_net},
                                                                           {"scad", Penalty::scad},
                                                                           {"mcp", Penalty::mcp},
                                                                           {"adaptive_lasso", Penalty::adaptive_lasso},
                                                                           {"group_lasso", Penalty::group_lasso}}};
constexpr std::array<std::pair<std::string_view, Engine>, 4> kEngine = {{{"automatic", Engine::automatic},
                                                                         {"dense", Engine::dense},
                                                                         {"screened", Engine::screened},
                                                                         {"columns", Engine::columns}}};
constexpr std::array<std::pair<std::string_view, HistoryKind>, 3> kHistory = {
    {{"double", HistoryKind::double_precision}, {"float", HistoryKind::single_precision}, {"none", HistoryKind::none}}};

template <typename Choice>
constexpr core::Words<Choice> choices_of() {
    if constexpr (std::is_same_v<Choice, Balance>) {
        return kBalance;
    } else if constexpr (std::is_same_v<Choice, Loadings>) {
        return kLoadings;
    } else if constexpr (std::is_same_v<Choice, Deflation>) {
        return kDeflation;
    } else if constexpr (std::is_same_v<Choice, Penalty>) {
        return kPenalty;
    } else if constexpr (std::is_same_v<Choice, Engine>) {
        return kEngine;
    } else {
        return kHistory;
    }
}

template <typename Choice>
    requires std::is_enum_v<Choice>
void parse(std::string_view text, Choice& value) {
    value = core::meaning_of(text, choices_of<Choice>());
}

template <typename Choice>
    requires std::is_enum_v<Choice>
std::string print(Choice value) {
    return core::word_for(value, choices_of<Choice>());
}

template <auto Member>
void set(StreamOptions& options, std::string_view text) {
    parse(text, options.*Member);
}

template <auto Member>
std::string get(const StreamOptions& options) {
    return print(options.*Member);
}

// Bytes, with an optional unit: 500M, 16G.
void set_memory(StreamOptions& options, std::string_view text) {
    constexpr std::string_view units = "KMGT";
    unsigned shift = 0;
    if (const auto unit = text.empty() ? std::string_view::npos : units.find(text.back());
        unit != std::string_view::npos) {
        shift = 10U * static_cast<unsigned>(unit + 1);
        text.remove_suffix(1);
    }
    const auto value = number_from<std::uint64_t>(text, "a number of bytes, such as 500M or 16G");
    if (value > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
        refuse(text, "a number of bytes below 2^64");
    }
    options.memory_limit = value << shift;
}

std::string get_memory(const StreamOptions& options) {
    return byte_text(options.memory_limit);
}

using O = StreamOptions;

constexpr std::array<OptionField, 25> kFields = {{
    {"components", "N",
     "R, latent components, 1 to the number of inputs. Left out: 5, or fewer if they hold every input",
     set<&O::components>, get<&O::components>},
    {"keep", "N[,N...]", "theta, variables kept by each component: one number, or one per component. Left out: 4",
     set<&O::keep>, get<&O::keep>},
    {"gamma", "NUMBER|none", "A fixed soft threshold instead of keep, from 0 to below 1", set<&O::gamma>,
     get<&O::gamma>},
    {"names", "N|none", "At most N variables in all components together", set<&O::names>, get<&O::names>},
    {"forgetting", "NUMBER", "lambda, above 0 and at most 1: remembers about 1/(1 - lambda) rows", set<&O::forgetting>,
     get<&O::forgetting>},
    {"ridge", "NUMBER", "alpha, 0 (PLS) to 1 (principal components)", set<&O::ridge>, get<&O::ridge>},
    {"center", "yes|no", "Subtract the weighted means; no: a model through the origin", set<&O::center>,
     get<&O::center>},
    {"scale_inputs", "yes|no", "Inputs to unit weighted variance", set<&O::scale_inputs>, get<&O::scale_inputs>},
    {"scale_outputs", "yes|no", "Outputs to unit weighted variance", set<&O::scale_outputs>, get<&O::scale_outputs>},
    {"balance", "trace|raw", "How the two parts of H are weighted: each divided by its trace, or as in the paper",
     set<&O::balance>, get<&O::balance>},
    {"loadings", "weighted|instant", "Loadings from the weighted moments, or from the last row (the paper's)",
     set<&O::loadings>, get<&O::loadings>},
    {"deflation", "refit|project", "What is removed before the next component is chosen", set<&O::deflation>,
     get<&O::deflation>},
    {"shrinkage", "NUMBER", "r of the refit, 0 or more: shrinks as r further rows without any relation would",
     set<&O::shrinkage>, get<&O::shrinkage>},
    {"clip", "NUMBER|none", "When predicting, inputs beyond NUMBER deviations from their mean are set to that bound",
     set<&O::clip>, get<&O::clip>},
    {"hold_bonus", "NUMBER", "A kept variable is replaced only by one whose weight is larger by this share, 0 to 1e6",
     set<&O::hold_bonus>, get<&O::hold_bonus>},
    {"penalty", "lasso|hard|elastic_net|scad|mcp|adaptive_lasso|group_lasso", "p(u) of the paper's eq. (12)",
     set<&O::penalty>, get<&O::penalty>},
    {"elastic_mix", "NUMBER", "Elastic net: share of the absolute value, above 0 and at most 1", set<&O::elastic_mix>,
     get<&O::elastic_mix>},
    {"scad_knee", "NUMBER", "SCAD: a, above 2", set<&O::scad_knee>, get<&O::scad_knee>},
    {"mcp_knee", "NUMBER", "MCP: b, above 1", set<&O::mcp_knee>, get<&O::mcp_knee>},
    {"adaptive_power", "NUMBER", "Adaptive lasso: weights |z|^-power, above 0", set<&O::adaptive_power>,
     get<&O::adaptive_power>},
    {"groups", "N,N,...", "Group lasso: the group of each input, one number per input", set<&O::groups>,
     get<&O::groups>},
    {"engine", "automatic|dense|screened|columns", "How second moments are kept: cost and memory, not results",
     set<&O::engine>, get<&O::engine>},
    {"history", "double|float|none", "Rows kept by the engines for wide streams", set<&O::history>, get<&O::history>},
    {"memory_limit", "BYTES", "Bytes that the model may need, such as 500M or 16G", set_memory, get_memory},
    {"threads", "N", "Threads for streams of many inputs, 1 to 64; results do not depend on it", set<&O::threads>,
     get<&O::threads>},
}};

}  // namespace

std::span<const OptionField> option_fields() {
    return kFields;
}

}  // namespace sluice
