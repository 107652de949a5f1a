#include "guard.hpp"

#include <algorithm>
#include <cmath>

#include "row_check.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

bool within_factor(double a, double b, double factor) {
    return a <= factor * b && b <= factor * a;
}

}  // namespace

Guard::Guard(std::size_t inputs, std::size_t outputs)
    : inputs_(inputs), errors_(outputs), held_(inputs, outputs), errors_now_(outputs), bounded_(outputs) {
    suspect_outputs_.reserve(outputs);
}

std::span<const double> Guard::believed(std::span<const double> x, std::vector<double>& room) const {
    return inputs_.look(x, room) ? std::span<const double>(room) : x;
}

std::span<const double> Guard::meet(std::span<const double> x) {
    x_ = inputs_.add(x, room_) ? std::span<const double>(room_) : x;
    return x_;
}

void Guard::believe(std::span<const double> y) {
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (!std::isnan(y[k])) {
            errors_.add(k, y[k], errors_now_[k]);
        }
    }
}

Guard::Verdict Guard::judge(std::span<const double> y, std::span<const double> predicted,
                            std::span<const std::size_t> selected, bool steady) {
    suspect_outputs_.clear();
    error_size_ = 0.0;
    bool labelled = false;
    for (std::size_t k = 0; k < y.size(); ++k) {
        bounded_[k] = y[k];
        if (std::isnan(y[k])) {
            continue;
        }
        labelled = true;
        errors_now_[k] = y[k] - predicted[k];
        error_size_ = std::max(error_size_, errors_.in_largest(k, errors_now_[k]));
        if (errors_.suspect(k, y[k], errors_now_[k], steady)) {
            suspect_outputs_.push_back(k);
            bounded_[k] = core::finite(errors_.bounded(k, predicted[k], errors_now_[k]));
        }
    }
    if (!labelled) {
        return Verdict::unlabelled;
    }
    ++rows_;
    if (suspect_outputs_.empty()) {
        believe(y);
        return Verdict::believed;
    }
    const bool by_input = std::ranges::any_of(
        inputs_.suspects(), [&](std::size_t input) { return std::ranges::binary_search(selected, input); });
    const bool repeated = !held_.empty() && std::ranges::any_of(suspect_outputs_, [&](std::size_t k) {
        return (errors_.never_repeats(k) || y[k] == 0.0) && y[k] == held_.y(held_.size() - 1)[k];
    });
    held_.add(x_, y, bounded_, error_size_);
    bool changed = held_.size() == kMostHeld;
    if (!by_input && !repeated) {
        lately_[rows_ % kLately] = {.row = rows_, .error_size = error_size_};
        const auto agreeing = std::ranges::count_if(lately_, [&](const Suspect& one) {
            return one.error_size > 0.0 && one.row + kLately > rows_ &&
                   within_factor(one.error_size, error_size_, kSameSize);
        });
        changed = changed || static_cast<std::size_t>(agreeing) >= kAgreeing || (!steady && goes_on(y, predicted));
    }
    if (!changed) {
        return Verdict::held;
    }
    believe(y);
    suspect_outputs_.clear();
    return Verdict::changed;
}

// Where the forecast rests on the last rows: the label before this one was suspect too, by about as much and on the same side.
bool Guard::goes_on(std::span<const double> y, std::span<const double> predicted) const {
    if (held_.size() < 2) {
        return false;
    }
    const std::size_t before = held_.size() - 2;
    return within_factor(held_.error_size(before), held_.error_size(before + 1), kGoesOn) &&
           std::ranges::all_of(suspect_outputs_, [&](std::size_t k) {
               return (held_.y(before)[k] > predicted[k]) == (y[k] > predicted[k]);
           });
}

std::span<const double> Guard::to_learn(std::size_t row) const {
    const bool agrees = within_factor(held_.error_size(row), error_size_, kSameSize);
    return agrees ? held_.y(row) : held_.bounded(row);
}

void Guard::save(core::StateWriter& out) const {
    inputs_.save(out);
    errors_.save(out);
    held_.save(out);
    out.put(rows_);
    for (const Suspect& one : lately_) {
        out.put(one.row);
        out.put(one.error_size);
    }
}

void Guard::load(core::StateReader& in) {
    inputs_.load(in);
    errors_.load(in);
    held_.load(in);
    in.get(rows_);
    for (Suspect& one : lately_) {
        in.get(one.row);
        in.get(one.error_size);
        in.require(one.error_size >= 0.0 && one.row <= rows_, "a suspect row is out of range");
    }
}

}  // namespace sluice::tune
