#include "snapshot.hpp"

#include "json_text.hpp"
#include "request_error.hpp"

namespace sluice::serve {

namespace {

void append_selected_names(io::JsonWriter& json, const Snapshot& snapshot) {
    json.key("selected").begin_list();
    for (const Snapshot::Name& one : snapshot.selected) {
        json.begin_object()
            .member("name", one.name)
            .member("contribution", one.contribution)
            .member("gain", one.gain)
            .end_object();
    }
    json.end_list();
}

void append_event_counts(io::JsonWriter& json, const Snapshot& snapshot) {
    json.key("events").begin_object();
    for (std::size_t kind = 0; kind < job::kEventKinds; ++kind) {
        json.member(job::name_of(static_cast<job::EventKind>(kind)), snapshot.events[kind]);
    }
    json.end_object();
}

}  // namespace

Snapshot snapshot_of(const DurableModel& durable) {
    Snapshot out;
    const RowStream& stream = durable.stream();
    out.batches = durable.batches();
    out.seq = durable.last_seq();
    out.durable = durable.durable();
    out.entered = stream.entered();
    const RowStream::Model* model = stream.model();
    if (model == nullptr) {
        return out;
    }
    const AdaptiveModel& learnt = model->learner.model();
    out.rows = model->tally.rows();
    out.learned = model->tally.learned();
    out.skipped = model->tally.skipped();
    out.mean_turnover = model->tally.mean_turnover();
    out.inputs = learnt.inputs();
    out.columns = model->roles.inputs.size();
    out.names = learnt.selected().size();
    out.vanished = stream.watch().vanished();
    out.ignored = stream.watch().ignored();
    out.bytes = learnt.bytes();
    for (std::size_t kind = 0; kind < job::kEventKinds; ++kind) {
        out.events[kind] = model->events.count(static_cast<job::EventKind>(kind));
    }
    out.targets = model->roles.targets;
    out.scores = model->tally.scores();
    if (learnt.options().tuning.any()) {
        for (const Importance& one : learnt.importances()) {
            out.selected.push_back(
                {.name = model->input_names[one.input], .contribution = one.contribution, .gain = one.gain});
        }
    } else {
        for (const std::size_t input : learnt.selected()) {
            out.selected.push_back({.name = model->input_names[input], .contribution = {}, .gain = {}});
        }
    }
    out.errors.clear();
    io::JsonWriter json(out.errors, io::JsonWriter::compact);
    job::append_target_errors(
        json, job::target_errors(model->tally, model->roles.targets,
                                 std::vector<std::optional<job::BestFixed>>(model->roles.targets.size())));
    return out;
}

std::string state_json(const std::string& name, const Snapshot& snapshot, const std::string& spec) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object()
        .member("name", name)
        .member("rows", snapshot.rows)
        .member("learned", snapshot.learned)
        .member("skipped", snapshot.skipped)
        .member("batches", snapshot.batches)
        .member("seq", snapshot.seq)
        .member("durable", snapshot.durable)
        .member("inputs", snapshot.inputs)
        .member("names", snapshot.names)
        .key("targets")
        .list(snapshot.targets)
        .member("mean_turnover", snapshot.mean_turnover)
        .member("vanished_columns", snapshot.vanished)
        .member("ignored_fields", snapshot.ignored)
        .member("memory_bytes", snapshot.bytes);
    append_event_counts(json, snapshot);
    json.key("errors").encoded(snapshot.errors).key("spec").encoded(spec).end_object();
    return out + "\n";
}

std::string selected_json(const Snapshot& snapshot) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object().member("rows", snapshot.rows);
    append_selected_names(json, snapshot);
    json.end_object();
    return out + "\n";
}

std::string coefficients_json(const DurableModel& durable) {
    const RowStream::Model* model = durable.stream().model();
    if (model == nullptr) {
        throw RequestError(409, "no_rows", "the model has no rows yet: send some first");
    }
    const AdaptiveModel& learnt = model->learner.model();
    const Matrix coefficients = learnt.coefficients();
    const std::vector<double> intercept = learnt.intercept();
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object().member("rows", model->tally.rows()).key("intercept").begin_object();
    for (std::size_t j = 0; j < intercept.size(); ++j) {
        json.member(model->roles.targets[j], intercept[j]);
    }
    json.end_object().key("coefficients").begin_object();
    for (std::size_t j = 0; j < intercept.size(); ++j) {
        json.key(model->roles.targets[j]).begin_object();
        for (std::size_t i = 0; i < learnt.inputs(); ++i) {
            if (coefficients(i, j) != 0.0) {
                json.member(model->input_names[i], coefficients(i, j));
            }
        }
        json.end_object();
    }
    json.end_object().end_object();
    return out + "\n";
}

std::string update_members(const Snapshot& snapshot) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_object()
        .member("row", snapshot.rows)
        .member("learned", snapshot.learned)
        .member("skipped", snapshot.skipped)
        .member("names", snapshot.names)
        .member("inputs", snapshot.inputs);
    append_event_counts(json, snapshot);
    append_selected_names(json, snapshot);
    json.key("errors").encoded(snapshot.errors).end_object();
    return out.substr(1, out.size() - 2);
}

}  // namespace sluice::serve
