// mixture_state.cpp -- the mixture as bytes, and with other numbers of names.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "mixture.hpp"
#include "mixture_kernels.hpp"
#include "state.hpp"

namespace sluice::tune {

// f(value, what is expected from those before it) for every reading of a list over the cells of one speed after the other. Readings with
// one more name, or with the next shrinkage, differ little; where one of them has predicted the same all the time, by nothing.
template <typename List, typename F>
void Mixture::for_each_reading(List& list, const F& use) const {
    for (std::size_t row = 0; row < list.size() / grid_.stride(); ++row) {
        auto* now = list.data() + (row * grid_.stride());
        const auto* before = now - grid_.stride();
        const bool first_shrinkage = row % grid_.shrinkages == 0;
        for (std::size_t s = 0; s < grid_.sizes; ++s) {
            double expected = 0.0;
            if (s > 0) {
                expected = first_shrinkage ? now[s - 1] : now[s - 1] + (before[s] - before[s - 1]);
            } else if (row > 0) {
                expected = before[s];
            }
            use(now[s], expected);
        }
    }
}

void Mixture::save(core::StateWriter& out) const {
    for (const auto* list : {&bias_, &errors_, &squares_}) {
        bool rounded = true;  // not yet, where the model was loaded from an earlier version's state
        for_each_reading(*list, [&](const double& value, double) {
            rounded = rounded && std::bit_cast<std::uint64_t>(value) % (1U << kernels::kUnusedBits) == 0;
        });
        out.put(static_cast<unsigned char>(rounded));
        const unsigned unused = rounded ? kernels::kUnusedBits : 0;
        for_each_reading(*list, [&](const double& value, double expected) { out.put_near(value, expected, unused); });
    }
    for (const auto* list : {&count_, &drift_rows_, &regret_, &variance_, &share_}) {
        out.put_all(*list);
    }
    out.put_all(rows_);
}

void Mixture::load(core::StateReader& in) {
    for (auto* list : {&bias_, &errors_, &squares_}) {
        if (in.current()) {
            const unsigned unused = in.get_flag() ? kernels::kUnusedBits : 0;
            for_each_reading(*list, [&](double& value, double expected) { value = in.get_near(expected, unused); });
        } else {
            in.get_all(std::span<double>(*list));
        }
    }
    for (auto* list : {&count_, &drift_rows_, &regret_, &variance_, &share_}) {
        in.get_all(*list);
    }
    in.get_all(rows_);
    auto within = [](std::span<const double> list, double least, double most) {
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
    find_columns();
    for (std::size_t k = 0; k < q_; ++k) {
        double sum = 0.0;
        for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
            sum += share_[(k * kDiscounts.size()) + d];
        }
        in.require(std::abs(sum - 1.0) < 1e-9, "the shares of the discounts do not add to 1");
    }
}

void Mixture::continue_sizes(const Mixture& from, std::span<const std::size_t> places) {
    auto copy_cells = [&](const AlignedNumbers& old, AlignedNumbers& list) {
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
    find_columns();
}

}  // namespace sluice::tune
