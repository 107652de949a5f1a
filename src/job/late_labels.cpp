#include "late_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "names_state.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

constexpr std::size_t kMostKeptNumbers = std::size_t{1} << 26U;  // 512 MB
constexpr std::size_t kLongestWindow = 1'000'000;

bool any_present(std::span<const double> y) {
    return !std::ranges::all_of(y, [](double value) { return std::isnan(value); });
}

std::size_t longest_window(std::size_t inputs, std::size_t outputs) {
    // Of a row that is kept: x, the prediction, two simple forecasts; of a label that waits: its outputs.
    const std::size_t numbers = inputs + (4 * outputs);
    return std::min(kLongestWindow, kMostKeptNumbers / numbers);
}

LabelSettings checked(LabelSettings settings, std::size_t inputs, std::size_t outputs) {
    const std::size_t most = longest_window(inputs, outputs);
    if (settings.window < 1 || settings.window > most) {
        throw UsageError({"label_window"}, fmt::format("{} rows: must be 1 to {} with {} inputs, lags included",
                                                       settings.window, most, inputs));
    }
    if (settings.delay >= settings.window) {
        throw UsageError({"label_delay"}, fmt::format("{} rows: must be less than the label window, {} rows",
                                                      settings.delay, settings.window));
    }
    if (!settings.file.empty()) {
        settings.file = "labels";  // the path may differ from run to run
    }
    return settings;
}

}  // namespace

LateLabels::LateLabels(LabelSettings settings, std::size_t inputs, std::size_t outputs, std::uint64_t first_row)
    : settings_(checked(std::move(settings), inputs, outputs)),
      rows_(settings_.window, inputs, outputs, first_row),
      label_rows_(settings_.window),
      early_(in_own_file() ? settings_.window : 1, outputs),
      predicted_(outputs),
      unknown_(outputs, std::numeric_limits<double>::quiet_NaN()),
      y_(outputs) {}

void LateLabels::row(std::string_view time, std::span<const double> row, std::string_view label_time,
                     std::span<const double> y, const Stream& stream) {
    key_.assign(time);
    bool has_own_label = false;
    if (any_present(y)) {
        label_key_.assign(label_time);
        has_own_label = label_key_ == key_ && !label_time.empty();
        if (UnlabelledRows::Row earlier; has_own_label) {
            // learnt below, after the prediction
        } else if (!label_time.empty() && rows_.find(label_key_, earlier)) {
            learn_and_write(earlier, y, stream);
        } else {
            count_late(label_time, stream);
        }
    }
    if (settings_.delay > 0 && rows_.size() >= settings_.delay) {
        const UnlabelledRows::Row due = rows_.back(settings_.delay - 1);
        learn_waiting(due, stream);
    }
    if (rows_.size() > 0) {
        note_order(key_);
    }
    const auto x = stream.learner.enter(row);
    stream.learner.predict(x, predicted_);
    rows_.push(time, x, predicted_, stream.tally.comparison().known());
    stream.tally.add_row();
    const UnlabelledRows::Row now = rows_.back(0);
    std::optional<StepReport> report;
    if (has_own_label) {
        report = learn(now, y, stream);
    }
    stream.write({.row = stream.tally.rows(),
                  .time = time,
                  .observed = has_own_label ? y : std::span<const double>(unknown_),
                  .step = {.predicted = now.predicted, .forecast = {}, .report = report},
                  .model = &stream.learner.model()});
    if (settings_.delay == 0) {
        learn_waiting(now, stream);
    }
}

void LateLabels::note_order(const TimeKey& next) {
    const auto order = TimeKey::order(rows_.newest_time(), next);
    const bool ascends = order == TimeKey::Order::before || order == TimeKey::Order::same;
    order_ = ascends && order_ != Order::other ? Order::ascending : Order::other;
}

void LateLabels::learn_waiting(const UnlabelledRows::Row& row, const Stream& stream) {
    for (EarlyLabels::Label label; early_.take(*row.time, rows_.next_number(), label);) {
        learn_and_write(row, label.y, stream);
    }
}

void LateLabels::read_from(std::unique_ptr<LabelFile> file, bool resumed) {
    file_ = std::move(file);
    if (resumed) {
        if (columns_ != file_->columns()) {
            throw DataError(
                fmt::format("the labels have the columns {}, and the checkpoint was written with {}: "
                            "reading cannot continue where it was",
                            fmt::join(file_->columns(), ", "), fmt::join(columns_, ", ")));
        }
        file_->skip_to(position_);
    }
    columns_ = file_->columns();
    position_ = file_->position();
}

