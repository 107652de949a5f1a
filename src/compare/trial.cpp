#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

#include "thread_clock.hpp"

namespace sluice::compare {

namespace {

void require_finite(std::span<const double> predicted) {
    if (!std::ranges::all_of(predicted, [](double value) { return std::isfinite(value); })) {
        throw std::runtime_error("it predicted a value that is not a finite number");
    }
}

// The contestant as job::Horizon calls it. The time of each call is added to `nanoseconds`.
struct Timed {
    Contestant& contestant;
    std::int64_t& nanoseconds;

    template <typename Call>
    void timed(const Call& call) const {
        const std::int64_t before = thread_nanoseconds();
        call();
        nanoseconds += std::max<std::int64_t>(0, thread_nanoseconds() - before - clock_cost());
    }
    [[nodiscard]] std::span<const double> predict_and_learn(std::span<const double> x,
                                                            std::span<const double> y) const {
        std::span<const double> predicted;
        timed([&] { predicted = contestant.predict_and_learn(x, y); });
        require_finite(predicted);
        return predicted;
    }
    void learn(std::span<const double> x, std::span<const double> y) const {
        timed([&] { contestant.learn(x, y); });
    }
    void predict(std::span<const double> x, std::span<double> y) const {
        timed([&] { contestant.predict(x, y); });
        require_finite(y);
    }
};

}  // namespace

Trial::Trial(const Entry& entry, const Task& task, const TrialSettings& settings)
    : entry_(entry),
      settings_(settings),
      inputs_(task.request.inputs),
      outputs_(task.request.outputs),
      horizon_(task.horizon, inputs_, outputs_),
      tally_(inputs_, outputs_, task.horizon, settings.warmup),
      curve_(outputs_) {
    if (settings.pictured != nullptr && entry.selects) {
        picture_.emplace();
    }
    try {
        contestant_ = entry.make(task);
    } catch (const std::bad_alloc&) {
        failure_ = "before the first row: out of memory";
    } catch (const std::exception& error) {
        failure_ = fmt::format("before the first row: {}", error.what());
    }
}

double Trial::seconds() const noexcept {
    constexpr double kSecond = 1e9;
    return static_cast<double>(nanoseconds_) / kSecond;
}

double Trial::mean_names() const {
    return tally_.learned() > 0 ? static_cast<double>(names_) / static_cast<double>(tally_.learned()) : 0.0;
}

void Trial::run(const Block& block) {
    for (std::size_t row = 0; failure_.empty() && row < block.rows; ++row) {
        try {
            run_row(block, row);
            if (settings_.most_seconds > 0.0 && seconds() > settings_.most_seconds) {
                throw std::runtime_error(fmt::format("it took more than {:g} seconds", settings_.most_seconds));
            }
        } catch (const std::bad_alloc&) {
            failure_ = fmt::format("at row {}: out of memory", block.first + row);
        } catch (const std::exception& error) {
            failure_ = fmt::format("at row {}: {}", block.first + row, error.what());
        }
    }
    if (failure_.empty()) {
        bytes_ = contestant_->bytes();
    } else {
        contestant_.reset();  // its memory is of use to the others
    }
}

void Trial::run_row(const Block& block, std::size_t row) {
    const auto x = std::span(block.x).subspan(row * inputs_, inputs_);
    const auto y = std::span(block.y).subspan(row * outputs_, outputs_);
    Timed timed{.contestant = *contestant_, .nanoseconds = nanoseconds_};
    const job::Horizon::Step made = horizon_.step(timed, x, y);
    const bool observed = !std::ranges::all_of(y, [](double value) { return std::isnan(value); });
    if (made.learnt) {
        note_selection(observed);
    }
    job::Learner::Step step{.predicted = made.predicted, .forecast = made.forecast, .report = {}};
    if (made.learnt) {
        step.report.emplace(StepReport{.row = tally_.rows(),
                                       .outcome = observed ? Outcome::learned : Outcome::outputs_missing,
                                       .predicted = made.predicted,
                                       .selected = selected_,
                                       .entered = entered_});
    }
    const bool scored = tally_.rows() >= settings_.warmup;
    tally_.add(step, y);
    curve_.add(tally_.rows(), made.predicted, y, scored);
    if (picture_) {
        picture_->begin_row(tally_.rows(), block.times[row]);
        for (const std::size_t input : selected_) {
            picture_->count((*settings_.pictured)[input]);
        }
    }
}

void Trial::note_selection(bool learnt) {
    std::vector<std::size_t> now = contestant_->selected();
    entered_.clear();
    std::ranges::set_difference(now, selected_, std::back_inserter(entered_));
    selected_ = std::move(now);
    names_ += learnt ? selected_.size() : 0;
}

}  // namespace sluice::compare
