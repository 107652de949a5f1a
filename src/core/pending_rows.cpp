// pending_rows.cpp -- the last rows, group of inputs by group, for columns that get them later.
#include "pending_rows.hpp"

#include <algorithm>
#include <cassert>

#include "small_numbers.hpp"

namespace sluice::core {

template <typename Number>
PendingRows<Number>::PendingRows(std::size_t inputs, std::size_t group)
    : group_(group), groups_(groups_for(inputs, group)), rows_(groups_ * groups_ * group_) {
    assert(group > 0 && group * sizeof(Number) % kCacheLine == 0);
}

template <typename Number>
std::size_t PendingRows<Number>::groups_for(std::size_t inputs, std::size_t group) {
    return std::max<std::size_t>((inputs + group - 1) / group, 1);
}

template <typename Number>
std::size_t PendingRows<Number>::push(const Number* row) {
    const std::size_t J = turn_;
    for (std::size_t I = 0; I < groups_; ++I) {
        copy_group(row + (I * group_), group_, numbers(I, J));
    }
    turn_ = J + 1 == groups_ ? 0 : J + 1;
    return J;
}

template <typename Number>
kernels::PanelRows<Number> PendingRows<Number>::newest(std::size_t count, std::size_t I, std::size_t J) const {
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

template <typename Number>
kernels::Panels<Number> PendingRows<Number>::panels() const {
    return {.rows = rows_.data(), .groups = groups_, .group = group_, .turn = turn_};
}

template <typename Number>
Number PendingRows<Number>::at(std::size_t age, std::size_t j) const {
    return numbers(group_of(j), place(age))[j % group_];
}

template <typename Number>
void PendingRows<Number>::scale(Number factor) {
    multiply(rows_.all(), factor);
}

template <typename Number>
void PendingRows<Number>::scale_input(std::size_t j, Number factor) {
    for (std::size_t place = 0; place < groups_; ++place) {
        numbers(group_of(j), place)[j % group_] *= factor;
    }
}

template <typename Number>
void PendingRows<Number>::clear() {
    std::ranges::fill(rows_.all(), Number{0});
}

template class PendingRows<double>;
template class PendingRows<float>;

}  // namespace sluice::core
