// tuning.cpp -- rules of what may be tuned.
#include "sluice/tuning.hpp"

#include "text.hpp"

namespace sluice {

Tuning Tuning::off() {
    Tuning tuning;
    for (bool* flag :
         {&tuning.forgetting, &tuning.keep, &tuning.components, &tuning.shrinkage, &tuning.intercept, &tuning.alarms}) {
        *flag = false;
    }
    return tuning;
}

bool Tuning::any() const noexcept {
    return forgetting || keep || components || shrinkage || intercept || alarms;
}

std::vector<std::string> AdaptiveOptions::problems(std::size_t inputs, std::size_t outputs) const {
    std::vector<std::string> found = model.problems(inputs, outputs);
    auto require = [&](bool kept, const char* field, const std::string& value, const char* rule) {
        if (!kept) {
            found.push_back(std::string(field) + " = " + value + ": must be " + rule);
        }
    };
    require(tuning.keep_min >= 1, "keep_min", core::text(tuning.keep_min), "at least 1");
    if (tuning.keep_max) {
        require(*tuning.keep_max >= tuning.keep_min, "keep_max", core::text(*tuning.keep_max), "at least keep_min");
    }
    require(tuning.share_low >= 0.0 && tuning.share_low <= tuning.share_high, "share_low", core::text(tuning.share_low),
            "from 0 to share_high");
    require(tuning.share_high <= 1.0, "share_high", core::text(tuning.share_high), "at most 1");
    require(tuning.dwell >= 1, "dwell", core::text(tuning.dwell), "at least 1");
    return found;
}

}  // namespace sluice
