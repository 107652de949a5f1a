// pending_rows.cpp -- the last rows, group of inputs by group, for columns that get them later.
#include "pending_rows.hpp"

#include <algorithm>
#include <cassert>

#include "small_numbers.hpp"

namespace sluice::core {

PendingRows::PendingRows(std::size_t inputs, std::size_t group)
    : inputs_(inputs), group_(group), groups_(groups_for(inputs, group)), rows_(groups_ * groups_ * group_) {
    assert(group > 0 && group % kLanes == 0);
}

std::size_t PendingRows::groups_for(std::size_t inputs, std::size_t group) {
    return std::max<std::size_t>((inputs + group - 1) / group, 1);
}

std::size_t PendingRows::push(const double* row) {
    const std::size_t J = turn_;
    const std::size_t last = groups_ - 1;
    for (std::size_t I = 0; I < last; ++I) {
        copy_group(row + (I * group_), group_, numbers(I, J));
    }
    copy_group(row + (last * group_), padded(inputs_) - (last * group_), numbers(last, J));
    turn_ = J + 1 == groups_ ? 0 : J + 1;
    return J;
}

kernels::PanelRows PendingRows::newest(std::size_t count, std::size_t I, std::size_t J) const {
    assert(count <= groups_);
    const std::size_t end = turn_ == 0 ? groups_ : turn_;  // after the newest row
    const std::size_t newer = std::min(count, end);
    const std::size_t older = count - newer;  // at the end of the ring
    return {.older = older,
            .older_i = numbers(I, groups_ - older),
            .older_j = numbers(J, groups_ - older),
            .newer = newer,
            .newer_i = numbers(I, end - newer),
            .newer_j = numbers(J, end - newer)};
}

kernels::Panels PendingRows::panels() const {
    return {.rows = rows_.data(), .groups = groups_, .group = group_, .turn = turn_};
}

double PendingRows::at(std::size_t age, std::size_t j) const {
    return numbers(group_of(j), place(age))[j % group_];
}

void PendingRows::scale(double factor) {
    multiply(rows_.all(), factor);
}

void PendingRows::scale_input(std::size_t j, double factor) {
    for (std::size_t place = 0; place < groups_; ++place) {
        numbers(group_of(j), place)[j % group_] *= factor;
    }
}

void PendingRows::clear() {
    std::ranges::fill(rows_.all(), 0.0);
}

}  // namespace sluice::core