void LateLabels::take(const Stream& stream) {
    if (file_ == nullptr) {
        return;
    }
    for (bool more = true; more;) {
        while (!early_.full() && file_->next(label_)) {
            position_ = file_->position();
            if (!any_present(label_.numbers)) {
                continue;
            }
            label_key_.assign(label_.texts.front());
            if (label_key_.text().empty()) {
                count_late("", stream);
                continue;
            }
            UnlabelledRows::Row row;
            if (rows_.find(label_key_, row) && rows_.next_number() - row.number >= settings_.delay) {
                learn_and_write(row, label_.numbers, stream);
            } else {
                early_.push(label_key_, label_.numbers);
            }
        }
        const bool was_full = early_.full();
        more = drop_hopeless(stream) && was_full;
    }
}

// Labels whose rows cannot come any more. Whether there were any.
bool LateLabels::drop_hopeless(const Stream& stream) {
    bool any = false;
    while (!early_.empty() && rows_.size() > 0 && !rows_.has(early_.front())) {
        const bool passed_by_rows =
            order_ == Order::ascending && TimeKey::order(early_.front(), rows_.newest_time()) == TimeKey::Order::before;
        if (!passed_by_rows && !early_.front_was_passed(rows_.next_number())) {
            break;
        }
        count_late(early_.front().text(), stream);
        early_.drop_front();
        any = true;
    }
    return any;
}

std::optional<StepReport> LateLabels::learn(const UnlabelledRows::Row& row, std::span<const double> y,
                                            const Stream& stream) {
    for (std::size_t j = 0; j < y.size(); ++j) {
        y_[j] = row.labelled[j] != 0 ? std::numeric_limits<double>::quiet_NaN() : y[j];
        row.labelled[j] |= static_cast<unsigned char>(!std::isnan(y[j]));
    }
    if (!any_present(y_)) {
        ++counts_.repeated;
        return std::nullopt;
    }
    ++counts_.learned;
    StepReport report = stream.learner.learn(row.x, y_);
    stream.tally.add_label(row.number, row.predicted, row.simple, y_, report);
    label_rows_.add(row.number);
    if (report.outcome == Outcome::drift) {
        report.alarm.since = label_rows_.before_last(report.row - std::min(report.row, report.alarm.since));
    }
    decisions_.assign(report.decisions.begin(), report.decisions.end());
    for (Decision& decision : decisions_) {
        decision.row = row.number;
    }
    report.decisions = decisions_;
    return report;
}

void LateLabels::learn_and_write(const UnlabelledRows::Row& row, std::span<const double> y, const Stream& stream) {
    if (const std::optional<StepReport> report = learn(row, y, stream)) {
        stream.write({.row = stream.tally.rows(),
                      .time = row.time->text(),
                      .label_of = row.number + 1,
                      .observed = y_,
                      .step = {.predicted = row.predicted, .forecast = {}, .report = report},
                      .model = &stream.learner.model()});
    }
}

void LateLabels::count_late(std::string_view label_time, const Stream& stream) {
    ++counts_.late;
    stream.late(label_time);
}

void LateLabels::save(core::StateWriter& out) const {
    out.put(static_cast<unsigned char>(in_own_file()));
    out.put_text(settings_.time);
    for (const std::uint64_t number : {std::uint64_t{settings_.window}, std::uint64_t{settings_.delay}, counts_.learned,
                                       counts_.late, counts_.repeated, position_.line, position_.byte}) {
        out.put(number);
    }
    file::put_texts(out, columns_);
    out.put(order_);
    rows_.save(out);
    label_rows_.save(out);
    early_.save(out);
}

LateLabels LateLabels::load(core::StateReader& in, std::size_t inputs, std::size_t outputs) {
    LabelSettings settings;
    settings.file = in.get_flag() ? "labels" : "";
    settings.time = in.get_text();
    std::uint64_t window = 0;
    std::uint64_t delay = 0;
    Counts counts;
    io::Position position;
    for (std::uint64_t* number :
         {&window, &delay, &counts.learned, &counts.late, &counts.repeated, &position.line, &position.byte}) {
        in.get(*number);
    }
    in.require(settings.any(), "its labels are neither in the rows nor in a file");
    in.require(window >= 1 && window <= longest_window(inputs, outputs) && delay < window,
               "its label window is out of range");
    settings.window = window;
    settings.delay = delay;
    std::vector<std::string> columns = file::get_texts(in);
    LateLabels labels(std::move(settings), inputs, outputs);
    labels.counts_ = counts;
    labels.position_ = position;
    labels.columns_ = std::move(columns);
    in.get(labels.order_);
    in.require(labels.order_ <= Order::other, "the order of its times is out of range");
    labels.rows_.load(in);
    labels.label_rows_.load(in);
    in.require(labels.label_rows_.learned() == counts.learned, "its counts of labels contradict each other");
    labels.early_.load(in);
    return labels;
}

}  // namespace sluice::job
