// stream_opening.cpp -- the part of StreamJob before the first row: checks, files, and the model, new or from a checkpoint.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "continued_columns.hpp"
#include "durable.hpp"
#include "event_lines.hpp"
#include "groups.hpp"
#include "replaceable.hpp"
#include "resume_roles.hpp"
#include "resumed_output.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"
#include "stream_job.hpp"
#include "time_columns.hpp"
#include "usage.hpp"

namespace sluice::job {

StreamJob::StreamJob(StreamSettings settings, io::Disk& disk, const io::Interrupt* interrupt, MessageHandler message)
    : settings_(std::move(settings)),
      disk_(disk),
      interrupt_(interrupt),
      message_(std::move(message)),
      last_attempt_(std::chrono::steady_clock::now()) {
    check_files();
    check_label_settings();
    std::optional<ModelFile> known = read_checkpoint();
    if (known && known->resume_point) {  // the first row of what follows may lack some of them
        settings_.dialect.known_columns = known->resume_point->input.columns;
    }
    open_input(known);
    open_label_file();
    const bool resumed = known.has_value();
    if (resumed) {
        start_from(std::move(*known));
    } else {
        start_new();
    }
    feed_->prepare([this](io::RowReader& reader) {
        want_columns(reader);
        columns_.begin(reader, settings_.dialect.strict_columns);
    });
    feed_->note_place(resume_point_.input);
    open_outputs(resumed);
    if (!resumed) {
        std::vector<std::string> watched = roles_.inputs;
        if (settings_.labels.empty()) {
            watched.insert(watched.end(), roles_.targets.begin(), roles_.targets.end());
        }
        sentinels_.emplace(std::move(watched));
    }
    events_.add_handler([lines = EventLines(message_)](const Event& event) mutable { lines.show(event); });
    monitor_.emplace(
        settings_.monitor, disk_, message_,
        MetricsSource{.tally = &*tally_,
                      .events = &events_,
                      .columns = &columns_,
                      .learner = &*learner_,
                      .targets = &roles_.targets,
                      .checkpoint = settings_.checkpoint.empty() ? std::nullopt : std::optional(unix_seconds())});
    events_.add_handler([this](const Event& event) { monitor_->add(event); });
    opened_ = true;
}

StreamJob::~StreamJob() = default;

void StreamJob::check_files() {
    std::vector<NamedFile> files = {{.setting = "input", .path = settings_.input, .written = false},
                                    {.setting = "labels", .path = settings_.labels, .written = false},
                                    {.setting = "group_file", .path = settings_.group_file, .written = false},
                                    {.setting = "out", .path = settings_.out},
                                    {.setting = "rejects", .path = settings_.rejects},
                                    {.setting = "checkpoint", .path = settings_.checkpoint},
                                    {.setting = "metrics", .path = settings_.monitor.metrics}};
    files.insert(files.end(), settings_.other_files.begin(), settings_.other_files.end());
    check_files_differ(files);
    if (settings_.from_here && settings_.from_start) {
        throw UsageError({"from_here", "from_start"}, "only one of them can be given");
    }
    if (settings_.checkpoint.empty()) {
        return;
    }
    try {
        settings_.checkpoint = io::replaceable_path(settings_.checkpoint);
    } catch (const io::NotReplaceable& error) {
        throw UsageError({"checkpoint"},
                         fmt::format("{} {}: give the name of a file", settings_.checkpoint, error.reason()));
    }
    lock_.emplace(settings_.checkpoint);
    if (const auto holder = lock_->holder()) {
        throw UsageError({"checkpoint"},
                         fmt::format("{} is in use by {}: stop it, or give another file", settings_.checkpoint,
                                     *holder > 0 ? fmt::format("process {}", *holder) : "another process"));
    }
}

std::optional<ModelFile> StreamJob::read_checkpoint() {
    const std::string& path = settings_.checkpoint;
    if (path.empty()) {
        if (settings_.resume) {
            throw UsageError({"resume"}, "there is no checkpoint to continue from", {io::Remedy::name_checkpoint});
        }
        return std::nullopt;
    }
    if (!std::filesystem::exists(path)) {
        if (settings_.resume) {
            message_({.text = path + " does not exist yet: the run starts from the beginning"});
        }
        return std::nullopt;
    }
    if (!settings_.resume) {  // perhaps only the word was forgotten: what was learnt must not be lost
        if (disk_.rename(path, path + ".replaced") == 0) {
            message_({.severity = Message::Severity::warning,
                      .text = fmt::format("{} already existed and is now {}.replaced", path, path),
                      .remedies = {io::Remedy::resume}});
        }
        return std::nullopt;
    }
    try {
        ModelFile file = read_model_file(path);
        if (file.fitted) {
            throw StateError(path + ": this is a fit, which can predict but cannot continue to learn");
        }
        if (!file.resume_point && !settings_.from_here && !settings_.from_start) {
            throw io::WithRemedies<StateError>(
                path + ": this model has no position in an input, because a program wrote it and no stream",
                {io::Remedy::learn_every_row});
        }
        return file;
    } catch (const io::Remedied&) {
        throw;
    } catch (const StateError& error) {
        const std::string previous = path + ".previous";
        throw StateError(fmt::format(
            "{}{}", error.what(),
            std::filesystem::exists(previous) ? fmt::format(". The checkpoint before it is {}", previous) : ""));
    }
}

void StreamJob::open_input(const std::optional<ModelFile>& known) {
    constexpr double kLongestWait = 1.0;  // seconds until it is seen whether a checkpoint or the metrics are due
    io::SourceOptions options{.follow = settings_.follow, .before_waiting = [this] { work_while_waiting(); }};
    if (interrupt_ != nullptr) {
        options.stop_descriptor = interrupt_->descriptor();
        options.wake_descriptor = interrupt_->reopen_descriptor();
    }
    const bool timed = !settings_.checkpoint.empty() && settings_.checkpoint_seconds > 0;
    if (timed || settings_.monitor.works()) {
        const double wait = timed ? std::min(settings_.checkpoint_seconds, kLongestWait) : kLongestWait;
        options.longest_wait = static_cast<int>(1000.0 * wait) + 1;
    }
    if (known) {
        roles_ = known->roles;
    }
    feed_.emplace(
        Feed::Settings{.path = settings_.input,
                       .dialect = settings_.dialect,
                       .options = std::move(options),
                       .wrap = [this](std::unique_ptr<io::RowReader> reader,
                                      bool continues) { return with_stream_columns(std::move(reader), continues); }},
        message_);
    if (known && known->resume_point && !settings_.from_here && !settings_.from_start) {
        feed_->open_at(known->resume_point->input,
                       [&](io::RowReader& reader) { (void)places_of(roles_, reader.columns()); });
    } else {
        feed_->open(known && settings_.from_here && settings_.follow);
    }
}

// A file that continues the stream may have other columns.
std::unique_ptr<io::RowReader> StreamJob::with_stream_columns(std::unique_ptr<io::RowReader> reader, bool continues) {
    const std::string time = roles_.time.empty() ? settings_.roles.time : roles_.time;
    reader = join_time_columns(std::move(reader), settings_.roles, time);
    if (!continues || settings_.dialect.strict_columns) {
        return reader;
    }
    return continue_columns(
        std::move(reader),
        {.roles = roles_, .without_targets = !settings_.labels.empty(), .ignore = settings_.roles.ignore});
}

void StreamJob::start_new() {
    RowLayout layout;
    layout.lags = settings_.lags.value_or(layout.lags);
    layout.target_lags = settings_.target_lags.value_or(layout.target_lags);
    layout.horizon = settings_.horizon.value_or(0);
    roles_ = asked_roles(layout);
    input_names_ = stacked_names(roles_, layout);
    if (settings_.options.model.penalty == Penalty::group_lasso && settings_.options.model.groups.empty()) {
        settings_.options.model.groups = groups_for(roles_, layout, settings_.group_file);
    } else if (!settings_.group_file.empty()) {
        throw UsageError({"group_file"}, "the penalty is not the group lasso", {io::Remedy::choose_group_lasso});
    }
    if (!intercept_may_drift(layout.horizon) &&
        std::ranges::find(settings_.options_given, "intercept") == settings_.options_given.end()) {
        settings_.options.tuning.intercept = false;
    }
    learner_.emplace(roles_.inputs.size(), roles_.targets.size(), layout, settings_.options);
    tally_.emplace(input_names_.size(), roles_.targets.size(), learner_->layout().horizon, settings_.warmup);
    start_intervals();
    start_labels(std::nullopt);
    columns_ = ColumnWatch(roles_, late_ && late_->in_own_file());
}

void StreamJob::start_intervals() {
    if (settings_.interval) {
        intervals_.emplace(roles_.targets.size(), learner_->layout().horizon,
                           IntervalOptions{.coverage = *settings_.interval});
    }
}

void StreamJob::start_from(ModelFile&& file) {
    check_labels_agree(file);
    (void)places_of(file.roles, feed_->columns());  // reports other columns first
    check_settings_agree(file);
    roles_ = std::move(file.roles);
    input_names_ = stacked_names(roles_, file.layout);
    learner_ = std::move(file.learner);
    if (settings_.from_start) {
        learner_.emplace(roles_.inputs.size(), file.layout, std::move(*learner_).model());
    }
    if (file.resume_point) {
        tally_ = std::move(file.tally);
        events_ = std::move(file.events);
        columns_ = std::move(file.columns);
        intervals_ = std::move(file.intervals);
        resume_point_ = std::move(*file.resume_point);
        resumed_at_ = tally_->rows();
    } else {
        tally_.emplace(input_names_.size(), roles_.targets.size(), learner_->layout().horizon, settings_.warmup);
        columns_ = ColumnWatch(roles_, !settings_.labels.empty());
        start_intervals();
        message_({.text = fmt::format("{} has learnt {} rows before; the rows of this run are counted from 1",
                                      settings_.checkpoint, learner_->model().rows_met())});
    }
    start_labels(std::move(file.late_labels));
}

void StreamJob::check_settings_agree(const ModelFile& file) const {
    const auto refuse = [](const std::string& setting, const std::string& given, const std::string& known) {
        throw UsageError({setting}, fmt::format("{} contradicts the checkpoint, which has {}", given, known),
                         {io::Remedy::not_resume});
    };
    const AdaptiveOptions& known = file.learner->model().options();
    for (const AdaptiveField& field : adaptive_fields()) {
        if (std::ranges::find(settings_.options_given, field.name) != settings_.options_given.end() &&
            field.get(settings_.options) != field.get(known)) {
            refuse(std::string(field.name), field.get(settings_.options), field.get(known));
        }
    }
    if (settings_.lags && *settings_.lags != file.layout.lags) {
        refuse("lags", fmt::format("{}", fmt::join(*settings_.lags, ",")),
               fmt::format("{}", fmt::join(file.layout.lags, ",")));
    }
    if (settings_.target_lags && *settings_.target_lags != file.layout.target_lags) {
        refuse("target_lags", fmt::format("{}", fmt::join(*settings_.target_lags, ",")),
               file.layout.target_lags.empty() ? "none" : fmt::format("{}", fmt::join(file.layout.target_lags, ",")));
    }
    if (settings_.horizon && *settings_.horizon != file.layout.horizon) {
        refuse("horizon", fmt::format("{}", *settings_.horizon), fmt::format("{}", file.layout.horizon));
    }
    if (settings_.interval && file.resume_point &&
        (!file.intervals || file.intervals->coverage_asked() != *settings_.interval)) {
        refuse("interval", fmt::format("{}", *settings_.interval),
               file.intervals ? fmt::format("{}", file.intervals->coverage_asked()) : "none");
    }
    check_roles_agree(columns_with_labels(file.roles), request_with_labels(), file.roles, file.layout);
    if (const auto ignored = ignored_as_before(feed_->columns(), settings_.roles, file.roles); !ignored.empty()) {
        message_({.text = ignored});
    }
}

RecordNames StreamJob::record_names() const {
    const AdaptiveModel& model = learner_->model();
    return {.inputs = input_names_,
            .targets = roles_.targets,
            .has_time = !roles_.time.empty(),
            .has_late_labels = late_.has_value(),
            .has_forecast = learner_->layout().horizon > 0,
            .has_interval = intervals_.has_value(),
            .components = finds_variables(model.options()) ? 0 : model.current().components(),
            .tuned = model.options().tuning.any(),
            .has_weights = settings_.weights};
}

void StreamJob::open_outputs(bool resumed) {
    const auto opened = [&](const char* setting, const std::string& path, const std::string& header,
                            const io::OutputMark& mark, const std::string& unwritten) {
        return open_output(disk_,
                           {.setting = setting,
                            .path = path,
                            .header = header,
                            .mark = mark,
                            .unwritten = unwritten,
                            .resumed = resumed,
                            .closed = resume_point_.closed,
                            .as_new = settings_.new_out},
                           message_);
    };
    if (!settings_.out.empty()) {
        records_ = make_record_writer(settings_.out_format, record_names());
        records_->begin(out_header_);
        out_ = opened("out", settings_.out, out_header_, resume_point_.out, resume_point_.out_unwritten);
    }
    if (!settings_.rejects.empty()) {
        rejects_header_ = "line,byte,column,value,reason,text\n";
        rejects_ = opened("rejects", settings_.rejects, rejects_header_, resume_point_.rejects,
                          resume_point_.rejects_unwritten);
    }
}

}  // namespace sluice::job
