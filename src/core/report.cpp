// report.cpp -- names of outcomes, as logs and messages give them.
#include "sluice/report.hpp"

namespace sluice {

std::string_view name_of(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::learned:
            return "learned";
        case Outcome::outputs_missing:
            return "outputs_missing";
        case Outcome::nothing_varies:
            return "nothing_varies";
        case Outcome::component_restarted:
            return "component_restarted";
        case Outcome::component_held:
            return "component_held";
    }
    return "unknown";
}

}  // namespace sluice
