// bank.cpp -- a row through the memories, and the decisions after it.
//
//   decision      evidence                                                      margin   rests for
//   fresh start   a jump in the longest memory's errors, and a memory that      half     -
//                 started there makes less than half of its error since
//   forgetting    the memory with the least recent one-step error               2 %      dwell
//   shrinkage     the same among the shrinkages of each memory                  2 %      dwell
//   components    the same among the first 1, 2, .. components, or the rule     2 %      dwell
//   keep          the same among the neighbouring rungs, or Akaike's            5 %      4 dwell
//
// All errors are one step ahead, with the drift of the intercept (track.hpp). A decision is made after the row is learnt and
// holds from the next prediction on.
#include "bank.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "changes.hpp"
#include "memory_lengths.hpp"
#include "row_check.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr double kMargin = 0.02;
constexpr double kShapeMargin = 0.05;
constexpr std::size_t kShapeRest = 4;
constexpr std::size_t kLogged = 100;
constexpr std::size_t kRemembered = 64;

// A challenger: its first rows, in which it knows next to nothing, do not count; then it must make less than this share of
// the error of the longest memory; it is given up after so many rows. (Switching stream, 500 runs, the default's scaling and
// refit: shares right 0.966 / 0.963 on average over rows 35 to 400; 0.970 / 0.967 where any smaller error wins, which would
// be chance on noisy outputs.)
constexpr std::size_t kBurnIn = 2;
constexpr std::size_t kLeastAge = 5;
constexpr std::size_t kMostAge = 30;
constexpr double kWins = 0.5;
constexpr double kDiscount = 0.9;

}  // namespace

Bank::Bank(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options)
    : p_(inputs),
      q_(outputs),
      options_(options.model),
      tuning_(possible(options.model, options.tuning)),
      lengths_(memory_lengths(inputs, outputs, options.model, tuning_.forgetting)),
      ladder_(ladder(inputs, options.model, tuning_)),
      rung_(ladder_.start),
      recent_(inputs, outputs),
      change_point_(recent_.most()),
      scale_(outputs),
      stability_(inputs),
      past_(kRemembered),
      predicted_(outputs, 0.0) {
    if (tuning_.keep && tuning_.components && !options_.names) {
        options_.names = std::min(inputs, options_.components_for(inputs) * options_.keep_for(0, inputs));
    }
    for (std::size_t place = 0; place < lengths_.size(); ++place) {
        members_.push_back(fresh_member(place));
    }
    members_[lead_].keep_neighbours(tuning_.keep, ladder_, rung_);
    for (auto* list : {&before_, &entered_, &left_}) {
        list->reserve(inputs + 1);
    }
    log_.reserve(2 * kLogged);
}

Member Bank::fresh_member(std::size_t place) const {
    StreamOptions options = options_;
    options.forgetting = lengths_[place];
    return {p_, q_, std::move(options), ladder_.rungs[rung_], tuning_};
}

void Bank::predict(std::span<const double> x, std::span<double> y) const {
    lead().model().predict(x, y);
    for (std::size_t k = 0; k < q_; ++k) {
        y[k] = core::finite(y[k] + lead().track().drift(k));
    }
}

// One-step square over the outputs' variance, mean over those observed; negative where that cannot be told.
double Bank::row_error(const Member& member, std::span<const double> y) const {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < q_; ++k) {
        if (!std::isnan(y[k]) && scale_.variance(k) > 0.0) {
            const double error = y[k] - member.predicted(k);
            sum += std::min(error * error / scale_.variance(k), 1e100);
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : -1.0;
}

StepReport Bank::learn(std::span<const double> x, std::span<const double> y, bool tame) {
    decided_now_ = 0;
    for (Member& member : members_) {
        member.predict(x);
    }
    for (std::size_t k = 0; k < q_; ++k) {
        predicted_[k] = lead().predicted(k);
    }
    const double error = row_error(lead(), y);
    const double longest = row_error(members_.front(), y);
    for (Member& member : members_) {
        member.score(y);
    }
    scale_.add(y);
    before_.assign(selected_.begin(), selected_.end());
    StepReport report;
    for (std::size_t place = 0; place < members_.size(); ++place) {
        const StepReport one = members_[place].learn(x, y, tame, before_);
        report = place == lead_ ? one : report;
    }
    report.row = rows_met_++;
    report.predicted = predicted_;
    report.error_before = 0.0;
    for (std::size_t k = 0; k < q_; ++k) {
        if (!std::isnan(y[k])) {
            report.error_before = core::finite(std::hypot(report.error_before, y[k] - predicted_[k]));
        }
    }
    if (report.outcome != Outcome::outputs_missing) {
        decide(x, y, tame, longest);
    }
    const auto selected = lead().model().selected();
    selected_.assign(selected.begin(), selected.end());
    core::compare(before_, selected_, entered_, left_);
    stability_.add(selected_);
    if (tuning_.alarms && report.outcome != Outcome::outputs_missing) {
        raise_alarm(report, error);
    }
    past_[report.row % kRemembered] = selected_;
    report.forgetting = lead().forgetting();
    report.selected = selected_;
    report.entered = entered_;
    report.left = left_;
    report.components = lead().components();
    report.keep = ladder_.rungs[rung_].keep;
    report.shrinkage = lead().shrinkage();
    report.decisions = std::span(log_).last(decided_now_);
    return report;
}

bool Bank::rested(Setting setting, std::size_t times) const {
    return rows_met_ >= changed_[static_cast<std::size_t>(setting)] + (times * tuning_.dwell);
}

void Bank::log(Setting setting, const Member::Change& change) {
    changed_[static_cast<std::size_t>(setting)] = rows_met_;
    if (log_.size() >= 2 * kLogged) {
        log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(kLogged));
    }
    log_.push_back({.row = rows_met_ - 1,
                    .setting = setting,
                    .from = change.from,
                    .to = change.to,
                    .measured_from = change.measured_from,
                    .measured_to = change.measured_to});
    ++decided_now_;
}

