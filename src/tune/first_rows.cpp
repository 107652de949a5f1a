#include "first_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "far_outside.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFirstLook = kFewestJudging + 1;  // rows after which a label without gaps is judged
constexpr std::size_t kLastLook = kFewestKnown + 1U;    // and one with gaps, and the inputs

}  // namespace

bool FirstRows::add(std::span<const double> x, std::span<const double> y) {
    if (over_) {
        return false;
    }
    values_.reserve(kLastLook * width());
    values_.insert(values_.end(), x.begin(), x.end());
    values_.insert(values_.end(), y.begin(), y.end());
    ++rows_;
    const bool first_look = rows_ == kFirstLook;
    const bool last_look = rows_ == kLastLook;
    bool any = (first_look || last_look) && remove_wrong_labels();
    any = (last_look && remove_wrong_inputs()) || any;
    if (last_look && !any) {
        end();
    }
    return any;
}

void FirstRows::end() {
    over_ = true;
    rows_ = 0;
    values_ = {};
}

// The row of a column's wrong value. The range without the smallest value, and that without the largest, need the second ones.
std::size_t FirstRows::wrong_row(std::size_t column, double reach) const {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double second_low = low;
    double second_high = high;
    std::size_t lowest = kNone;
    std::size_t highest = kNone;
    std::size_t known = 0;
    const std::size_t newest = rows_ - 1;
    for (std::size_t row = 0; row < rows_; ++row) {
        const double value = values_[(row * width()) + column];
        if (std::isnan(value)) {
            continue;
        }
        ++known;
        if (value < low) {
            second_low = low;
            low = value;
            lowest = row;
        } else {
            second_low = std::min(second_low, value);
        }
        if (value > high) {
            second_high = high;
            high = value;
            highest = row;
        } else {
            second_high = std::max(second_high, value);
        }
    }
    if (known <= kFewestJudging) {
        return kNone;
    }
    if (highest != newest && far_outside(high, low, second_high, reach)) {
        return highest;
    }
    if (lowest != newest && far_outside(low, second_low, high, reach)) {
        return lowest;
    }
    return kNone;
}

bool FirstRows::remove_wrong_labels() {
    bool any = false;
    for (std::size_t column = p_; column < width(); ++column) {
        if (const std::size_t row = wrong_row(column, kFirstReach); row != kNone) {
            values_[(row * width()) + column] = kNotKnown;
            any = true;
        }
    }
    return any;
}

// Sensors fail one by one: many inputs of one row are a change of what they measure.
bool FirstRows::remove_wrong_inputs() {
    std::vector<std::size_t> wrong(p_);
    std::vector<std::size_t> in_row(rows_, 0);
    for (std::size_t column = 0; column < p_; ++column) {
        wrong[column] = wrong_row(column, kFarthest);
        if (wrong[column] != kNone) {
            ++in_row[wrong[column]];
        }
    }
    bool any = false;
    for (std::size_t column = 0; column < p_; ++column) {
        if (wrong[column] != kNone && in_row[wrong[column]] <= kFewFail + (p_ / kManyShare)) {
            values_[(wrong[column] * width()) + column] = kNotKnown;
            any = true;
        }
    }
    return any;
}

void FirstRows::save(core::StateWriter& out) const {
    out.put(static_cast<unsigned char>(over_));
    out.put(static_cast<std::uint64_t>(rows_));
    out.put_raw(values_);
}

void FirstRows::load(core::StateReader& in) {
    over_ = in.get_flag();
    std::uint64_t rows = 0;
    in.get(rows);
    const std::size_t stored = in.stored_inputs(p_);
    in.require(rows < kLastLook && (rows == 0 || !over_) && rows <= in.left() / sizeof(double) / (stored + q_),
               "it keeps more of the first rows than there are");
    rows_ = static_cast<std::size_t>(rows);
    values_.assign(rows_ * width(), kNotKnown);
    for (std::size_t row = 0; row < rows_; ++row) {
        in.get_raw(std::span(values_).subspan(row * width(), stored));
        in.get_raw(std::span(values_).subspan((row * width()) + p_, q_));
    }
}

}  // namespace sluice::tune
