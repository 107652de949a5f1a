// packed_matrix.cpp -- second moments of all pairs of inputs: half of C in blocks; each row brings one group of inputs up to
// date.
//
//     C_ij = stored_ij + sum_{b < min(l_i, l_j)} g_bi g_bj
//
//   code      meaning
//   g_b       sqrt(weight) h of the row of age b, 0 the newest: what eq. (15) adds to C is g'g
//   groups    K: the inputs are in K groups of consecutive ones; row t is the turn of group t mod K
//   l_i       rows since the last turn of the group of i, 0 to K - 1: what its columns lack
//
// At the turn of group J, C_IJ gains the rows since the turn of I, for every I: on average K / 2 rows at once, p^2 / 2
// multiplications a row, and half of C is read and written twice in K rows. Every row costs the same, and which rows are
// stored where follows from the number of rows alone.
// A factor of all of C reaches the blocks of a group at its next turn; until then what is read of them is multiplied.
//
// Copies of the columns in use are kept up to date with every row (current_columns.hpp): products and blocks read these.
#include "packed_matrix.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels.hpp"

namespace sluice::core {

namespace {

std::size_t blocks_for(std::size_t groups) {
    return groups * (groups + 1) / 2;
}

}  // namespace

template <typename Number>
PackedMatrix<Number>::PackedMatrix(std::size_t inputs, std::size_t group, std::size_t in_use)
    : inputs_(inputs),
      pending_(inputs, group),
      rows_in_scale_(pending_.groups()),
      C_(blocks_for(pending_.groups()) * group * group),
      current_(inputs, length(), in_use) {
    factors_.reserve(pending_.groups());
}

template <typename Number>
std::size_t PackedMatrix<Number>::bytes_for(std::size_t inputs, std::size_t group, std::size_t in_use) {
    const std::size_t groups = PendingRows<Number>::groups_for(inputs, group);
    return ((blocks_for(groups) * group * group) + (groups * groups * group)) * sizeof(Number) +
           CurrentColumns<Number>::bytes_for(groups * group, in_use);
}

// Of the block of groups I >= J.
template <typename Number>
std::size_t PackedMatrix<Number>::place_of(std::size_t I, std::size_t J) const {
    return kernels::block_place(I, J, pending_.group());
}

template <typename Number>
std::size_t PackedMatrix<Number>::place_in(std::size_t i, std::size_t j) const {
    const std::size_t g = pending_.group();
    const std::size_t most = std::max(i, j);
    const std::size_t least = std::min(i, j);
    return place_of(most / g, least / g) + (least % g * g) + (most % g);
}

template <typename Number>
Number& PackedMatrix<Number>::entry(std::size_t i, std::size_t j) {
    assert(rows_in_scale_ == pending_.groups());
    return C_[place_in(i, j)];
}

template <typename Number>
Number PackedMatrix<Number>::stored(std::size_t i, std::size_t j) const {
    return in_scale(C_[place_in(i, j)], lacks_factor(pending_.group_of(i), pending_.group_of(j)));
}

template <typename Number>
void PackedMatrix<Number>::multiply_block(std::size_t I, std::size_t J) {
    const std::size_t size = pending_.group() * pending_.group();
    multiply(C_.all().subspan(place_of(std::max(I, J), std::min(I, J)), size), factor_);
}

template <typename Number>
void PackedMatrix<Number>::add_row(const Number* g, Workers& workers) {
    update_group(pending_.push(g), workers);
    current_.add_row(g, workers);
}

// The row was added to those that pend: group J lacks them all, group I those since its turn.
template <typename Number>
void PackedMatrix<Number>::update_group(std::size_t J, Workers& workers) {
    const std::size_t K = pending_.groups();
    if (rows_in_scale_ < K) {
        for (std::size_t I = 0; I < K; ++I) {
            if (I == J || pending_.since(I) > rows_in_scale_) {  // no turn between then and now
                multiply_block(I, J);
            }
        }
        ++rows_in_scale_;
    }
    if (inputs_ < kLeastShared || workers.count() == 1) {
        kernels::add_turn(pending_.panels(), J, 0, K, C_.data());
        return;
    }
    // Runs of groups are dealt out to the threads in turn. The number of rows that a group lacks falls from one group to the
    // next, so that each thread has about the same number in sum; and the rows of a group are always read by the same core,
    // whose cache holds its share of them. Within a run the next block is fetched ahead.
    constexpr std::size_t kRun = 8;
    workers.share(workers.count(), [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        for (std::size_t own = from; own < to; ++own) {
            for (std::size_t first = own * kRun; first < K; first += workers.count() * kRun) {
                kernels::add_turn(pending_.panels(), J, first, std::min(first + kRun, K), C_.data());
            }
        }
    });
}

template <typename Number>
void PackedMatrix<Number>::read_column(std::size_t j, Number* to) const {
    Workers alone(1);
    read_column(j, to, alone);
}

template <typename Number>
void PackedMatrix<Number>::read_column(std::size_t j, Number* to, Workers& workers) const {
    const std::size_t J = pending_.group_of(j);
    factors_.resize(pending_.groups());
    for (std::size_t place = 0; place < pending_.groups(); ++place) {
        factors_[place] = pending_.numbers(J, place)[j % pending_.group()];
    }
    if (inputs_ < kLeastShared || workers.count() == 1) {
        read_groups(j, 0, pending_.groups(), to);
        return;
    }
    // Where C_ij is read along a row of the blocks, each number is in another cache line: such a group takes 5 / 2 of the time.
    constexpr std::size_t kAlongRow = 5;
    constexpr std::size_t kAlongColumn = 2;
    const auto place_at = [&](std::size_t time) {
        return time < kAlongRow * J ? time / kAlongRow : J + ((time - (kAlongRow * J)) / kAlongColumn);
    };
    const std::size_t time = (kAlongRow * J) + (kAlongColumn * (pending_.groups() - J));
    workers.share(time, [&](std::size_t /*worker*/, std::size_t from, std::size_t to_time) {
        read_groups(j, place_at(from), place_at(to_time), to);
    });
}

// The entries of the groups first .. last; factors_: input j in each row.
template <typename Number>
void PackedMatrix<Number>::read_groups(std::size_t j, std::size_t first, std::size_t last, Number* to) const {
    const std::size_t g = pending_.group();
    const std::size_t J = pending_.group_of(j);
    // Each number of row j is in a cache line of its own, and each block in pages of its own: without being asked the
    // processor fetches none of them ahead.
    constexpr std::size_t kAhead = 2;  // blocks
    const std::size_t before = std::min(last, J);
    const auto bring_in_scale = [&](std::size_t I) {
        if (lacks_factor(I, J)) {
            multiply(std::span(to + (I * g), g), factor_);
        }
    };
    for (std::size_t I = first; I < before; ++I) {  // row j of the blocks before the diagonal
        const Number* from = C_.data() + place_of(J, I) + (j % g);
        const Number* ahead = C_.data() + place_of(J, std::min(I + kAhead, J)) + (j % g);
        for (std::size_t i = 0; i < g; ++i) {
            __builtin_prefetch(ahead + (i * g));
            to[(I * g) + i] = from[i * g];
        }
        bring_in_scale(I);
    }
    for (std::size_t i = 0; i < g && first <= J && J < last; ++i) {  // of the block on it the lower half
        to[(J * g) + i] = stored((J * g) + i, j);
    }
    for (std::size_t I = std::max(first, J + 1); I < last; ++I) {
        const Number* ahead = C_.data() + place_of(std::min(I + (4 * kAhead), pending_.groups() - 1), J) + (j % g * g);
        for (std::size_t i = 0; i < g; i += kCacheLine / sizeof(Number)) {
            __builtin_prefetch(ahead + i);
        }
        copy_group(C_.data() + place_of(I, J) + (j % g * g), g, to + (I * g));
        bring_in_scale(I);
    }
    kernels::add_pending(pending_.panels(), factors_.data(), pending_.since(J), first, last, to);
}

template <typename Number>
bool PackedMatrix<Number>::take_current(std::span<const std::size_t> columns) const {
    Workers alone(1);
    return take_current(columns, alone);
}

template <typename Number>
bool PackedMatrix<Number>::take_current(std::span<const std::size_t> columns, Workers& workers) const {
    if (!current_.request(columns)) {
        return false;
    }
    for (const std::size_t j : columns) {
        if (!current_.has(j)) {
            read_column(j, current_.start(j), workers);
        }
    }
    return true;
}

template <typename Number>
void PackedMatrix<Number>::scale(double factor) {
    multiply_late_blocks();
    factor_ = static_cast<Number>(factor);
    rows_in_scale_ = 0;
    pending_.scale(static_cast<Number>(std::sqrt(factor)));
    current_.scale(factor_);
}

// Before another factor comes, or C is changed as a whole.
template <typename Number>
void PackedMatrix<Number>::multiply_late_blocks() {
    for (std::size_t I = 0; I < pending_.groups() && rows_in_scale_ < pending_.groups(); ++I) {
        for (std::size_t J = 0; J <= I; ++J) {
            if (lacks_factor(I, J)) {
                multiply_block(I, J);
            }
        }
    }
    rows_in_scale_ = pending_.groups();
}

template <typename Number>
void PackedMatrix<Number>::scale_input(std::size_t j, Number factor) {
    for (std::size_t i = 0; i < inputs_; ++i) {
        C_[place_in(i, j)] *= factor;
    }
    C_[place_in(j, j)] *= factor;
    pending_.scale_input(j, factor);
    current_.clear();
}

template <typename Number>
void PackedMatrix<Number>::complete() {
    multiply_late_blocks();
    for (std::size_t I = 0; I < pending_.groups(); ++I) {
        for (std::size_t J = 0; J <= I; ++J) {
            const std::size_t count = std::min(pending_.since(I), pending_.since(J));
            Number* block = C_.data() + place_of(I, J);
            kernels::add_to_block(pending_.newest(count, I, J), pending_.group(), block, block);
        }
    }
    clear_rows();
}

template <typename Number>
void PackedMatrix<Number>::clear_rows() {
    pending_.clear();
    current_.clear();
    rows_in_scale_ = pending_.groups();
}

template class PackedMatrix<double>;
template class PackedMatrix<float>;

}  // namespace sluice::core
