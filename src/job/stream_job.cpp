// stream_job.cpp -- the way of each row, and the checkpoints between them.
#include "stream_job.hpp"

#include <iterator>
#include <utility>

#include "csv_text.hpp"
#include "durable.hpp"
#include "format_to.hpp"
#include "model_events.hpp"
#include "resumed_output.hpp"

namespace sluice::job {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void StreamJob::report_sentinel() {
    if (sentinels_) {
        if (const auto warning = sentinels_->warning()) {
            message_(*warning);
        }
        sentinels_.reset();
    }
}

void StreamJob::learn_row() {
    const auto numbers = std::span<const double>(row_.numbers);
    if (sentinels_ && sentinels_->add(numbers)) {
        report_sentinel();
    }
    if (late_) {
        learn_late_row();
        return;
    }
    const auto x = numbers.first(roles_.inputs.size());
    const auto y = numbers.subspan(roles_.inputs.size());
    tally_->before_row(learner_->model(), y);
    const Learner::Step step = learner_->step(x, y);
    tally_->add(step, y);
    if (intervals_) {
        intervals_->add(step, y, tally_->rows() > tally_->warmup());
    }
    const std::string_view time = row_.texts.empty() ? std::string_view() : std::string_view(row_.texts.front());
    columns_.after_row(&row_, feed_->reader(), {.row = tally_->rows(), .time = time}, events_);
    write_record({.row = tally_->rows(),
                  .time = time,
                  .observed = y,
                  .step = step,
                  .intervals = intervals(),
                  .model = &learner_->model()});
}

void StreamJob::write_record(Record record) {
    if (record.step.report) {
        raise_model_events(events_, *record.step.report, {.row = record.row, .time = record.time}, input_names_,
                           roles_.targets);
    }
    record.events = events_.of_row();
    if (out_) {
        records_->write(out_->text(), record);
    }
    if (on_record_) {
        on_record_(record);
    }
    events_.end_row();
}

void StreamJob::reject(const io::RowError& error, std::string_view row) {
    tally_->add_skipped();
    if (rejects_) {
        std::string& text = rejects_->text();
        fmt::format_to(std::back_inserter(text), "{},{},", error.at().line, error.at().byte);
        io::append_cell(text, error.column());
        text += ',';
        io::append_cell(text, error.value());
        text += ',';
        io::append_cell(text, error.reason());
        text += ',';
        io::append_cell(text, row);
        text += '\n';
    }
}

StreamJob::End StreamJob::run(const std::function<void()>& each_row) {
    for (bool more = true; more && !stopped();) {
        try {
            more = process_row();
        } catch (const std::exception&) {
            write_checkpoint_after_error();
            throw;
        }
        if (more) {
            monitor_->after_row();
        }
        if (more && each_row) {
            each_row();
        }
    }
    if (!stopped()) {
        try {
            take_labels();
        } catch (const std::exception&) {
            write_checkpoint_after_error();
            throw;
        }
    }
    if (!settings_.checkpoint.empty()) {
        write_checkpoint(true);
        if (rows_since_checkpoint_ > 0) {
            throw std::runtime_error(
                "the last checkpoint could not be written: what was learnt since the previous one is lost");
        }
    }
    flush_outputs();
    report_sentinel();
    monitor_->finish();
    lock_.reset();
    return stopped() ? End::interrupted : End::finished;
}

// False at the end of the input, or when the job must stop.
bool StreamJob::process_row() {
    std::optional<io::RowError> bad;
    try {
        if (!feed_->next(row_) || stopped()) {
            return false;  // a row that was read while a wait ended may be incomplete
        }
    } catch (const io::RowError& error) {
        if (!settings_.skip_bad_rows) {
            throw;  // the checkpoint is of the rows before it: the user corrects the row and resumes
        }
        if (stopped()) {
            return false;
        }
        bad = error;
    }
    between_rows_ = false;
    if (bad) {
        reject(*bad, feed_->reader().row_text());
        columns_.after_row(nullptr, feed_->reader(), {.row = tally_->rows() + 1, .time = {}}, events_);
    } else {
        take_labels();
        learn_row();
    }
    feed_->note_place(resume_point_.input);
    between_rows_ = true;
    ++rows_since_checkpoint_;
    ++rows_since_attempt_;
    for (io::OutputFile* output : {out_.get(), rejects_.get()}) {
        if (output != nullptr) {
            output->flush_if_large();
        }
    }
    reopen_outputs_if_asked();
    if (checkpoint_due()) {
        write_checkpoint();
    }
    return true;
}

bool StreamJob::checkpoint_due() {
    if (settings_.checkpoint.empty()) {
        return false;
    }
    if (settings_.checkpoint_rows > 0 && rows_since_attempt_ >= settings_.checkpoint_rows) {
        return true;
    }
    return settings_.checkpoint_seconds > 0 && rows_since_checkpoint_ > 0 &&
           std::chrono::duration<double>(Clock::now() - last_attempt_).count() >= settings_.checkpoint_seconds;
}

void StreamJob::write_checkpoint(bool closed) {
    for (io::OutputFile* output : {out_.get(), rejects_.get()}) {
        if (output != nullptr) {
            output->sync();
        }
    }
    replace_checkpoint(closed);
}

// What could not be written of the outputs is kept in the checkpoint. Where it is not known what the disk has of them,
// there is no checkpoint.
void StreamJob::write_checkpoint_after_error() noexcept {
    if (settings_.checkpoint.empty() || !between_rows_) {
        return;
    }
    try {
        for (io::OutputFile* output : {out_.get(), rejects_.get()}) {
            if (output != nullptr) {
                try {
                    output->flush();
                } catch (const io::DiskError&) {  // this is perhaps the error
                }
                output->sync_written();
            }
        }
        replace_checkpoint(true);
    } catch (const std::exception&) {
        return;  // the error that comes first is reported, and the previous checkpoint is unchanged
    }
}

void StreamJob::replace_checkpoint(bool closed) {
    if (out_) {
        resume_point_.out = out_->mark();
        resume_point_.out_unwritten = out_->unwritten();
    }
    if (rejects_) {
        resume_point_.rejects = rejects_->mark();
        resume_point_.rejects_unwritten = rejects_->unwritten();
    }
    resume_point_.closed = closed;
    last_attempt_ = Clock::now();
    rows_since_attempt_ = 0;
    try {
        io::replace_durably(
            disk_, settings_.checkpoint,
            pack_checkpoint(roles_, *learner_, *tally_, events_, columns_, resume_point_, late_labels(), intervals()));
        rows_since_checkpoint_ = 0;
        monitor_->after_checkpoint();
    } catch (const io::DiskError& error) {
        events_.raise(
            {.kind = EventKind::checkpoint_failed,
             .row = tally_->rows(),
             .text = fmt::format("no checkpoint was written at row {}: {}. {}he previous checkpoint is unchanged",
                                 tally_->rows(), error.what(), closed ? "T" : "The stream continues; t")});
    }
}

void StreamJob::work_while_waiting() {
    if (!opened_) {
        if (interrupt_ != nullptr) {
            (void)interrupt_->take_reopen();  // no output is open
        }
        return;
    }
    take_labels();
    flush_outputs();
    reopen_outputs_if_asked();
    if (checkpoint_due()) {
        write_checkpoint();
    }
    monitor_->tick();
}

// The checkpoint is then of the new files: the old ones are complete.
void StreamJob::reopen_outputs_if_asked() {
    if (interrupt_ == nullptr || !interrupt_->take_reopen()) {
        return;
    }
    if (out_) {
        reopen_output(*out_, out_header_, message_);
    }
    if (rejects_) {
        reopen_output(*rejects_, rejects_header_, message_);
    }
    if (!settings_.checkpoint.empty()) {
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
