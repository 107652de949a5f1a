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

std::vector<std::size_t> numbers_wanted(const Places& places) {
    std::vector<std::size_t> wanted = places.inputs;
    wanted.insert(wanted.end(), places.targets.begin(), places.targets.end());
    return wanted;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
    std::ranges::sort(names);
    return names;
}

}  // namespace

StreamJob::StreamJob(StreamSettings settings, io::Disk& disk, const io::Interrupt* interrupt, Say say)
    : settings_(std::move(settings)),
      disk_(disk),
      interrupt_(interrupt),
      say_(std::move(say)),
      last_attempt_(Clock::now()) {
    check_no_file_is_written_over();
    std::optional<ModelFile> known = read_checkpoint();
    open_input();
    const bool resumed = known.has_value();
    if (resumed) {
        go_on_from(std::move(*known));
    } else {
        begin_anew();
    }
    const Places places = find_places(reader_->columns(), roles_, settings_.roles.ignore, true);
    reader_->want(numbers_wanted(places),
                  places.time ? std::vector<std::size_t>{*places.time} : std::vector<std::size_t>{});
    if (resumed && !settings_.from_here) {
        pass_over_known_rows();
    }
    standing_.columns = reader_->columns();
    standing_.input = reader_->position();
    open_outputs(resumed);
}

StreamJob::~StreamJob() = default;

// The input, the records, the rejects and the checkpoint are four files.
void StreamJob::check_no_file_is_written_over() const {
    const std::vector<std::pair<const char*, std::string>> files = {{"the input", settings_.input},
                                                                    {"--out", settings_.out},
                                                                    {"--rejects", settings_.rejects},
                                                                    {"--checkpoint", settings_.checkpoint}};
    for (std::size_t a = 0; a < files.size(); ++a) {
        for (std::size_t b = a + 1; b < files.size(); ++b) {
            std::error_code none_yet;
            const bool named_alike = files[a].second == files[b].second && a > 0;
            if (!files[b].second.empty() && files[b].second != "-" &&
                (named_alike || std::filesystem::equivalent(files[a].second, files[b].second, none_yet))) {
                throw UsageError(
                    fmt::format("{} and {} are the same file, {}", files[a].first, files[b].first, files[b].second));
            }
        }
    }
}

std::optional<ModelFile> StreamJob::read_checkpoint() {
    const std::string& path = settings_.checkpoint;
    if (path.empty()) {
        if (settings_.resume) {
            throw UsageError("--resume needs --checkpoint FILE, the file to go on from");
        }
        return std::nullopt;
    }
    if (!std::filesystem::exists(path)) {
        if (settings_.resume) {
            say_(Tone::note, path + " does not exist yet: starting from the beginning");
        }
        return std::nullopt;
    }
    if (!settings_.resume) {  // nobody's months of learning are lost by a forgotten word
        if (disk_.rename(path, path + ".replaced") == 0) {
            say_(Tone::warning,
                 fmt::format("{} was there already and is now {}.replaced; --resume would have gone on from it", path,
                             path));
        }
        return std::nullopt;
    }
    try {
        ModelFile file = unpack(io::read_whole(path));
        if (file.fitted) {
            throw StateError("model file refused: it was fitted off-line and cannot go on learning");
        }
        return file;
    } catch (const StateError& error) {
        const std::string previous = path + ".previous";
        throw StateError(fmt::format(
            "{}: {}{}", path, error.what(),
            std::filesystem::exists(previous) ? fmt::format(". The checkpoint before it is {}", previous) : ""));
    }
}

void StreamJob::open_input() {
    io::SourceOptions options{.follow = settings_.follow,
                              .stop_descriptor = interrupt_ != nullptr ? interrupt_->descriptor() : -1,
                              .before_waiting = [this] { settle_before_waiting(); }};
    reader_ = io::open_rows(io::open_source(settings_.input, std::move(options)), settings_.dialect);
}

void StreamJob::begin_anew() {
    roles_ = assign_roles(reader_->columns(), settings_.roles);
    Shape shape;
    shape.lags = settings_.lags.value_or(shape.lags);
    shape.horizon = settings_.horizon.value_or(0);
    input_names_ = lagged_names(roles_.inputs, shape.lags);
    if (settings_.options.model.penalty == Penalty::group_lasso && settings_.options.model.groups.empty()) {
        settings_.options.model.groups = groups_for(roles_.inputs, shape.lags.size(), settings_.group_file);
    } else if (!settings_.group_file.empty()) {
        throw UsageError("--group-file goes with --penalty group_lasso");
    }
    // Errors are known `horizon` rows late, and a drift that is chosen by the next row's error would be out of date.
    if (shape.horizon > 0 && std::ranges::find(settings_.options_given, "intercept") == settings_.options_given.end()) {
        settings_.options.tuning.intercept = false;
    }
    learner_.emplace(roles_.inputs.size(), roles_.targets.size(), shape, settings_.options);
    tally_.emplace(input_names_.size(), roles_.targets.size(), settings_.warmup);
}

