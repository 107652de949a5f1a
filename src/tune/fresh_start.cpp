// fresh_start.cpp -- a memory that starts where the relation broke.
//
// A memory that never forgets is of little use after a break. Where the errors jump (change_point.hpp), a memory that starts at that
// row learns the rows since then again, one step ahead. Once it makes less than kProof of the error of the longest memory it takes part in
// the mixture, until the next break.
#include <algorithm>
#include <cmath>
#include <limits>

#include "row_check.hpp"
#include "tuner.hpp"

namespace sluice::tune {

namespace {

constexpr std::uint64_t kBurnIn = 2;  // rows in which it has learnt from hardly any row do not count
constexpr double kTrialDiscount = 0.9;
constexpr std::uint64_t kMostAge = 3 * kProofRows;  // without proof
constexpr std::size_t kLevelRows = 20;              // before the jump, for the level of the errors

}  // namespace

// Square of the error of a memory's best reading over the output's variance, mean over the outputs observed; negative where no output has
// varied yet.
double Tuner::row_error(std::size_t memory, std::span<const double> y) const {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < q_; ++k) {
        const double variance = scale_.variance(k);
        if (!std::isnan(y[k]) && variance > 0.0) {
            const double error = (y[k] * units_.unit(k)) - base_of(k)[mixture_.best_cell(k, memory)];
            sum += std::min(error * error / variance, 1e100);
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : -1.0;
}

void Tuner::try_fresh_start(std::span<const double> x, std::span<const double> y, double longest, double of_fresh) {
    if (longest < 0.0) {
        return;
    }
    const bool fresh_is_better =
        proven_ && mixture_.loss(fresh(), variances_) < mixture_.loss(0, variances_) && of_fresh >= 0.0;
    if (recent_.spreads_due()) {
        set_spreads();
    }
    recent_.add(x, y, fresh_is_better ? of_fresh : longest);
    ++settled_;
    if (reads(fresh())) {
        compare_in_trial(longest, of_fresh);
        if (on_trial_ && age_ >= kProofRows && error_fresh_ < kProof * error_now_) {
            end_trial();
        } else if (on_trial_ && age_ >= kMostAge) {
            on_trial_ = false;
            settled_ = 0;
            mixture_.clear(fresh());
            for (std::size_t k = 0; k < q_; ++k) {  // it reads no more: as in a model that was loaded
                const auto cells =
                    std::span(base_).subspan(k * plan_.readings.grid.cells(), plan_.readings.grid.cells());
                std::ranges::fill(cells.subspan(plan_.readings.grid.cell(fresh(), 0, 0)), 0.0);
            }
        }
    }
    if (on_trial_) {
        return;
    }
    const auto errors = recent_.errors().last(std::min<std::size_t>(recent_.size(), settled_));
    if (const auto place = change_point_.find(errors)) {
        start_trial(errors.size() - *place);
    }
}

// The least spread that an input has in any memory.
void Tuner::set_spreads() {
    for (std::size_t j = 0; j < p_; ++j) {
        int least = std::numeric_limits<int>::max();
        for (std::size_t b = 0; b < memories_.size(); ++b) {
            const core::InputMoments& inputs = memories_[b].moments().inputs;
            if (reads(b) && inputs.varies(j)) {
                const int exponent = std::ilogb(inputs.variance(j));
                least = std::min(least, ((exponent - (exponent & 1)) / 2) + inputs.units().exponent(j));
            }
        }
        recent_.set_spread(j, least);
    }
}

void Tuner::compare_in_trial(double longest, double of_fresh) {
    ++age_;
    if (age_ > kBurnIn) {
        error_now_ = (kTrialDiscount * error_now_) + std::max(longest, 0.0);
        error_fresh_ = (kTrialDiscount * error_fresh_) + std::max(of_fresh, 0.0);
    }
}

void Tuner::start_trial(std::size_t rows) {
    const std::size_t b = fresh();
    memories_[b] = Memory(p_, q_, plan_.options_of(b, options_), plan_.readings);
    on_trial_ = true;
    proven_ = false;
    took_over_ = false;
    mixes_[b] = 0;
    vote_[b] = 0.0;
    age_ = 0;
    error_now_ = 0.0;
    error_fresh_ = 0.0;
    settled_ = 0;
    const std::size_t first = recent_.size() - rows;
    double level = 0.0;
    const std::size_t before = std::min(first, kLevelRows);
    for (std::size_t i = first - before; i < first; ++i) {
        level += recent_.errors()[i] / static_cast<double>(before);
    }
    mixture_.start(b, level, variances_, rows);
    if (plan_.readings.path) {
        memories_[b].refit(path_of(b).variables(), plan_.readings);
    }
    const Grid& grid = plan_.readings.grid;
    std::vector<double>& scratch = trial_prediction_;
    for (std::size_t i = first; i < recent_.size(); ++i) {
        memories_[b].predict(recent_.x(i), bounds_, base_.data() + grid.cell(b, 0, 0), grid.cells(), plan_.readings);
        const double error = row_error(b, recent_.y(i));
        compare_in_trial(recent_.errors()[i], error);
        for (std::size_t k = 0; k < q_; ++k) {
            const std::size_t best = mixture_.best_cell(k, b);
            scratch[k] = core::finite(base_of(k)[best] / units_.unit(k));
            if (!std::isnan(recent_.y(i)[k])) {
                mixture_.score_memory(k, recent_.y(i)[k] * units_.unit(k), base_of(k), b, variances_[k]);
            }
        }
        (void)memories_[b].learn(recent_.x(i), recent_.y(i), false, scratch, true, plan_.readings);
        if (plan_.readings.path) {
            memories_[b].refit(path_of(b).variables(), plan_.readings);
        }
    }
}

void Tuner::end_trial() {
    on_trial_ = false;
    proven_ = true;
    mixes_[fresh()] = 1;
    won_now_ = age_;
    log({.row = rows_met_ - 1,
         .setting = Setting::fresh_start,
         .from = static_cast<double>(memories_.front().model().rows_learned()),
         .to = static_cast<double>(age_),
         .measured_from = error_now_,
         .measured_to = error_fresh_});
}

}  // namespace sluice::tune
