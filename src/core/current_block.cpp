// current_block.cpp -- the entries of C among the few inputs in use, up to date with every row.
//
// Each row costs n^2 multiplications for n inputs in the block, where columns of C at all p inputs would cost n p. A
// newcomer's entries are those stored in C and the rows that each of them still lacks (packed_matrix.cpp), which are kept
// here at the inputs of the block: in C they are p numbers apart.
#include "current_block.hpp"

#include <algorithm>
#include <cmath>

#include "kernels.hpp"
#include "small_numbers.hpp"

namespace sluice::core {

CurrentBlock::CurrentBlock(const PackedMatrix<double>& C, std::size_t inputs, std::size_t room)
    : stride_(room == 0 ? 0 : column_stride(room)),
      resident_(room == 0 ? 0 : inputs, room),
      members_(room),
      C_(stride_ * room),
      rows_(stride_ * (room == 0 ? 0 : C.pending().groups())),
      row_(stride_),
      zeros_(stride_),
      sum_(stride_),
      lacks_(stride_),
      product_(stride_) {
    places_.reserve(room);
}

std::size_t CurrentBlock::bytes_for(std::size_t groups, std::size_t room) {
    return room == 0 ? 0 : column_stride(room) * (room + groups) * sizeof(double);
}

bool CurrentBlock::take(std::span<const std::size_t> inputs, const PackedMatrix<double>& C) {
    if (!resident_.request(inputs)) {
        return false;
    }
    for (const std::size_t j : inputs) {
        if (!resident_.has(j)) {
            start(j, C);
        }
    }
    return true;
}

bool CurrentBlock::has_all(std::span<const std::size_t> inputs) const {
    return stride_ > 0 && std::ranges::all_of(inputs, [&](std::size_t j) { return resident_.has(j); });
}

void CurrentBlock::start(std::size_t j, const PackedMatrix<double>& C) {
    const PendingRows<double>& pending = C.pending();
    const std::size_t own = resident_.admit(j);
    const Member newcomer{.group = pending.group_of(j), .within = j % pending.group()};
    members_[own] = newcomer;
    for (std::size_t place = 0; place < pending.groups(); ++place) {
        rows_[(place * stride_) + own] = pending.numbers(newcomer.group, place)[newcomer.within];
    }
    const std::size_t count = resident_.count();
    const std::size_t since = pending.since(newcomer.group);
    for (std::size_t place = 0; place < count; ++place) {
        const Member& other = members_[place];
        lacks_[place] = static_cast<double>(std::min(since, pending.since(other.group)));
        sum_[place] = resident_.input(place) > j
                          ? C.stored_in(other.group, other.within, newcomer.group, newcomer.within)
                          : C.stored_in(newcomer.group, newcomer.within, other.group, other.within);
    }
    const kernels::Panels<double> rows{
        .rows = rows_.data(), .groups = pending.groups(), .group = stride_, .turn = pending.turn()};
    kernels::add_lacked(rows, own, since, lacks_.data(), padded(count), sum_.data());
    for (std::size_t place = 0; place < count; ++place) {
        C_[(own * stride_) + place] = sum_[place];
        C_[(place * stride_) + own] = sum_[place];
    }
}

void CurrentBlock::add_row(const double* g, const PackedMatrix<double>& C) {
    if (stride_ == 0) {
        return;
    }
    resident_.next_row();
    const std::size_t count = resident_.count();
    for (std::size_t place = 0; place < count; ++place) {
        row_[place] = g[resident_.input(place)];
    }
    const std::size_t n = padded(count);
    std::fill_n(row_.data() + count, n - count, 0.0);
    std::copy_n(row_.data(), n, rows_.data() + (C.pending().place(0) * stride_));
    kernels::add_outer(row_.data(), zeros_.data(), count, n, stride_, C_.data());
}

void CurrentBlock::scale(double factor) {
    multiply(C_.all(), factor);
    multiply(rows_.all(), std::sqrt(factor));
}

void CurrentBlock::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                               std::span<const std::size_t> inputs, std::span<double> out) const {
    places_.resize(support.size());
    std::ranges::transform(support, places_.begin(), [&](std::size_t j) { return resident_.place(j); });
    kernels::matrix_product(C_.data(), stride_, places_.data(), places_.size(), coefficient.data(), nullptr, 0.0,
                            padded(resident_.count()), product_.data());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        out[i] = product_[resident_.place(inputs[i])];
    }
}

}  // namespace sluice::core
