#include "decision_text.hpp"

#include <fmt/format.h>

#include "json_text.hpp"

namespace sluice::job {

std::string decisions_json(std::span<const Decision> decisions) {
    std::string out = "[";
    for (const Decision& decision : decisions) {
        out +=
            fmt::format(R"({}{{"row":{},"setting":"{}","from":{},"to":{},"measured_from":{},"measured_to":{}}})",
                        out.size() > 1 ? "," : "", decision.row + 1, name_of(decision.setting), io::json(decision.from),
                        io::json(decision.to), io::json(decision.measured_from), io::json(decision.measured_to));
    }
    return out + "]";
}

}  // namespace sluice::job
