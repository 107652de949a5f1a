#include "stream_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "csv_text.hpp"
#include "durable.hpp"
#include "groups.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> sorted(std::vector<std::string> names) {
    std::ranges::sort(names);
    return names;
}

}  // namespace

StreamJob::StreamJob(StreamSettings settings, io::Disk& disk, const io::Interrupt* interrupt, MessageHandler message)
    : settings_(std::move(settings)),
      disk_(disk),
      interrupt_(interrupt),
      message_(std::move(message)),
      last_attempt_(Clock::now()) {
    check_files_differ();
    std::optional<ModelFile> known = read_checkpoint();
    open_input();
    const bool resumed = known.has_value();
    if (resumed) {
        start_from(std::move(*known));
    } else {
        start_new();
    }
    const Places places = find_places(reader_->columns(), roles_, settings_.roles.ignore, true);
    reader_->want(places.numbers(), places.texts());
    if (resumed && !settings_.from_here) {
        skip_known_rows();
    }
    resume_point_.columns = reader_->columns();
    resume_point_.input = reader_->position();
    open_outputs(resumed);
}

StreamJob::~StreamJob() = default;

// The input, the records, the rejected rows and the checkpoint must be four different files.
void StreamJob::check_files_differ() const {
    const std::vector<std::pair<const char*, std::string>> files = {{"input", settings_.input},
                                                                    {"out", settings_.out},
                                                                    {"rejects", settings_.rejects},
                                                                    {"checkpoint", settings_.checkpoint}};
    for (std::size_t a = 0; a < files.size(); ++a) {
        for (std::size_t b = a + 1; b < files.size(); ++b) {
            std::error_code none_yet;
            const bool named_alike = files[a].second == files[b].second && a > 0;
            if (!files[b].second.empty() && files[b].second != "-" &&
                (named_alike || std::filesystem::equivalent(files[a].second, files[b].second, none_yet))) {
                throw UsageError({files[a].first, files[b].first}, "both are the same file, " + files[b].second);
            }
        }
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
        if (!file.resume_point && !settings_.from_here) {
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

void StreamJob::open_input() {
    io::SourceOptions options{.follow = settings_.follow,
                              .stop_descriptor = interrupt_ != nullptr ? interrupt_->descriptor() : -1,
                              .before_waiting = [this] { flush_before_waiting(); }};
    reader_ = io::open_rows(io::open_source(settings_.input, std::move(options)), settings_.dialect);
}

void StreamJob::start_new() {
    RowLayout layout;
    layout.lags = settings_.lags.value_or(layout.lags);
    layout.target_lags = settings_.target_lags.value_or(layout.target_lags);
    layout.horizon = settings_.horizon.value_or(0);
    roles_ = assign_roles(reader_->columns(), settings_.roles, layout);
    input_names_ = stacked_names(roles_, layout);
    if (settings_.options.model.penalty == Penalty::group_lasso && settings_.options.model.groups.empty()) {
        settings_.options.model.groups = groups_for(roles_, layout, settings_.group_file);
    } else if (!settings_.group_file.empty()) {
        throw UsageError({"group_file"}, "the penalty is not the group lasso", {io::Remedy::choose_group_lasso});
    }
    // With a horizon an error is known `horizon` rows late: the drift of the intercept would follow outdated errors.
    if (layout.horizon > 0 &&
        std::ranges::find(settings_.options_given, "intercept") == settings_.options_given.end()) {
        settings_.options.tuning.intercept = false;
    }
    learner_.emplace(roles_.inputs.size(), roles_.targets.size(), layout, settings_.options);
    tally_.emplace(input_names_.size(), roles_.targets.size(), learner_->layout().horizon, settings_.warmup);
    start_intervals();
}

void StreamJob::start_intervals() {
    if (settings_.interval) {
        intervals_.emplace(roles_.targets.size(), learner_->layout().horizon,
                           IntervalOptions{.coverage = *settings_.interval});
    }
}

void StreamJob::start_from(ModelFile&& file) {
    (void)find_places(reader_->columns(), file.roles, settings_.roles.ignore, true);  // reports other columns first
    check_settings_agree(file);
    roles_ = std::move(file.roles);
    input_names_ = stacked_names(roles_, file.layout);
    learner_ = std::move(file.learner);
    if (file.resume_point) {
        tally_ = std::move(file.tally);
        intervals_ = std::move(file.intervals);
        resume_point_ = std::move(*file.resume_point);
        resumed_at_ = tally_->rows();
    } else {
        tally_.emplace(input_names_.size(), roles_.targets.size(), learner_->layout().horizon, settings_.warmup);
        start_intervals();
        message_({.text = fmt::format("{} has learnt {} rows before; the rows of this run are counted from 1",
                                      settings_.checkpoint, learner_->model().rows_met())});
    }
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
        !(file.intervals && file.intervals->coverage_asked() == *settings_.interval)) {
        refuse("interval", fmt::format("{}", *settings_.interval),
               file.intervals ? fmt::format("{}", file.intervals->coverage_asked()) : "none");
    }
    if (!settings_.roles.targets.empty()) {
        const Roles asked = assign_roles(reader_->columns(), settings_.roles, file.layout);
        if (sorted(asked.targets) != sorted(file.roles.targets)) {
            refuse("targets", fmt::format("{}", fmt::join(asked.targets, ",")),
                   fmt::format("{}", fmt::join(file.roles.targets, ",")));
        }
        if (!settings_.roles.inputs.empty() && sorted(asked.inputs) != sorted(file.roles.inputs)) {
            refuse("inputs", fmt::format("{} columns", asked.inputs.size()),
                   fmt::format("{} other columns", file.roles.inputs.size()));
        }
    }
}

void StreamJob::skip_known_rows() {
    if (resume_point_.columns == reader_->columns()) {
        reader_->skip_to(resume_point_.input);
        return;
    }
    // The columns are in another order: the bytes differ, and the rows are counted.
    for (std::uint64_t i = 0; i < resume_point_.rows_read; ++i) {
        try {
            if (!reader_->next(row_)) {
                throw DataError(fmt::format("{}: has {} rows, but the checkpoint was written after row {}",
                                            settings_.input, i, resume_point_.rows_read));
            }
        } catch (const io::RowError&) {
            continue;
        }
    }
}

void StreamJob::open_outputs(bool resumed) {
    if (!settings_.out.empty()) {
        records_ = make_record_writer(
            settings_.out_format,
            {.inputs = input_names_,
             .targets = roles_.targets,
             .has_time = !roles_.time.empty(),
             .has_forecast = learner_->layout().horizon > 0,
             .has_interval = intervals_.has_value(),
             .components = finds_variables(learner_->model().options()) ? 0 : learner_->model().current().components(),
             .tuned = learner_->model().options().tuning.any()});
        if (resumed && resume_point_.out_length > 0) {
            out_ = std::make_unique<io::OutputFile>(disk_, settings_.out, resume_point_.out_length);
        } else {
            out_ = std::make_unique<io::OutputFile>(disk_, settings_.out);
            records_->begin(out_->text());
        }
    }
    if (!settings_.rejects.empty()) {
        if (resumed && resume_point_.rejects_length > 0) {
            rejects_ = std::make_unique<io::OutputFile>(disk_, settings_.rejects, resume_point_.rejects_length);
        } else {
            rejects_ = std::make_unique<io::OutputFile>(disk_, settings_.rejects);
            rejects_->text() += "line,byte,column,value,reason\n";
        }
    }
}

void StreamJob::learn_row() {
    const auto numbers = std::span<const double>(row_.numbers);
    const auto x = numbers.first(roles_.inputs.size());
    const auto y = numbers.subspan(roles_.inputs.size());
    tally_->before_row(learner_->model(), y);
    const Learner::Step step = learner_->step(x, y);
    tally_->add(step, y);
    if (intervals_) {
        intervals_->add(step, y, tally_->rows() > tally_->warmup());
    }
    if (out_) {
        records_->write(out_->text(),
                        {.row = tally_->rows(),
                         .time = row_.texts.empty() ? std::string_view() : std::string_view(row_.texts.front()),
                         .observed = y,
                         .step = step,
                         .intervals = intervals(),
                         .model = &learner_->model()});
        out_->flush_if_large();
    }
}

void StreamJob::reject(const io::RowError& error) {
    tally_->add_skipped();
    if (rejects_) {
        std::string& text = rejects_->text();
        fmt::format_to(std::back_inserter(text), "{},{},", error.at().line, error.at().byte);
        io::append_cell(text, error.column());
        text += ',';
        io::append_cell(text, error.value());
        text += ',';
        io::append_cell(text, error.reason());
        text += '\n';
        rejects_->flush_if_large();
    }
}

StreamJob::End StreamJob::run(const std::function<void()>& each_row) {
    const auto stopped = [this] { return interrupt_ != nullptr && interrupt_->requested(); };
    bool more = true;
    while (more && !stopped()) {
        bool bad = false;
        try {
            more = reader_->next(row_);
        } catch (const io::RowError& error) {
            if (!settings_.skip_bad_rows) {
                if (!settings_.checkpoint.empty()) {
                    write_checkpoint();  // of the rows before it: the user corrects the row and resumes
                }
                flush_outputs();
                throw;
            }
            reject(error);
            bad = true;
        }
        if (!more || stopped()) {
            break;  // a row that was read while a wait ended may be incomplete
        }
        if (!bad) {
            learn_row();
        }
        resume_point_.input = reader_->position();
        ++resume_point_.rows_read;
        ++rows_since_checkpoint_;
        ++rows_since_attempt_;
        if (checkpoint_due()) {
            write_checkpoint();
        }
        if (each_row) {
            each_row();
        }
    }
    if (!settings_.checkpoint.empty()) {
        write_checkpoint();
        if (rows_since_checkpoint_ > 0) {
            throw std::runtime_error(
                "the last checkpoint could not be written: what was learnt since the previous one is lost");
        }
    }
    flush_outputs();
    return stopped() ? End::interrupted : End::finished;
}

bool StreamJob::checkpoint_due() {
    if (settings_.checkpoint.empty()) {
        return false;
    }
    if (settings_.checkpoint_rows > 0 && rows_since_attempt_ >= settings_.checkpoint_rows) {
        return true;
    }
    return settings_.checkpoint_seconds > 0 && rows_since_attempt_ > 0 &&
           std::chrono::duration<double>(Clock::now() - last_attempt_).count() >= settings_.checkpoint_seconds;
}

void StreamJob::write_checkpoint() {
    if (out_) {
        out_->sync();
        resume_point_.out_length = out_->length();
    }
    if (rejects_) {
        rejects_->sync();
        resume_point_.rejects_length = rejects_->length();
    }
    last_attempt_ = Clock::now();
    rows_since_attempt_ = 0;
    try {
        io::replace_durably(disk_, settings_.checkpoint,
                            pack_checkpoint(roles_, *learner_, *tally_, resume_point_, intervals()));
        rows_since_checkpoint_ = 0;
    } catch (const io::DiskError& error) {
        message_({.severity = Message::Severity::warning,
                  .text = fmt::format("no checkpoint was written at row {}: {}. The stream continues; the previous "
                                      "checkpoint is unchanged",
                                      tally_->rows(), error.what())});
    }
}

void StreamJob::flush_before_waiting() {
    if (!learner_) {
        return;  // the header has not been read yet
    }
    flush_outputs();
    if (checkpoint_due()) {
        write_checkpoint();
    }
}

void StreamJob::flush_outputs() {
    if (out_) {
        out_->flush();
    }
    if (rejects_) {
        rejects_->flush();
    }
}

}  // namespace sluice::job
