#include "summary.hpp"

#include <fmt/format.h>

#include "json_text.hpp"

namespace sluice::job {

std::string targets_json(const std::vector<Score>& scores, const std::vector<std::string>& targets) {
    std::string out = "{";
    for (std::size_t j = 0; j < targets.size(); ++j) {
        out += fmt::format("{}{}: {{\"r2\": {}, \"error_over_variance\": {}, \"scored\": {}}}", j == 0 ? "" : ", ",
                           io::json(targets[j]), io::json(scores[j].r2()), io::json(scores[j].error_over_variance()),
                           scores[j].count());
    }
    return out + "}";
}

std::string summary_json(const Tally& tally, const Learner& learner, const Roles& roles,
                         const std::vector<std::string>& input_names, double rows_per_second) {
    std::string share;
    for (const Tally::Stay& stay : tally.stays()) {
        share +=
            fmt::format("{}{}: {}", share.empty() ? "" : ", ", io::json(input_names[stay.input]), io::json(stay.share));
    }
    const StreamModel& model = learner.model().current();
    return fmt::format(
        "{{\"rows\": {}, \"skipped\": {}, \"learned\": {}, \"warmup\": {}, \"inputs\": {}, \"targets\": {}, "
        "\"mean_turnover\": {}, \"selected_share\": {{{}}}, \"engine\": \"{}\", \"rows_per_second\": {}}}\n",
        tally.rows(), tally.skipped(), tally.learned(), tally.warmup(), model.inputs(),
        targets_json(tally.scores(), roles.targets), io::json(tally.mean_turnover()), share, name_of(model.engine()),
        io::json(rows_per_second));
}

}  // namespace sluice::job
