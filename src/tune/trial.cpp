// trial.cpp -- a fresh start of the longest memory.
//
// A memory that never forgets must start again where the relation breaks. Where its errors jump (change_point.hpp), a memory
// that starts at that row is tried beside it, and takes its place once it makes less than half of its error. The rows since
// the jump are learnt again, one step ahead, so that nothing of them is lost.
#include <algorithm>
#include <utility>

#include "model_bank.hpp"

namespace sluice::tune {

namespace {

// The first rows of a challenger, in which it has learnt from hardly any row, do not count. (Switching stream, 500 runs, the
// default's scaling and refit: shares right 0.966 / 0.963 on average over rows 35 to 400; 0.970 / 0.967 where any smaller
// error wins, which would be chance on noisy outputs.)
constexpr std::size_t kBurnIn = 2;
constexpr std::size_t kLeastAge = 5;
constexpr std::size_t kMostAge = 30;  // without winning
constexpr double kWins = 0.5;
constexpr double kTrialDiscount = 0.9;

}  // namespace

void ModelBank::try_fresh_start(std::span<const double> x, std::span<const double> y, double longest, double fresh) {
    if (longest < 0.0) {
        return;
    }
    recent_.add(x, y, longest);
    ++settled_;
    if (on_trial_) {
        compare_in_trial(longest, fresh);
    } else {
        const auto errors = recent_.errors().last(std::min<std::size_t>(recent_.size(), settled_));
        const auto place = change_point_.find(errors);
        if (!place) {
            return;
        }
        start_trial(errors.size() - *place);
    }
    if (age_ >= kLeastAge && error_fresh_ < kWins * error_now_) {
        win_trial();
    } else if (age_ >= kMostAge) {
        memories_.pop_back();
        on_trial_ = false;
        settled_ = 0;
    }
}

void ModelBank::start_trial(std::size_t rows) {
    MemoryModel challenger = new_memory(0);
    on_trial_ = true;
    age_ = 0;
    error_now_ = 0.0;
    error_fresh_ = 0.0;
    for (std::size_t i = recent_.size() - rows; i < recent_.size(); ++i) {
        challenger.predict(recent_.x(i));
        compare_in_trial(recent_.errors()[i], row_error(challenger, recent_.y(i)));
        challenger.score(recent_.y(i), scale_.scale());
        (void)challenger.learn(recent_.x(i), recent_.y(i), false, before_);
    }
    memories_.push_back(std::move(challenger));
}

void ModelBank::compare_in_trial(double longest, double fresh) {
    ++age_;
    if (age_ > kBurnIn) {
        error_now_ = (kTrialDiscount * error_now_) + std::max(longest, 0.0);
        error_fresh_ = (kTrialDiscount * error_fresh_) + std::max(fresh, 0.0);
    }
}

void ModelBank::win_trial() {
    const auto scale = scale_.scale();
    const double before = memories_.front().loss(scale);
    const double after = memories_.back().loss(scale);
    if (after > 0.0) {  // what it would have been over the same rows
        memories_.back().multiply_errors(before * (error_fresh_ / error_now_) / after);
    }
    log(Setting::fresh_start, {.from = static_cast<double>(memories_.front().model().rows_learned()),
                               .to = static_cast<double>(age_),
                               .measured_from = error_now_,
                               .measured_to = error_fresh_});
    won_now_ = age_;
    memories_.front() = std::move(memories_.back());
    memories_.pop_back();
    on_trial_ = false;
    settled_ = age_;
    if (lead_ != 0 && memories_.front().loss(scale) < lead().loss(scale)) {
        take_lead(0, lead().loss(scale), memories_.front().loss(scale));
    } else {
        memories_.front().keep_neighbours(tuning_.keep && lead_ == 0, ladder_, rung_);
    }
}

}  // namespace sluice::tune
