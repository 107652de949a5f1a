// mixture_state.cpp -- the mixture as bytes, and with other numbers of names.
#include <algorithm>
#include <cmath>

#include "mixture.hpp"
#include "state.hpp"

namespace sluice::tune {

void Mixture::save(core::StateWriter& out) const {
    for (const auto* list : {&bias_, &errors_, &squares_, &count_, &drift_rows_, &regret_, &variance_, &share_}) {
        out.put_all(*list);
    }
    out.put_all(rows_);
}

void Mixture::load(core::StateReader& in) {
    for (auto* list : {&bias_, &errors_, &squares_, &count_, &drift_rows_, &regret_, &variance_, &share_}) {
        in.get_all(*list);
    }
    in.get_all(rows_);
    auto within = [](const std::vector<double>& list, double least, double most) {
        return std::ranges::all_of(list, [&](double value) { return value >= least && value <= most; });
    };
    // Errors are below 1e71 (memory.cpp, tuner.cpp); discounted sums of their squares, and sums over all rows, far below these.
    in.require(within(errors_, 0.0, 1e160) && within(squares_, 0.0, 1e170),
               "a sum of squared errors is negative or too large");
    in.require(within(bias_, -1e75, 1e75), "a drift of the intercept is too large");
    in.require(within(count_, 0.0, 1e6) && within(drift_rows_, 0.0, 1e20), "a number of rows is negative or too large");
    in.require(within(regret_, -1e12, 1e12) && within(variance_, 0.0, 1e12),
               "the regret of a discount or its variance is out of range");
    in.require(within(share_, 0.0, 1.0), "the share of a discount is not between 0 and 1");
    for (std::size_t k = 0; k < q_; ++k) {
        double sum = 0.0;
        for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
            sum += share_[(k * kDiscounts.size()) + d];
        }
        in.require(std::abs(sum - 1.0) < 1e-9, "the shares of the discounts do not add to 1");
    }
}

void Mixture::continue_sizes(const Mixture& from, std::span<const std::size_t> places) {
    auto copy_cells = [&](const std::vector<double>& old, std::vector<double>& list) {
        for (std::size_t row = 0; row < list.size() / grid_.stride(); ++row) {
            for (std::size_t s = 0; s < grid_.sizes; ++s) {
                list[(row * grid_.stride()) + s] = old[(row * from.grid_.stride()) + places[s]];
            }
        }
    };
    copy_cells(from.bias_, bias_);
    copy_cells(from.errors_, errors_);
    copy_cells(from.squares_, squares_);
    count_ = from.count_;
    drift_rows_ = from.drift_rows_;
    rows_ = from.rows_;
    regret_ = from.regret_;
    variance_ = from.variance_;
    share_ = from.share_;
}

}  // namespace sluice::tune