void StreamJob::go_on_from(ModelFile&& file) {
    (void)find_places(reader_->columns(), file.roles, settings_.roles.ignore, true);  // first the plain difference
    check_nothing_contradicts(file);
    roles_ = std::move(file.roles);
    input_names_ = lagged_names(roles_.inputs, file.shape.lags);
    learner_ = std::move(file.learner);
    tally_ = std::move(file.tally);
    standing_ = std::move(file.standing);
    resumed_at_ = tally_->rows();
}

void StreamJob::check_nothing_contradicts(const ModelFile& file) const {
    const auto refuse = [](const std::string& what, const std::string& given, const std::string& known) {
        throw UsageError(fmt::format(
            "{} = {} contradicts the checkpoint, which has {}. Leave it out, or start anew without --resume", what,
            given, known));
    };
    const AdaptiveOptions& known = file.learner->model().options();
    for (const AdaptiveField& field : adaptive_fields()) {
        if (std::ranges::find(settings_.options_given, field.name) != settings_.options_given.end() &&
            field.get(settings_.options) != field.get(known)) {
            refuse(std::string(field.name), field.get(settings_.options), field.get(known));
        }
    }
    if (settings_.lags && *settings_.lags != file.shape.lags) {
        refuse("lags", fmt::format("{}", settings_.lags->size()), fmt::format("{} lags", file.shape.lags.size()));
    }
    if (settings_.horizon && *settings_.horizon != file.shape.horizon) {
        refuse("horizon", fmt::format("{}", *settings_.horizon), fmt::format("{}", file.shape.horizon));
    }
    if (!settings_.roles.targets.empty()) {
        const Roles asked = assign_roles(reader_->columns(), settings_.roles);
        if (sorted(asked.targets) != sorted(file.roles.targets)) {
            refuse("targets", fmt::format("{}", fmt::join(asked.targets, ",")),
                   fmt::format("{}", fmt::join(file.roles.targets, ",")));
        }
        if (!settings_.roles.inputs.empty() && sorted(asked.inputs) != sorted(file.roles.inputs)) {
            refuse("inputs", fmt::format("{} columns", asked.inputs.size()),
                   fmt::format("{} columns, not the same", file.roles.inputs.size()));
        }
    }
}

void StreamJob::pass_over_known_rows() {
    if (standing_.columns == reader_->columns()) {
        reader_->skip_to(standing_.input);
        return;
    }
    for (std::uint64_t i = 0; i < standing_.rows_read; ++i) {  // columns in another order: other bytes, the same rows
        try {
            if (!reader_->next(row_)) {
                throw DataError(fmt::format("{}: has {} rows, and the checkpoint was made after row {}",
                                            settings_.input, i, standing_.rows_read));
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
             .components = learner_->model().options().tuning.components ? 0 : learner_->model().current().components(),
             .tuned = learner_->model().options().tuning.any(),
             .has_forecast = learner_->shape().horizon > 0});
        if (resumed && standing_.out_length > 0) {
            out_ = std::make_unique<io::OutputFile>(disk_, settings_.out, standing_.out_length);
        } else {
            out_ = std::make_unique<io::OutputFile>(disk_, settings_.out);
            records_->begin(out_->text());
        }
    }
    if (!settings_.rejects.empty()) {
        if (resumed && standing_.rejects_length > 0) {
            rejects_ = std::make_unique<io::OutputFile>(disk_, settings_.rejects, standing_.rejects_length);
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
    const Learner::Step step = learner_->step(x, y);
    tally_->add(step, y);
    if (out_) {
        records_->write(out_->text(), tally_->rows(), row_.texts.empty() ? std::string_view() : row_.texts.front(), y,
                        step, learner_->model().current());
        out_->settle();
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
        rejects_->settle();
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
                    write_checkpoint();  // of all rows before it: mend the row and resume
                }
                flush_outputs();
                throw;
            }
            reject(error);
            bad = true;
        }
        if (!more || stopped()) {
            break;  // what a wait gave up at its end may be half a row
        }
        if (!bad) {
            learn_row();
        }
        standing_.input = reader_->position();
        ++standing_.rows_read;
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
                "the last checkpoint could not be written: what was learnt since the one before is not kept");
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
        standing_.out_length = out_->length();
    }
    if (rejects_) {
        rejects_->sync();
        standing_.rejects_length = rejects_->length();
    }
    last_attempt_ = Clock::now();
    rows_since_attempt_ = 0;
    try {
        io::replace_durably(disk_, settings_.checkpoint, pack(roles_, *learner_, *tally_, standing_));
        rows_since_checkpoint_ = 0;
    } catch (const io::DiskError& error) {
        say_(Tone::warning,
             fmt::format("no checkpoint at row {}: {}. The stream goes on; the checkpoint before it stays",
                         tally_->rows(), error.what()));
    }
}

void StreamJob::settle_before_waiting() {
    if (!learner_) {
        return;  // the header is still awaited
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
