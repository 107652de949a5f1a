#include "model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "durable.hpp"
#include "fit_state.hpp"
#include "lags.hpp"
#include "names_state.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::job {

namespace {

using core::StateReader;
using core::StateWriter;

constexpr const char* kIntervalSection = "interval";

// Whether the last rows that such a layout keeps fit into a section of that many bytes. Known before they are allocated.
bool kept_rows_fit(const RowLayout& layout, std::size_t inputs, std::size_t outputs, std::size_t bytes) {
    const std::size_t numbers = bytes / sizeof(double);
    const bool inputs_fit = inputs == 0 || layout.lags.back() <= numbers / inputs;
    const bool targets_fit = layout.target_lags.empty() || layout.target_lags.back() <= numbers / outputs;
    return inputs_fit && targets_fit && layout.horizon <= numbers / (layout.width(inputs, outputs) + outputs);
}

// A file without the last rows can name any lag and any horizon: the memory for them is bounded here.
void check_layout(const RowLayout& layout, std::size_t inputs, std::size_t outputs) {
    constexpr std::size_t kLongestHorizon = 1'000'000;
    constexpr std::size_t kMostNumbers = std::size_t{1} << 26U;  // 512 MB
    const std::size_t lag = layout.lags.back();
    const std::size_t target_lag = layout.target_lags.empty() ? 0 : layout.target_lags.back();
    const std::size_t largest = std::max(lag, target_lag);
    file::require(largest <= kLongestLag,
                  fmt::format("its largest lag is {} rows; at most {} are possible", largest, kLongestLag));
    file::require(layout.horizon <= kLongestHorizon,
                  fmt::format("its horizon is {} rows; at most {} are possible", layout.horizon, kLongestHorizon));
    const std::size_t numbers =
        (lag * inputs) + (target_lag * outputs) + (layout.horizon * (layout.width(inputs, outputs) + outputs));
    file::require(numbers <= kMostNumbers,
                  fmt::format("its lags and its horizon need the last {} numbers of the input; "
                              "at most {} are possible",
                              numbers, kMostNumbers));
}

void read_run(const file::SectionView& sections, ModelFile& file) {
    StateReader learner = StateReader::unframed(sections["learner"]);
    file.learner->load(learner);
    file::require(learner.left() == 0, "the section of its last rows is longer than its content");
    StateReader counts = StateReader::unframed(sections["tally"]);
    file.tally.emplace(file.learner->model().inputs(), file.roles.targets.size(), file.layout.horizon, 0);
    file.tally->load(counts);
    file::require(counts.left() == 0, "the section of its counts is longer than its content");
    if (sections.has("events")) {  // files from before there were events have none
        StateReader events = StateReader::unframed(sections["events"]);
        file.events.load(events);
        file::require(events.left() == 0, "the section of its events is longer than its content");
    }
    file.resume_point = read_resume_point(sections[kResumeSection]);
    if (sections.has(kFeedSection)) {
        read_feed_section(sections[kFeedSection], *file.resume_point);
    }
    if (sections.has("labels")) {
        file::require(file.layout.horizon == 0 && file.layout.target_lags.empty(),
                      "it has late labels together with a horizon or target lags");
        StateReader labels = StateReader::unframed(sections["labels"]);
        file.late_labels = LateLabels::load(labels, file.learner->model().inputs(), file.roles.targets.size());
        file::require(file.late_labels->next_row() == file.tally->rows(), "its labels are for another number of rows");
        file::require(labels.left() == 0, "the section of its labels is longer than its content");
    }
    file.columns = ColumnWatch(file.roles, file.late_labels && file.late_labels->in_own_file());
    if (sections.has("columns")) {
        StateReader columns = StateReader::unframed(sections["columns"]);
        file.columns.load(columns);
        file::require(columns.left() == 0, "the section of its columns is longer than its content");
    }
    if (sections.has(kIntervalSection)) {
        StateReader intervals = StateReader::unframed(sections[kIntervalSection]);
        file.intervals = Intervals::load(intervals, file.roles.targets.size(), file.layout.horizon);
        file::require(intervals.left() == 0, "the section of its intervals is longer than its content");
    }
}

// What a file is when it is not one that jobs take. Its remedy is a call of the library: no command writes such files.
std::string wrong_kind(SavedKind kind) {
    switch (kind) {
        case SavedKind::empty:
            return "this file is empty: a model file is needed";
        case SavedKind::text:
            return "this is text, such as CSV, and no model file: it was not written by Sluice";
        case SavedKind::stream_state:
            return "this is the state of a StreamModel, as StreamModel::save() writes it, and has no column names: a "
                   "program "
                   "adds them with pack_model()";
        case SavedKind::adaptive_state:
            return "this is the state of an AdaptiveModel, as AdaptiveModel::save() writes it, and has no column "
                   "names: a "
                   "program adds them with pack_model()";
        case SavedKind::interval_state:
            return "this is the state of an IntervalTracker, as IntervalTracker::save() writes it, and no model";
        case SavedKind::moments_state:
            return "these are moments of rows, as BatchMoments::save() writes them, and no model: a program fits them "
                   "with fit_moments()";
        default:
            return "this is not a model file: it was not written by Sluice";
    }
}

}  // namespace

