// options_state.cpp -- options as part of a model's saved state, field by field in the order of the struct.
#include "options_state.hpp"

#include <cstdint>

namespace sluice::core {

namespace {

template <typename T>
void put_optional(StateWriter& out, const std::optional<T>& value) {
    out.put(static_cast<unsigned char>(value.has_value()));
    out.put(value.value_or(T{}));
}

template <typename T>
void get_optional(StateReader& in, std::optional<T>& value) {
    const bool given = in.get_flag();
    T read{};
    in.get(read);
    value = given ? std::optional<T>(read) : std::nullopt;
}

template <typename Choice>
void get_choice(StateReader& in, Choice& choice, Choice last) {
    in.get(choice);
    in.require(choice >= Choice{} && choice <= last, "an option has a value that does not exist");
}

}  // namespace

void save_options(const StreamOptions& options, StateWriter& out) {
    put_optional(out, options.components);
    out.put_list(options.keep);
    put_optional(out, options.gamma);
    put_optional(out, options.names);
    out.put(options.forgetting);
    out.put(options.ridge);
    for (const bool flag : {options.center, options.scale_inputs, options.scale_outputs}) {
        out.put(static_cast<unsigned char>(flag));
    }
    out.put(options.balance);
    out.put(options.loadings);
    out.put(options.deflation);
    out.put(options.shrinkage);
    put_optional(out, options.clip);
    out.put(options.penalty);
    for (const double number : {options.elastic_mix, options.scad_knee, options.mcp_knee, options.adaptive_power}) {
        out.put(number);
    }
    out.put_list(options.groups);
    out.put(options.engine);
    out.put(options.history);
    out.put(static_cast<std::uint64_t>(options.memory_limit));
    out.put(static_cast<std::uint64_t>(options.threads));
}

StreamOptions load_options(StateReader& in) {
    StreamOptions options;
    get_optional(in, options.components);
    options.keep = in.get_list();
    get_optional(in, options.gamma);
    get_optional(in, options.names);
    in.get(options.forgetting);
    in.get(options.ridge);
    for (bool* flag : {&options.center, &options.scale_inputs, &options.scale_outputs}) {
        *flag = in.get_flag();
    }
    get_choice(in, options.balance, Balance::raw);
    get_choice(in, options.loadings, Loadings::instant);
    get_choice(in, options.deflation, Deflation::refit);
    in.get(options.shrinkage);
    get_optional(in, options.clip);
    get_choice(in, options.penalty, Penalty::group_lasso);
    for (double* number : {&options.elastic_mix, &options.scad_knee, &options.mcp_knee, &options.adaptive_power}) {
        in.get(*number);
    }
    options.groups = in.get_list();
    get_choice(in, options.engine, Engine::columns);
    get_choice(in, options.history, HistoryKind::none);
    std::uint64_t number = 0;
    in.get(number);
    options.memory_limit = number;
    in.get(number);
    options.threads = number;
    return options;
}

}  // namespace sluice::core
