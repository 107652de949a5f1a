#include "summary.hpp"

#include "json_text.hpp"
#include "target_errors.hpp"

namespace sluice::job {

namespace {

// What predicts at the end. Where nothing is tuned, importances are not known.
void append_selected(io::JsonWriter& json, const AdaptiveModel& model, const std::vector<std::string>& names) {
    json.begin_list();
    if (model.options().tuning.any()) {
        for (const Importance& one : model.importances()) {
            json.begin_object()
                .member("name", names[one.input])
                .member("contribution", one.contribution)
                .member("gain", one.gain)
                .end_object();
        }
    } else {
        for (const std::size_t input : model.selected()) {
            json.begin_object().member("name", names[input]);
            json.key("contribution").encoded("null").key("gain").encoded("null").end_object();
        }
    }
    json.end_list();
}

}  // namespace

std::string summary_json(const Tally& tally, const EventLog& events, const Learner& learner, const Roles& roles,
                         const std::vector<std::string>& input_names, double rows_per_second,
                         const LateLabels* late_labels, const Intervals* intervals) {
    const StreamModel& model = learner.model().current();
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::spaced);
    json.begin_object()
        .member("rows", tally.rows())
        .member("skipped", tally.skipped())
        .member("learned", tally.learned())
        .member("warmup", tally.warmup())
        .member("inputs", model.inputs())
        .key("events")
        .begin_object();
    for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
        json.member(name_of(static_cast<EventKind>(kind)), events.count(static_cast<EventKind>(kind)));
    }
    json.end_object().key("targets");
    append_target_errors(json, target_errors(tally, roles.targets, learner));
    if (late_labels != nullptr) {
        json.key("labels")
            .begin_object()
            .member("learned", late_labels->counts().learned)
            .member("late", late_labels->counts().late)
            .member("repeated", late_labels->counts().repeated)
            .member("waiting", late_labels->waiting())
            .member("window", late_labels->settings().window)
            .end_object();
    }
    if (intervals != nullptr) {
        append_intervals(json.key("intervals"), *intervals, roles.targets);
    }
    append_selected(json.key("selected"), learner.model(), input_names);
    json.member("mean_turnover", tally.mean_turnover()).key("selected_share").begin_object();
    for (const Tally::Stay& stay : tally.stays()) {
        json.member(input_names[stay.input], stay.share);
    }
    json.end_object().member("engine", name_of(model.engine())).member("rows_per_second", rows_per_second).end_object();
    return out + "\n";
}

}  // namespace sluice::job