std::vector<std::byte> pack_checkpoint(const Roles& roles, const Learner& learner, const Tally& tally,
                                       const EventLog& events, const ColumnWatch& columns,
                                       const ResumePoint& resume_point, const LateLabels* late_labels,
                                       const Intervals* intervals,
                                       const std::vector<std::pair<std::string, std::vector<std::byte>>>& more) {
    StateWriter learner_state;
    learner.save(learner_state);
    StateWriter tally_state;
    tally.save(tally_state);
    StateWriter events_state;
    events.save(events_state);
    StateWriter columns_state;
    columns.save(columns_state);
    std::vector<file::Section> sections = {
        {"names", file::names_section(roles, learner.layout())}, {"model", learner.model().save()},
        {"learner", std::move(learner_state).unframed()},        {"tally", std::move(tally_state).unframed()},
        {"events", std::move(events_state).unframed()},          {"columns", std::move(columns_state).unframed()},
        {kResumeSection, resume_section(resume_point)}};
    if (auto feed = feed_section(resume_point)) {
        sections.emplace_back(kFeedSection, std::move(*feed));
    }
    if (late_labels != nullptr) {
        StateWriter labels_state;
        late_labels->save(labels_state);
        sections.emplace_back("labels", std::move(labels_state).unframed());
    }
    if (intervals != nullptr) {
        StateWriter interval_state;
        intervals->save(interval_state);
        sections.emplace_back(kIntervalSection, std::move(interval_state).unframed());
    }
    sections.insert(sections.end(), more.begin(), more.end());
    return file::join_sections(sections);
}

ModelFile unpack(std::span<const std::byte> bytes) {
    const file::SectionView sections(bytes);
    ModelFile file;
    if (sections.has("fit")) {
        NamedFit fit = unpack_fit(bytes);
        file.roles = std::move(fit.roles);
        file.layout = std::move(fit.layout);
        file.fitted = std::move(fit.fitted);
        return file;
    }
    NamedModel named = unpack_model(bytes);
    file.roles = std::move(named.roles);
    file.layout = std::move(named.layout);
    const std::size_t columns = file.roles.inputs.size();
    const bool has_run = sections.has("learner");
    if (has_run) {
        file::require(kept_rows_fit(file.layout, columns, named.model.outputs(), sections["learner"].size()),
                      "it has fewer rows than its lags and its horizon need");
    } else {
        check_layout(file.layout, columns, named.model.outputs());
    }
    file.learner.emplace(columns, file.layout, std::move(named.model));
    if (has_run) {
        read_run(sections, file);
    }
    return file;
}

ModelFile read_model_file(const std::string& path) {
    const std::vector<std::byte> bytes = io::read_whole(path);
    try {
        return unpack(bytes);
    } catch (const WrongKindError& error) {
        throw StateError(path + ": " + wrong_kind(error.found()));
    } catch (const StateError& error) {
        throw StateError(path + ": " + error.what());
    }
}

}  // namespace sluice::job
