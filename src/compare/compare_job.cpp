#include "compare_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "sluice/error.hpp"
#include "time_columns.hpp"
#include "usage.hpp"
#include "workers.hpp"

namespace sluice::compare {

namespace {

// Long enough that threads seldom wait for each other, and short enough that an interrupt is answered soon.
constexpr std::size_t kMostBlockRows = 64;
constexpr std::size_t kMostBlockNumbers = std::size_t{4} << 20U;

}  // namespace

CompareJob::CompareJob(CompareSettings settings, const io::Interrupt* interrupt, job::MessageHandler message)
    : settings_(std::move(settings)),
      interrupt_(interrupt),
      message_(std::move(message)),
      workers_(std::make_unique<core::Workers>(
          std::clamp<std::size_t>(settings_.threads, 1, std::max<std::size_t>(settings_.entries.size(), 1)))) {
    if (settings_.entries.empty()) {
        throw job::UsageError({"methods"}, "there is nothing to compare");
    }
    if (settings_.names == 0 || settings_.season == 0 || settings_.threads == 0 || !(settings_.most_seconds >= 0.0)) {
        throw job::UsageError({"names", "season", "threads", "most_seconds"},
                              "the first three must be 1 or more, and the last 0 or more");
    }
    open_input();
    const std::size_t width = input_names_.size();
    const std::size_t targets = roles_.targets.size();
    const Task task{
        .request = {.inputs = width, .outputs = targets, .names = settings_.names, .season = settings_.season},
        .horizon = settings_.layout.horizon};
    const TrialSettings trial{.warmup = settings_.warmup,
                              .most_seconds = settings_.most_seconds,
                              .pictured = settings_.pictures ? &input_names_ : nullptr};
    trials_.reserve(settings_.entries.size());
    for (const Entry& entry : settings_.entries) {
        trials_.emplace_back(entry, task, trial);
    }
    block_rows_ = std::clamp<std::size_t>(kMostBlockNumbers / (width + targets), 1, kMostBlockRows);
    block_.x.resize(block_rows_ * width);
    block_.y.resize(block_rows_ * targets);
    block_.times.resize(block_rows_);
}

CompareJob::~CompareJob() = default;

void CompareJob::open_input() {
    io::SourceOptions options;
    if (interrupt_ != nullptr) {
        options.stop_descriptor = interrupt_->descriptor();
    }
    feed_.emplace(job::Feed::Settings{.path = settings_.input,
                                      .dialect = settings_.dialect,
                                      .options = std::move(options),
                                      .wrap =
                                          [this](std::unique_ptr<io::RowReader> reader, bool /*continues*/) {
                                              return job::join_time_columns(std::move(reader), settings_.roles);
                                          }},
                  message_);
    feed_->open();
    roles_ = job::assign_roles(feed_->columns(), settings_.roles, settings_.layout);
    input_names_ = stacked_names(roles_, settings_.layout);
    feed_->prepare([this](io::RowReader& reader) {
        const job::Places places = job::find_places(reader.columns(), roles_, settings_.roles.ignore, true);
        reader.want(places.numbers(), places.texts());
    });
    stack_.emplace(roles_.inputs.size(), roles_.targets.size(), settings_.layout);
    std::vector<std::string> watched = roles_.inputs;
    watched.insert(watched.end(), roles_.targets.begin(), roles_.targets.end());
    sentinels_.emplace(std::move(watched));
}

// False at the end of the input, or when the job must stop.
bool CompareJob::next_row() {
    while (!stopped()) {
        try {
            return feed_->next(row_) && !stopped();  // a row that was read while a wait ended may be incomplete
        } catch (const io::RowError&) {
            if (!settings_.skip_bad_rows) {
                throw;
            }
            ++skipped_;
        }
    }
    return false;
}

void CompareJob::read_block() {
    const std::size_t inputs = roles_.inputs.size();
    const std::size_t width = input_names_.size();
    const std::size_t targets = roles_.targets.size();
    block_.first = rows_ + 1;
    block_.rows = 0;
    while (block_.rows < block_rows_ && !ended_) {
        ended_ = !next_row();
        if (ended_) {
            break;
        }
        const auto numbers = std::span<const double>(row_.numbers);
        if (sentinels_ && sentinels_->add(numbers)) {
            report_sentinel();
        }
        const auto y = numbers.subspan(inputs);
        const auto x = stack_->push(numbers.first(inputs), y);
        std::ranges::copy(x, block_.x.begin() + static_cast<std::ptrdiff_t>(block_.rows * width));
        std::ranges::copy(y, block_.y.begin() + static_cast<std::ptrdiff_t>(block_.rows * targets));
        block_.times[block_.rows] = row_.texts.empty() ? std::string() : row_.texts.front();
        ++rows_;
        windows_.add(rows_, block_.times[block_.rows]);
        ++block_.rows;
    }
}

void CompareJob::report_sentinel() {
    if (sentinels_) {
        if (const auto warning = sentinels_->warning()) {
            message_(*warning);
        }
        sentinels_.reset();
    }
}

// Each thread takes the next method that nobody works on. The slowest come first, so that none is left at the end.
void CompareJob::run_block() {
    std::vector<std::size_t> order(trials_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return trials_[i].seconds(); });
    std::atomic<std::size_t> next = 0;
    workers_->share(workers_->count(), [&](std::size_t /*worker*/, std::size_t /*first*/, std::size_t /*last*/) {
        for (std::size_t k = next++; k < order.size(); k = next++) {
            trials_[order[k]].run(block_);
        }
    });
}

bool CompareJob::any_left() const {
    return std::ranges::any_of(trials_, [](const Trial& trial) { return trial.failure().empty(); });
}

CompareJob::End CompareJob::run(const std::function<void()>& each_block) {
    while (!ended_ && any_left()) {
        std::exception_ptr bad_row;
        try {
            read_block();
        } catch (const io::RowError&) {
            bad_row = std::current_exception();  // what was before it is compared all the same
            ended_ = true;
        }
        if (block_.rows > 0) {
            run_block();
        }
        if (bad_row) {
            std::rethrow_exception(bad_row);
        }
        if (each_block) {
            each_block();
        }
    }
    report_sentinel();
    if (rows_ == 0 && !stopped()) {
        throw DataError(fmt::format(
            "{}: {}", settings_.input == "-" ? "standard input" : settings_.input,
            skipped_ == 0 ? "has a header and no rows" : fmt::format("none of its {} rows can be read", skipped_)));
    }
    return stopped() ? End::interrupted : End::finished;
}

}  // namespace sluice::compare
