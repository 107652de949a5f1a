#include "decision_text.hpp"

#include <fmt/format.h>

#include "json_text.hpp"

namespace sluice::job {

std::string decisions_json(std::span<const Decision> decisions,
                           const std::function<std::string(std::size_t)>& encoded_name) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_list();
    for (const Decision& decision : decisions) {
        json.begin_object().member("row", decision.row + 1).member("setting", name_of(decision.setting));
        if (decision.setting != Setting::fresh_start) {
            json.key("input").encoded(encoded_name(decision.input));
        }
        json.member("from", decision.from)
            .member("to", decision.to)
            .member("measured_from", decision.measured_from)
            .member("measured_to", decision.measured_to)
            .end_object();
    }
    json.end_list();
    return out;
}

std::string decision_line(const Decision& decision, std::string_view name) {
    const std::string what = decision.setting == Setting::fresh_start
                                 ? fmt::format("{} to {} rows", decision.from, decision.to)
                                 : std::string(name);
    return fmt::format("{} {}: error {:.4g} to {:.4g}", name_of(decision.setting), what, decision.measured_from,
                       decision.measured_to);
}

}  // namespace sluice::job