void Bank::decide(std::span<const double> x, std::span<const double> y, bool tame, double error) {
    if (tuning_.forgetting) {
        challenge(x, y, tame, error);
        choose_lead();
    }
    const auto scale = scale_.scale();
    const bool shrinkage_rested = rested(Setting::shrinkage, 1);
    const bool components_rested = rested(Setting::components, 1);
    for (std::size_t place = 0; place < members_.size(); ++place) {
        if (tuning_.shrinkage && shrinkage_rested) {
            if (const auto change = members_[place].choose_shrinkage(scale, kMargin); change && place == lead_) {
                log(Setting::shrinkage, *change);
            }
        }
        if (tuning_.components && components_rested) {
            if (const auto change = members_[place].choose_components(scale, kMargin); change && place == lead_) {
                log(Setting::components, *change);
            }
        }
    }
    if (tuning_.keep && rested(Setting::keep, kShapeRest)) {
        if (const auto change = members_[lead_].choose_shape(scale, kShapeMargin, ladder_, rung_)) {
            for (std::size_t place = 0; place < members_.size(); ++place) {
                if (place != lead_) {
                    members_[place].take_shape(ladder_.rungs[rung_]);
                }
            }
            challenger_.reset();
            members_[lead_].keep_neighbours(true, ladder_, rung_);
            log(Setting::keep, *change);
        }
    }
}

// Where the longest memory's errors jump, a memory that starts there is tried beside it, and takes its place if it is far
// better. The rows since the jump are learnt again, one step ahead, so that nothing of them is lost.
void Bank::challenge(std::span<const double> x, std::span<const double> y, bool tame, double error) {
    if (error < 0.0) {
        return;
    }
    recent_.add(x, y, error);
    ++settled_;
    auto compare = [&](double of_longest) {
        ++age_;
        const double own = row_error(*challenger_, y);
        if (age_ > kBurnIn && own >= 0.0) {
            error_now_ = (kDiscount * error_now_) + of_longest;
            error_fresh_ = (kDiscount * error_fresh_) + own;
        }
    };
    if (challenger_) {
        challenger_->predict(x);
        compare(error);
        challenger_->score(y);
        (void)challenger_->learn(x, y, tame, before_);
    } else {
        const auto errors = recent_.errors().last(std::min<std::size_t>(recent_.size(), settled_));
        const auto place = change_point_.find(errors);
        if (!place) {
            return;
        }
        challenger_.emplace(fresh_member(0));
        age_ = 0;
        error_now_ = 0.0;
        error_fresh_ = 0.0;
        for (std::size_t i = recent_.size() - errors.size() + *place; i < recent_.size(); ++i) {
            const auto past_x = recent_.x(i);
            const auto past_y = recent_.y(i);
            challenger_->predict(past_x);
            ++age_;
            if (age_ > kBurnIn) {
                error_now_ = (kDiscount * error_now_) + recent_.errors()[i];
                error_fresh_ = (kDiscount * error_fresh_) + std::max(row_error(*challenger_, past_y), 0.0);
            }
            challenger_->score(past_y);
            (void)challenger_->learn(past_x, past_y, false, before_);
        }
    }
    if (age_ >= kLeastAge && error_fresh_ < kWins * error_now_) {
        const auto scale = scale_.scale();
        const double before = members_.front().loss(scale);
        const double after = challenger_->loss(scale);
        if (after > 0.0) {  // what it would have been over the same rows
            challenger_->multiply_errors(before * (error_fresh_ / error_now_) / after);
        }
        log(Setting::fresh_start, {.from = static_cast<double>(members_.front().model().rows_learned()),
                                   .to = static_cast<double>(age_),
                                   .measured_from = error_now_,
                                   .measured_to = error_fresh_});
        members_.front() = std::move(*challenger_);
        members_.front().keep_neighbours(tuning_.keep && lead_ == 0, ladder_, rung_);
        challenger_.reset();
        settled_ = age_;
    } else if (age_ >= kMostAge) {
        challenger_.reset();
        settled_ = 0;
    }
}

