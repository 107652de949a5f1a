// report.cpp -- names of outcomes, engines and decisions in logs and messages.
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
        case Outcome::drift:
            return "drift";
        case Outcome::suspect:
            return "suspect";
    }
    return "unknown";
}

std::string_view name_of(Engine engine) noexcept {
    switch (engine) {
        case Engine::automatic:
            return "automatic";
        case Engine::dense:
            return "dense";
        case Engine::screened:
            return "screened";
        case Engine::columns:
            return "columns";
    }
    return "unknown";
}

std::string_view name_of(Setting setting) noexcept {
    switch (setting) {
        case Setting::entered:
            return "entered";
        case Setting::left:
            return "left";
        case Setting::fresh_start:
            return "fresh_start";
    }
    return "unknown";
}

}  // namespace sluice
