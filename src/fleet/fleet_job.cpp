#include "fleet_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "block.hpp"
#include "continued_columns.hpp"
#include "distinct_files.hpp"
#include "names_state.hpp"
#include "resumed_output.hpp"
#include "roles.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "usage.hpp"

namespace sluice::fleet {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBlockRows = 32'768;
constexpr std::size_t kBlockBytes = std::size_t{64} << 20U;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

FleetJob::FleetJob(FleetSettings settings, io::Disk& disk, const io::Interrupt* interrupt, job::MessageHandler message)
    : settings_(std::move(settings)),
      disk_(disk),
      interrupt_(interrupt),
      message_(std::move(message)),
      last_checkpoint_(Clock::now()) {
    job::check_files_differ(
        {{.setting = "input", .path = settings_.input, .written = false}, {.setting = "out", .path = settings_.out}});
    open_state();
    open_input();
    if (!settings_.out.empty()) {
        out_ = job::open_output(disk_,
                                {.setting = "out",
                                 .path = settings_.out,
                                 .header = {},
                                 .mark = resume_point_.out,
                                 .unwritten = resume_point_.out_unwritten,
                                 .resumed = resumed_,
                                 .closed = resume_point_.closed},
                                message_);
    }
}

FleetJob::~FleetJob() = default;

void FleetJob::open_state() {
    if (settings_.state.empty()) {
        if (settings_.resume) {
            throw job::UsageError({"resume"}, "there is no folder to continue from: give one with --state");
        }
        fleet_.emplace(settings_.config, nullptr, settings_.memory, settings_.threads);
        return;
    }
    store_ = std::make_unique<StateStore>(disk_, settings_.state);
    lock_.emplace(settings_.state + "/manifest");
    if (const auto holder = lock_->holder()) {
        throw job::UsageError({"state"},
                              fmt::format("{} is in use by {}: stop it, or give another folder", settings_.state,
                                          *holder > 0 ? fmt::format("process {}", *holder) : "another process"));
    }
    fleet_.emplace(settings_.config, store_.get(), settings_.memory, settings_.threads);
    const auto manifest = store_->manifest();
    if (!manifest) {
        store_->begin({});
        if (settings_.resume) {
            message_({.text = settings_.state + " has no fleet yet: the run starts from the beginning"});
        }
        return;
    }
    if (!settings_.resume) {
        throw job::UsageError({"state"}, fmt::format("{} has a fleet already: continue with --resume, or give another "
                                                     "folder",
                                                     settings_.state));
    }
    try {
        const file::SectionView sections(*manifest);
        fleet_->load(*manifest);
        resume_point_ = job::read_resume_point(sections[job::kResumeSection]);
        if (sections.has(job::kFeedSection)) {
            job::read_feed_section(sections[job::kFeedSection], resume_point_);
        }
        core::StateReader known = core::StateReader::unframed(sections["columns"]);
        known_new_ = file::get_texts(known);
    } catch (const StateError& error) {
        throw StateError(fmt::format("{}/manifest: {}", settings_.state, error.what()));
    }
    resumed_ = true;
    resumed_at_ = fleet_->counts().rows;
}

void FleetJob::open_input() {
    io::SourceOptions options{.follow = settings_.follow, .before_waiting = [this] {
                                  if (fleet_ && feed_ && each_block_) {
                                      complete_blocks();
                                      if (checkpoint_due()) {
                                          write_checkpoint();
                                      }
                                  }
                              }};
    if (interrupt_ != nullptr) {
        options.stop_descriptor = interrupt_->descriptor();
    }
    if (settings_.checkpoint_seconds > 0) {
        options.longest_wait = 1000;
    }
    io::Dialect dialect = settings_.dialect;
    dialect.strict_columns = settings_.config.spec.strict_columns;
    if (resumed_) {
        dialect.known_columns = resume_point_.input.columns;
    }
    feed_.emplace(job::Feed::Settings{.path = settings_.input,
                                      .dialect = dialect,
                                      .options = std::move(options),
                                      .wrap =
                                          [this](std::unique_ptr<io::RowReader> reader, bool continues) {
                                              return !continues || settings_.config.spec.strict_columns
                                                         ? std::move(reader)
                                                         : job::continue_columns(
                                                               std::move(reader),
                                                               {.roles = fleet_->roles(),
                                                                .ignore = settings_.config.spec.roles.ignore});
                                          }},
                  message_);
    if (resumed_) {
        feed_->open_at(resume_point_.input, [](io::RowReader&) {});
    } else {
        feed_->open();
        const std::vector<std::string>& columns = feed_->columns();
        for (const auto& [setting, name] :
             {std::pair{"key", settings_.config.key}, {"sequence", settings_.config.sequence}}) {
            if (!name.empty()) {
                (void)job::column_named(name, columns, setting);
            }
        }
        fleet_->use_columns(columns);
    }
    feed_->prepare([this](io::RowReader& reader) { prepare(reader); });
    feed_->note_place(resume_point_.input);
}

void FleetJob::prepare(io::RowReader& reader) {
    complete_blocks();  // rows of the file before
    const std::vector<std::string>& columns = reader.columns();
    const Config& config = settings_.config;
    const auto place = [&](const std::string& name, const char* setting) {
        const auto at = std::ranges::find(columns, name);
        if (at == columns.end()) {
            throw job::UsageError({setting}, fmt::format("the input has no column {}", name));
        }
        return static_cast<std::size_t>(at - columns.begin());
    };
    std::vector<std::size_t> texts = {place(config.key, "key")};
    if (!config.sequence.empty()) {
        sequence_text_ = texts.size();
        texts.push_back(place(config.sequence, "sequence"));
    }
    if (!fleet_->roles().time.empty()) {
        time_text_ = texts.size();
        texts.push_back(place(fleet_->roles().time, "time"));
    }
    std::vector<std::string> ignore = config.spec.roles.ignore;
    const job::Places places = job::find_places(columns, fleet_->roles(), ignore, true);
    const std::vector<std::size_t> numbers = places.numbers();
    reader.want(numbers, texts);
    for (std::size_t j = 0; j < numbers.size(); ++j) {
        reader.tolerate(j);  // each key decides by itself
    }
    fleet_->set_absent(reader.absent());
    seen_new_ = 0;
}

bool FleetJob::run(const std::function<void()>& each_block) {
    each_block_ = each_block ? each_block : [] {};
    while (!stopped() && read_row()) {
        if (block_.rows().size() >= kBlockRows || block_.bytes() >= kBlockBytes ||
            (settings_.checkpoint_rows > 0 &&
             rows_since_checkpoint_ + block_.rows().size() >= settings_.checkpoint_rows)) {
            start_block();
            if (checkpoint_due()) {
                finish_block();
                write_checkpoint();
            }
        }
    }
    complete_blocks();
    if (store_) {
        write_checkpoint(true);
        if (rows_since_checkpoint_ > 0) {
            throw std::runtime_error(
                "the last checkpoint could not be written: what was learnt since the previous one is lost");
        }
    } else if (out_) {
        out_->flush();
    }
    lock_.reset();
    return !stopped();
}

// False at the end of the input, or when the job must stop.
bool FleetJob::read_row() {
    RowBlock::Row about;
    about.line = feed_->reader().position().line;
    try {
        if (!feed_->next(row_) || stopped()) {
            return false;  // a row that was read while a wait ended may be incomplete
        }
        about.key = row_.texts.front();
        about.line = row_.at.line;
        if (about.key.empty()) {
            block_.refuse({}, about.line,
                          fmt::format("line {}: the row has no key in column {}. It is not learnt", about.line,
                                      settings_.config.key));
        } else {
            if (!settings_.config.sequence.empty()) {
                about.sequence = whole_number(row_.texts[sequence_text_]);
            }
            if (time_text_ > 0) {
                about.time = row_.texts[time_text_];
            }
            note_new_columns(about);
            block_.add(std::move(about), row_);
        }
    } catch (const io::RowError& error) {
        if (stopped()) {
            return false;
        }
        block_.refuse({}, error.at().line, std::string(error.what()) + ". The row is not learnt");
    }
    feed_->note_place(resume_point_.input);
    return true;
}

// A column is new once in the life of a fleet, whatever happens in between.
void FleetJob::note_new_columns(RowBlock::Row& about) {
    const auto fields = feed_->reader().new_fields();
    for (; seen_new_ < fields.size(); ++seen_new_) {
        const std::string& field = fields[seen_new_];
        if (field != settings_.config.key && field != settings_.config.sequence &&
            std::ranges::find(known_new_, field) == known_new_.end()) {
            known_new_.push_back(field);
            about.new_columns.push_back(field);
        }
    }
}

// The rows that were read go through the fleet, with several threads while the next ones are read.
void FleetJob::start_block() {
    finish_block();
    if (block_.rows().empty()) {
        return;
    }
    std::swap(block_, started_);
    rows_since_checkpoint_ += started_.rows().size();
    const auto how = settings_.threads > 1 ? std::launch::async : std::launch::deferred;
    step_ = std::async(how, [this] { fleet_->step(started_, out_ ? out_->text() : no_records_); });
    if (settings_.threads == 1) {
        finish_block();
    }
}

void FleetJob::finish_block() {
    if (!step_.valid()) {
        return;
    }
    step_.get();
    started_.clear();
    no_records_.clear();
    if (out_) {
        out_->flush();
    }
    if (each_block_) {
        each_block_();
    }
}

void FleetJob::complete_blocks() {
    start_block();
    finish_block();
}

bool FleetJob::checkpoint_due() const {
    if (!store_ || rows_since_checkpoint_ == 0) {
        return false;
    }
    return (settings_.checkpoint_rows > 0 && rows_since_checkpoint_ >= settings_.checkpoint_rows) ||
           (settings_.checkpoint_seconds > 0 &&
            std::chrono::duration<double>(Clock::now() - last_checkpoint_).count() >= settings_.checkpoint_seconds);
}

void FleetJob::write_checkpoint(bool closed) {
    last_checkpoint_ = Clock::now();
    resume_point_.closed = closed;
    try {
        if (out_) {
            out_->sync();
            resume_point_.out = out_->mark();
            resume_point_.out_unwritten = out_->unwritten();
        }
        core::StateWriter columns;
        file::put_texts(columns, known_new_);
        std::vector<file::Section> sections = {{job::kResumeSection, job::resume_section(resume_point_)},
                                               {"columns", std::move(columns).unframed()}};
        if (auto feed = job::feed_section(resume_point_)) {
            sections.emplace_back(job::kFeedSection, std::move(*feed));
        }
        store_->commit(fleet_->save(std::move(sections)));
        rows_since_checkpoint_ = 0;
    } catch (const io::DiskError& error) {
        message_(
            {.severity = job::Message::Severity::warning,
             .text = fmt::format("no checkpoint was written after {} rows: {}. The previous checkpoint is unchanged",
                                 fleet_->counts().rows, error.what())});
    }
}

}  // namespace sluice::fleet