void Bank::choose_lead() {
    if (!rested(Setting::forgetting, 1)) {
        return;
    }
    const auto scale = scale_.scale();
    const double own = lead().loss(scale);
    std::size_t best = lead_;
    double least = own * (1.0 - kMargin);
    for (std::size_t place = 0; place < members_.size(); ++place) {
        const double loss = members_[place].loss(scale);
        if (place != lead_ && loss < least) {
            least = loss;
            best = place;
        }
    }
    if (best == lead_) {
        return;
    }
    log(Setting::forgetting,
        {.from = lead().forgetting(), .to = members_[best].forgetting(), .measured_from = own, .measured_to = least});
    members_[lead_].keep_neighbours(false, ladder_, rung_);
    lead_ = best;
    members_[lead_].keep_neighbours(tuning_.keep, ladder_, rung_);
}

void Bank::raise_alarm(StepReport& report, double error) {
    const auto found = alarm_.add(error, report.explained_covariance);
    if (!found) {
        return;
    }
    const std::uint64_t rows = std::min<std::uint64_t>({found->rows, report.row, kRemembered - 1});
    report.outcome = Outcome::drift;
    report.alarm.since = report.row + 1 - std::min<std::uint64_t>(found->rows, report.row + 1);
    report.alarm.error = found->error;
    const auto& then = past_[(report.row - rows) % kRemembered];
    core::compare(then, selected_, alarm_entered_, alarm_left_);
    report.alarm.entered = alarm_entered_;
    report.alarm.left = alarm_left_;
}

std::vector<double> Bank::drift() const {
    std::vector<double> drift(q_);
    for (std::size_t k = 0; k < q_; ++k) {
        drift[k] = lead().track().drift(k);
    }
    return drift;
}

std::vector<double> Bank::errors_by_components() const {
    std::vector<double> errors;
    for (const Track& track : lead().by_components()) {
        errors.push_back(track.loss(scale_.scale()));
    }
    return errors;
}

std::size_t Bank::bytes() const {
    std::size_t sum = recent_.bytes();
    for (const Member& member : members_) {
        sum += member.model().bytes();
    }
    return sum + (challenger_ ? challenger_->model().bytes() : 0);
}

void Bank::save(core::StateWriter& out) const {
    out.put(rows_met_);
    out.put(static_cast<std::uint64_t>(rung_));
    out.put(static_cast<std::uint64_t>(lead_));
    for (const Member& member : members_) {
        member.save(out);
    }
    out.put(static_cast<unsigned char>(challenger_.has_value()));
    if (challenger_) {
        challenger_->save(out);
    }
    out.put(static_cast<std::uint64_t>(age_));
    out.put(error_now_);
    out.put(error_fresh_);
    out.put(settled_);
    recent_.save(out);
    scale_.save(out);
    for (const std::uint64_t row : changed_) {
        out.put(row);
    }
    stability_.save(out);
    alarm_.save(out);
    for (const auto& selected : past_) {
        out.put_list(selected);
    }
    out.put_list(selected_);
    out.put(static_cast<std::uint64_t>(log_.size()));
    for (const Decision& decision : log_) {
        out.put(decision.row);
        out.put(decision.setting);
        for (const double number : {decision.from, decision.to, decision.measured_from, decision.measured_to}) {
            out.put(number);
        }
    }
}

void Bank::load(core::StateReader& in) {
    auto count_below = [&](std::uint64_t limit, const char* what) {
        std::uint64_t number = 0;
        in.get(number);
        in.require(number < limit, what);
        return static_cast<std::size_t>(number);
    };
    auto get_selected = [&](std::vector<std::size_t>& selected) {
        selected = in.get_list();
        const bool ascending = std::ranges::adjacent_find(selected, std::greater_equal{}) == selected.end();
        in.require(ascending && (selected.empty() || selected.back() < p_), "its variables are not in order");
    };
    in.get(rows_met_);
    rung_ = count_below(ladder_.rungs.size(), "its number of variables is none of them");
    lead_ = count_below(members_.size(), "its leading memory is none of them");
    for (Member& member : members_) {
        member.load(in, ladder_);
    }
    if (in.get_flag()) {
        challenger_.emplace(fresh_member(0));
        challenger_->load(in, ladder_);
    }
    in.get(age_);
    in.get(error_now_);
    in.get(error_fresh_);
    in.get(settled_);
    recent_.load(in);
    scale_.load(in);
    for (std::uint64_t& row : changed_) {
        in.get(row);
    }
    stability_.load(in);
    alarm_.load(in);
    for (auto& selected : past_) {
        get_selected(selected);
    }
    get_selected(selected_);
    log_.resize(count_below((2 * kLogged) + 1, "its log is too long"));
    for (Decision& decision : log_) {
        in.get(decision.row);
        in.get(decision.setting);
        in.require(decision.setting <= Setting::shrinkage, "a decision is about nothing");
        for (double* number : {&decision.from, &decision.to, &decision.measured_from, &decision.measured_to}) {
            in.get(*number);
        }
    }
}

}  // namespace sluice::tune
