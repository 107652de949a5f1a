// packed_gram.cpp -- engine `dense` with more inputs: half of C in blocks; each row brings one group of inputs up to date.
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
//
// Copies of the columns in use are kept up to date with every row (current_columns.hpp): products and blocks read these.
#include "packed_gram.hpp"

#include <algorithm>
#include <cmath>

#include "history.hpp"
#include "kernels.hpp"
#include "small_numbers.hpp"

namespace sluice::core {

namespace {

// Small groups make many rows pend: fewer passes over C, but more to do where a column is copied, and larger saved states.
// Measured at 323, 1,000 and 5,000 inputs; up to 300 inputs the size of a state counts (docs/fleet.md).
constexpr std::size_t kLeastGroup = 16;
constexpr std::size_t kMostGroups = 210;
constexpr std::size_t kSmallState = 300;
constexpr std::size_t kNarrow = 512;

constexpr std::size_t kLeastShared = 1024;  // inputs from which threads share the update
constexpr std::size_t kPackedPiece = 512;   // inputs of one piece of a product

std::size_t usual_group(std::size_t inputs) {
    const std::size_t least = inputs > kSmallState && inputs <= kNarrow ? kLanes : kLeastGroup;
    return std::max(least, padded((inputs + kMostGroups - 1) / kMostGroups));
}

// Numbers of all groups, the last of which may be filled in part.
std::size_t whole_groups(std::size_t inputs, std::size_t group) {
    return PendingRows::groups_for(inputs, group) * group;
}

std::size_t blocks_for(std::size_t groups) {
    return groups * (groups + 1) / 2;
}

}  // namespace

PackedGram::PackedGram(std::size_t inputs, std::size_t in_use)
    : inputs_(inputs),
      pending_(inputs, usual_group(inputs)),
      C_(blocks_for(pending_.groups()) * pending_.group() * pending_.group()),
      row_(padded(inputs)),
      current_(inputs, whole_groups(inputs, pending_.group()), in_use),
      column_(whole_groups(inputs, pending_.group())) {
    pointers_.reserve(in_use);
    factors_.reserve(std::max(pending_.groups(), in_use));
}

std::size_t PackedGram::bytes_for(std::size_t inputs, std::size_t in_use) {
    const std::size_t group = usual_group(inputs);
    const std::size_t groups = PendingRows::groups_for(inputs, group);
    return ((blocks_for(groups) * group * group) + (groups * groups * group)) * sizeof(double) +
           CurrentColumns::bytes_for(whole_groups(inputs, group), in_use);
}

// Of the block of groups I >= J.
std::size_t PackedGram::place_of(std::size_t I, std::size_t J) const {
    return (blocks_for(I) + J) * pending_.group() * pending_.group();
}

double& PackedGram::stored(std::size_t i, std::size_t j) {
    const std::size_t g = pending_.group();
    const std::size_t most = std::max(i, j);
    const std::size_t least = std::min(i, j);
    return C_[place_of(most / g, least / g) + (least % g * g) + (most % g)];
}

double PackedGram::stored(std::size_t i, std::size_t j) const {
    return const_cast<PackedGram*>(this)->stored(i, j);
}

void PackedGram::add_row(double weight, Workers& workers) {
    const double root = std::sqrt(weight);
    for (double& g : row_.all()) {
        g *= root;
    }
    update_group(pending_.push(row_.data()), workers);
    current_.add_row(row_.data(), workers);
}

// The row was added to those that pend: group J lacks them all, group I those since its turn.
void PackedGram::update_group(std::size_t J, Workers& workers) {
    const std::size_t K = pending_.groups();
    const auto block = [&](std::size_t I) { return C_.data() + place_of(std::max(I, J), std::min(I, J)); };
    const auto update = [&](std::size_t I) {
        const std::size_t count = I == J ? K : pending_.since(I);
        kernels::add_to_block(pending_.newest(count, std::max(I, J), std::min(I, J)), pending_.group(), block(I),
                              block(I + 1 == K ? I : I + 1));
    };
    if (inputs_ < kLeastShared || workers.count() == 1) {
        for (std::size_t I = 0; I < K; ++I) {
            update(I);
        }
        return;
    }
    // From both ends in turn, beginning at J: consecutive pieces then have about the same number of rows in sum.
    workers.share(K, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
            const std::size_t age = piece % 2 == 0 ? piece / 2 : K - 1 - (piece / 2);
            update((J + age) % K);
        }
    });
}

// Column j of C as of the newest row.
void PackedGram::read_column(std::size_t j, double* to) const {
    Workers alone(1);
    read_column(j, to, alone);
}

void PackedGram::read_column(std::size_t j, double* to, Workers& workers) const {
    const std::size_t J = pending_.group_of(j);
    factors_.resize(pending_.groups());
    for (std::size_t place = 0; place < pending_.groups(); ++place) {
        factors_[place] = pending_.numbers(J, place)[j % pending_.group()];
    }
    const std::size_t pieces = inputs_ < kLeastShared ? 1 : pending_.groups();
    workers.share(pieces, [&](std::size_t /*worker*/, std::size_t first, std::size_t last) {
        read_groups(j, first, last == pieces ? pending_.groups() : last, to);
    });
}

// The entries of the groups first .. last; factors_: input j in each row.
void PackedGram::read_groups(std::size_t j, std::size_t first, std::size_t last, double* to) const {
    const std::size_t g = pending_.group();
    const std::size_t J = pending_.group_of(j);
    for (std::size_t I = first; I < std::min(last, J); ++I) {  // row j of the blocks before the diagonal
        const double* from = C_.data() + place_of(J, I) + (j % g);
        for (std::size_t i = 0; i < g; ++i) {
            to[(I * g) + i] = from[i * g];
        }
    }
    for (std::size_t i = 0; i < g && first <= J && J < last; ++i) {  // of the block on it the lower half
        to[(J * g) + i] = stored((J * g) + i, j);
    }
    for (std::size_t I = std::max(first, J + 1); I < last; ++I) {
        copy_group(C_.data() + place_of(I, J) + (j % g * g), g, to + (I * g));
    }
    kernels::add_pending(pending_.panels(), factors_.data(), pending_.since(J), first, last, to);
}

