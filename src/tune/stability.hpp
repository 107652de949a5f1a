// stability.hpp -- for each input the discounted share of rows in which it was selected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "state.hpp"

namespace sluice::tune {

class Stability {
  public:
    explicit Stability(std::size_t inputs) : count_(inputs, 0.0) {}

    void add(std::span<const std::size_t> selected) {
        constexpr double kDiscount = 0.99;
        unit_ /= kDiscount;  // a row weighs more than those before it: the others need no update
        total_ += unit_;
        for (const std::size_t j : selected) {
            count_[j] += unit_;
        }
        if (unit_ > kMost) {
            for (double& count : count_) {
                count /= unit_;
            }
            total_ /= unit_;
            unit_ = 1.0;
        }
    }

    [[nodiscard]] std::vector<double> shares() const {
        std::vector<double> shares(count_.size(), 0.0);
        for (std::size_t j = 0; j < count_.size() && total_ > 0.0; ++j) {
            shares[j] = count_[j] / total_;
        }
        return shares;
    }

    void save(core::StateWriter& out) const {
        out.put(unit_);
        out.put(total_);
        for (const double count : count_) {
            out.put_near(count, 0.0);  // most are
        }
    }
    void load(core::StateReader& in) {
        in.get(unit_);
        in.get(total_);
        for (double& count : std::span(count_).first(in.stored_inputs(count_.size()))) {
            count = in.get_near(0.0);
        }
        in.require(unit_ >= 1.0 && unit_ <= kMost && total_ >= 0.0 && total_ <= 101.0 * unit_,
                   "the weight of its selection shares is out of range");
        in.require(std::ranges::all_of(count_, [&](double count) { return count >= 0.0 && count <= total_; }),
                   "a selection share is negative or above 1");
    }

  private:
    static constexpr double kMost = 1e100;  // of unit_

    double unit_ = 1.0;
    double total_ = 0.0;
    std::vector<double> count_;
};

}  // namespace sluice::tune
