#include "decision_text.hpp"

#include <string>

namespace sluice::job {

std::string decisions_json(std::span<const Decision> decisions) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_list();
    for (const Decision& decision : decisions) {
        json.begin_object()
            .member("row", decision.row + 1)
            .member("setting", name_of(decision.setting))
            .member("from", decision.from)
            .member("to", decision.to)
            .member("measured_from", decision.measured_from)
            .member("measured_to", decision.measured_to)
            .end_object();
    }
    json.end_list();
    return out;
}

}  // namespace sluice::job