// Whether there is a current copy of each column of the support; starts those that are missing.
bool PackedGram::take_current(std::span<const std::size_t> support) const {
    Workers alone(1);
    return take_current(support, alone);
}

bool PackedGram::take_current(std::span<const std::size_t> support, Workers& workers) const {
    if (!current_.request(support)) {
        return false;
    }
    for (const std::size_t j : support) {
        if (!current_.has(j)) {
            read_column(j, current_.start(j), workers);
        }
    }
    return true;
}

// With several threads columns are copied here, where the threads are at hand.
bool PackedGram::prepare(std::span<const std::size_t> inputs, std::span<const double> /*square*/, Workers& workers) {
    if (inputs_ >= kLeastShared && workers.count() > 1) {
        (void)take_current(inputs, workers);
    }
    return true;
}

// The current copy, or the scratch column.
const double* PackedGram::column_of(std::size_t j, bool current) const {
    if (current) {
        return current_.column(j);
    }
    read_column(j, column_.data());
    return column_.data();
}

void PackedGram::list_columns(std::span<const std::size_t> support) const {
    pointers_.clear();
    for (const std::size_t j : support) {
        pointers_.push_back(current_.column(j));
    }
}

void PackedGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::size_t targets, double* out, std::size_t out_stride, Workers& workers) const {
    if (take_current(support)) {
        list_columns(support);
        workers.share((padded(inputs_) + kPackedPiece - 1) / kPackedPiece, [&](std::size_t /*worker*/, std::size_t from,
                                                                               std::size_t to) {
            kernels::columns_product(pointers_.data(), support.size(), coefficient.data(), targets, from * kPackedPiece,
                                     std::min(to * kPackedPiece, padded(inputs_)), out, out_stride);
        });
        return;
    }
    for (std::size_t m = 0; m < targets; ++m) {
        std::fill_n(out + (m * out_stride), padded(inputs_), 0.0);
    }
    for (std::size_t s = 0; s < support.size(); ++s) {
        read_column(support[s], column_.data());
        for (std::size_t m = 0; m < targets; ++m) {
            double* to = out + (m * out_stride);
            const double factor = coefficient[(s * targets) + m];
            std::transform(to, to + inputs_, column_.data(), to,
                           [&](double sum, double c) { return sum + (c * factor); });
        }
    }
}

void PackedGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                             std::span<const std::size_t> inputs, std::span<double> out) const {
    std::fill_n(out.begin(), inputs.size(), 0.0);
    const bool current = take_current(support);
    for (std::size_t s = 0; s < support.size(); ++s) {
        const double* column = column_of(support[s], current);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[i] += column[inputs[i]] * coefficient[s];
        }
    }
}

void PackedGram::multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                  std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const {
    const bool current = take_current(support);
    for (std::size_t s = 0; s < support.size(); ++s) {
        const double* column = column_of(support[s], current);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[(s * out_stride) + i] = column[inputs[i]] * coefficient[s];
        }
    }
}

void PackedGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t n = inputs.size();
    const bool current = n > 1 && take_current(inputs);  // all C_jj are asked for one by one
    for (std::size_t c = 0; c < n; ++c) {
        const double* column = column_of(inputs[c], current);
        for (std::size_t i = 0; i < n; ++i) {  // both sides of the diagonal have the same bits
            out[(c * n) + i] = column[inputs[i]];
        }
    }
}

void PackedGram::scale(double factor) {
    core::multiply(C_.all(), factor);
    pending_.scale(std::sqrt(factor));
    current_.clear();
}

void PackedGram::scale_input(std::size_t j, double factor) {
    for (std::size_t i = 0; i < inputs_; ++i) {
        stored(i, j) *= factor;
    }
    stored(j, j) *= factor;
    pending_.scale_input(j, factor);
    current_.clear();
}

// Adds to C the rows that it lacks.
void PackedGram::complete() {
    for (std::size_t I = 0; I < pending_.groups(); ++I) {
        for (std::size_t J = 0; J <= I; ++J) {
            const std::size_t count = std::min(pending_.since(I), pending_.since(J));
            double* block = C_.data() + place_of(I, J);
            kernels::add_to_block(pending_.newest(count, I, J), pending_.group(), block, block);
        }
    }
    pending_.clear();
    current_.clear();
}

void PackedGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    complete();
    auto theirs = dynamic_cast<const PackedGram&>(later);
    theirs.complete();
    for (std::size_t j = 0; j < inputs_; ++j) {
        for (std::size_t i = j; i < inputs_; ++i) {
            stored(i, j) = (factor * stored(i, j)) + theirs.stored(i, j) + (weight * (h[i] * h[j]));
        }
    }
}

void PackedGram::rebuild_from(const History& history, Workers& workers) {
    for (std::size_t j = 0; j < inputs_; ++j) {
        const double one = 1.0;
        history.multiply({&j, 1}, {&one, 1}, 1, column_.data(), column_.size(), workers);
        for (std::size_t i = j; i < inputs_; ++i) {
            stored(i, j) = column_[i];
        }
    }
    pending_.clear();
    current_.clear();
}

std::size_t PackedGram::bytes() const {
    return C_.bytes() + pending_.bytes() + current_.bytes();
}

}  // namespace sluice::core
