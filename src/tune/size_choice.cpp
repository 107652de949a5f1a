#include "size_choice.hpp"

#include <algorithm>
#include <cmath>

#include "constants.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr double kLevel = 0.9;  // discount of the level of the errors
// Of the outputs' variance. Errors below, a hundredth of the standard deviation, are as good as none: without noise, names would enter for
// what shrinkage leaves.
constexpr double kLeastLevel = 1e-4;

constexpr double kLeastRows = 4.0;  // discounted; with fewer the number stays

}  // namespace

SizeChoice::SizeChoice(std::size_t sizes) : sizes_(sizes), loss_(sizes, 0.0), square_(sizes * sizes, 0.0) {}

void SizeChoice::add(std::span<const double> losses) {
    const auto best = static_cast<std::size_t>(std::ranges::min_element(loss_) - loss_.begin());
    level_rows_ = (kLevel * level_rows_) + 1.0;
    level_ = (kLevel * level_) + losses[best];
    const double unit = 1.0 / std::sqrt(std::max(level_ / level_rows_, kLeastLevel));
    rows_ = (kEvidence * rows_) + 1.0;
    for (std::size_t s = 0; s < sizes_; ++s) {
        loss_[s] = (kEvidence * loss_[s]) + (losses[s] * unit);
        for (std::size_t t = 0; t < s; ++t) {
            const double difference = (losses[s] - losses[t]) * unit;
            double& square = square_[(s * sizes_) + t];
            square = (kEvidence * square) + (difference * difference);
        }
    }
}

std::size_t SizeChoice::choose(std::size_t now, std::size_t most) const {
    if (rows_ < kLeastRows) {
        return std::min(now, most);
    }
    const auto end = loss_.begin() + static_cast<std::ptrdiff_t>(most) + 1;
    const auto best = static_cast<std::size_t>(std::min_element(loss_.begin(), end) - loss_.begin());
    const double nothing = std::sqrt(kLeastLevel) * rows_;
    auto good_enough = [&](std::size_t s, double share) {
        if (loss_[s] <= nothing) {
            return true;
        }
        const double above = loss_[s] - loss_[best];
        const std::size_t pair = (std::max(s, best) * sizes_) + std::min(s, best);
        return above <= share * kTolerance * loss_[best] && above <= share * std::sqrt(square_[pair]);
    };
    std::size_t pick = best;
    for (std::size_t s = 0; s < best; ++s) {
        if (good_enough(s, 1.0)) {
            pick = s;
            break;
        }
    }
    now = std::min(now, most);
    if (pick >= now) {
        return pick;
    }
    for (std::size_t s = 0; s < now; ++s) {
        if (s == best || good_enough(s, 0.5)) {
            return s;
        }
    }
    return now;
}

void SizeChoice::forget() {
    rows_ = 0.0;
    std::ranges::fill(loss_, 0.0);
    std::ranges::fill(square_, 0.0);
}

double SizeChoice::loss(std::size_t place) const {
    return rows_ > 0.0 ? loss_[place] / rows_ * std::sqrt(level_ / level_rows_) : 0.0;
}

void SizeChoice::save(core::StateWriter& out) const {
    out.put(rows_);
    out.put(level_);
    out.put(level_rows_);
    for (std::size_t s = 0; s < sizes_; ++s) {
        out.put_near(loss_[s], s > 0 ? loss_[s - 1] : 0.0);
        for (std::size_t t = 0; t < s; ++t) {
            out.put_near(square_[(s * sizes_) + t], t + 1 < s ? square_[((s - 1) * sizes_) + t] : 0.0);
        }
    }
}

void SizeChoice::load(core::StateReader& in) {
    in.get(rows_);
    in.get(level_);
    in.get(level_rows_);
    in.require(level_ >= 0.0 && level_rows_ >= 0.0, "the level of the losses is negative");
    in.require(level_rows_ >= 1.0 || rows_ == 0.0, "the level of the losses has no rows");
    if (in.current()) {
        for (std::size_t s = 0; s < sizes_; ++s) {
            loss_[s] = in.get_near(s > 0 ? loss_[s - 1] : 0.0);
            for (std::size_t t = 0; t < s; ++t) {
                square_[(s * sizes_) + t] = in.get_near(t + 1 < s ? square_[((s - 1) * sizes_) + t] : 0.0);
            }
        }
    } else {
        in.get_all(loss_);
        in.get_all(square_);
    }
    auto none_negative = [](const std::vector<double>& list) {
        return std::ranges::all_of(list, [](double value) { return value >= 0.0; });
    };
    in.require(rows_ >= 0.0 && none_negative(loss_) && none_negative(square_), "a loss is negative");
}

void SizeChoice::continue_sizes(const SizeChoice& from, std::span<const std::size_t> places) {
    rows_ = from.rows_;
    level_ = from.level_;
    level_rows_ = from.level_rows_;
    for (std::size_t s = 0; s < sizes_; ++s) {
        loss_[s] = from.loss_[places[s]];
        for (std::size_t t = 0; t < s; ++t) {  // places ascend; two that continue the same number do not differ
            square_[(s * sizes_) + t] =
                places[s] == places[t] ? 0.0 : from.square_[(places[s] * from.sizes_) + places[t]];
        }
    }
}

}  // namespace sluice::tune
