// stream_labels.cpp -- the part of StreamJob that is for labels that come late.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stream_job.hpp"
#include "usage.hpp"

namespace sluice::job {

void StreamJob::check_label_settings() const {
    if (!wants_late_labels()) {
        for (const auto& [name, given] : {std::pair{"label_window", settings_.label_window.has_value()},
                                          std::pair{"label_delay", settings_.label_delay.has_value()}}) {
            if (given && !settings_.resume) {
                throw UsageError({name}, "the labels do not come late", {io::Remedy::name_label_time});
            }
        }
        return;
    }
    if (settings_.labels.empty() && settings_.label_delay) {
        throw UsageError({"label_delay"}, "is for labels in a file of their own: in the rows they have their place");
    }
    if (settings_.roles.time.empty() && !settings_.resume) {
        throw UsageError({settings_.labels.empty() ? "label_time" : "labels"},
                         "a label is matched by the time of its row, and the rows have no time",
                         {io::Remedy::name_row_time});
    }
    if (settings_.horizon.value_or(0) > 0) {
        throw UsageError({settings_.labels.empty() ? "label_time" : "labels", "horizon"},
                         "a late label is learnt with the inputs of its own time, and with a horizon there are two "
                         "times: give labels the time of the inputs that predict them");
    }
    if (settings_.interval) {
        throw UsageError({settings_.labels.empty() ? "label_time" : "labels", "interval"},
                         "an interval needs the errors of recent rows, and with late labels these are not known");
    }
    if (settings_.target_lags && !settings_.target_lags->empty()) {
        throw UsageError({settings_.labels.empty() ? "label_time" : "labels", "target_lags"},
                         "where labels come late, the earlier values of the targets are not known when a row is "
                         "predicted");
    }
    if (!settings_.labels.empty() && settings_.labels == settings_.input) {
        throw UsageError({"input", "labels"}, "both are the same; labels in the rows need only their time",
                         {io::Remedy::name_label_time});
    }
}

void StreamJob::open_label_file() {
    if (!settings_.labels.empty()) {
        label_file_ = std::make_unique<LabelFile>(settings_.labels, settings_.dialect, settings_.follow,
                                                  interrupt_ != nullptr ? interrupt_->descriptor() : -1);
    }
}

// The time of a label in a row is no input.
RoleRequest StreamJob::request_with_labels() const {
    RoleRequest request = settings_.roles;
    if (!settings_.label_time.empty() && settings_.labels.empty()) {
        const std::string label_time = column_named(settings_.label_time, feed_->columns(), "label_time");
        if (request.time.empty() || label_time != column_named(request.time, feed_->columns(), "time")) {
            request.ignore.push_back(label_time);
        }
    }
    return request;
}

// The columns of the rows and, where they are in a file of their own, the targets.
std::vector<std::string> StreamJob::columns_with_labels(const Roles& roles) const {
    std::vector<std::string> columns = feed_->columns();
    for (const std::string& target : roles.targets) {
        if (!settings_.labels.empty() && std::ranges::find(columns, target) == columns.end()) {
            columns.push_back(target);
        }
    }
    return columns;
}

Roles StreamJob::asked_roles(const RowLayout& layout) const {
    if (label_file_ == nullptr) {
        return assign_roles(feed_->columns(), request_with_labels(), layout);
    }
    RoleRequest request = settings_.roles;
    if (!request.time.empty()) {  // in a resumed run it may be
        request.time = column_named(request.time, feed_->columns(), "time");
    }
    const std::string label_time = settings_.label_time.empty()
                                       ? request.time
                                       : column_named(settings_.label_time, label_file_->columns(), "label_time");
    return assign_roles_with_labels(feed_->columns(), label_file_->columns(), label_time, request, layout);
}

Places StreamJob::places_of(const Roles& roles, const std::vector<std::string>& columns) const {
    return settings_.labels.empty() ? find_places(columns, roles, request_with_labels().ignore, true)
                                    : find_places_without_targets(columns, roles, settings_.roles.ignore);
}

void StreamJob::check_labels_agree(const ModelFile& file) const {
    const auto refuse = [](const char* setting, const std::string& given, const std::string& known) {
        throw UsageError({setting}, fmt::format("{} contradicts the checkpoint, which has {}", given, known),
                         {io::Remedy::not_resume});
    };
    if (!file.late_labels) {
        if (wants_late_labels() && (file.layout.horizon > 0 || !file.layout.target_lags.empty())) {
            refuse(settings_.labels.empty() ? "label_time" : "labels", "late labels", "a horizon or target lags");
        }
        if (wants_late_labels() && file.roles.time.empty()) {
            refuse(settings_.labels.empty() ? "label_time" : "labels", "late labels", "no time of the rows");
        }
        return;
    }
    const LabelSettings& known = file.late_labels->settings();
    if (known.file.empty() != settings_.labels.empty()) {
        throw UsageError({"labels"}, known.file.empty()
                                         ? "the checkpoint was written with labels in the rows"
                                         : "the checkpoint was written with labels from a file of their own, which is "
                                           "needed again");
    }
    if (!settings_.label_time.empty() && settings_.label_time != known.time) {
        refuse("label_time", settings_.label_time, known.time);
    }
    if (settings_.label_window && *settings_.label_window != known.window) {
        refuse("label_window", fmt::to_string(*settings_.label_window), fmt::to_string(known.window));
    }
    if (settings_.label_delay && *settings_.label_delay != known.delay) {
        refuse("label_delay", fmt::to_string(*settings_.label_delay), fmt::to_string(known.delay));
    }
}

void StreamJob::start_labels(std::optional<LateLabels> known) {
    const bool resumed = known.has_value();
    if (resumed) {
        late_ = std::move(known);
    } else if (wants_late_labels()) {
        LabelSettings settings{.file = settings_.labels, .time = settings_.label_time};
        settings.window = settings_.label_window.value_or(settings.window);
        settings.delay = settings_.label_delay.value_or(settings.delay);
        settings.time =
            settings.time.empty()
                ? roles_.time
                : column_named(settings.time, label_file_ ? label_file_->columns() : feed_->columns(), "label_time");
        late_.emplace(std::move(settings), learner_->model().inputs(), roles_.targets.size(), tally_->rows());
    } else {
        return;
    }
    if (late_->in_own_file() && !resumed) {
        columns_ = ColumnWatch(roles_, true);
    }
    if (label_file_) {
        label_file_->want(late_->settings().time, roles_.targets);
        late_->read_from(std::move(label_file_), resumed && !settings_.from_here && !settings_.from_start);
    }
    late_stream_.emplace(
        LateLabels::Stream{.learner = *learner_,
                           .tally = *tally_,
                           .write = [this](const Record& record) { write_record(record); },
                           .late = [this](std::string_view label_time) { on_late_label(label_time); }});
}

void StreamJob::want_columns(io::RowReader& reader) {
    const Places places = places_of(roles_, reader.columns());
    std::vector<std::size_t> texts = places.texts();
    if (late_ && !late_->in_own_file() && late_->settings().time != roles_.time) {
        const auto& columns = reader.columns();
        const auto at = std::ranges::find(columns, late_->settings().time);
        if (at == columns.end()) {
            throw ColumnError("the rows have no column " + late_->settings().time + ", the time of their labels", {});
        }
        label_text_ = texts.size();
        texts.push_back(static_cast<std::size_t>(at - columns.begin()));
    }
    reader.want(places.numbers(), std::move(texts));
}

void StreamJob::learn_late_row() {
    const auto numbers = std::span<const double>(row_.numbers);
    const auto x = numbers.first(roles_.inputs.size());
    const auto y = numbers.subspan(roles_.inputs.size());  // empty where labels are in a file of their own
    columns_.after_row(&row_, feed_->reader(), {.row = tally_->rows() + 1, .time = row_.texts.front()}, events_);
    late_->row(row_.texts.front(), x, y.empty() ? std::string_view() : std::string_view(row_.texts[label_text_]), y,
               *late_stream_);
}

void StreamJob::take_labels() {
    while (late_) {
        try {
            late_->take(*late_stream_);
            return;
        } catch (const io::RowError& error) {
            if (!settings_.skip_bad_rows) {
                throw;  // the checkpoint is of what was before it: the user corrects the label and resumes
            }
            reject(error, late_->label_text());
            late_->skip_bad_label();
        }
    }
}

// The one place where a label is reported as late: no row of its time is kept. It is counted already.
void StreamJob::on_late_label(std::string_view label_time) {
    events_.raise({.kind = EventKind::label_late,
                   .row = tally_->rows(),
                   .time = std::string(label_time),
                   .text = fmt::format("row {}: no row of the time {} is kept: its label came too late", tally_->rows(),
                                       label_time)});
}

}  // namespace sluice::job
