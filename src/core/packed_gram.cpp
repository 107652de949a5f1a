// packed_gram.cpp -- engine `dense` with more inputs: half of C, in blocks (packed_matrix.cpp).
#include "packed_gram.hpp"

#include <algorithm>
#include <cmath>

#include "history.hpp"
#include "kernels.hpp"
#include "subspace.hpp"

namespace sluice::core {

namespace {

// Small groups make many rows pend: fewer passes over C, but more to do where a column is copied, and larger saved states.
// Measured at 323, 1,000 and 5,000 inputs; up to 300 inputs the size of a state counts (docs/fleet.md).
constexpr std::size_t kLeastGroup = 16;
constexpr std::size_t kMostGroups = 210;
constexpr std::size_t kSmallState = 300;
constexpr std::size_t kNarrow = 512;

constexpr std::size_t kPackedPiece = 512;  // inputs of one piece of a product

std::size_t usual_group(std::size_t inputs) {
    const std::size_t least = inputs > kSmallState && inputs <= kNarrow ? kLanes : kLeastGroup;
    return std::max(least, padded((inputs + kMostGroups - 1) / kMostGroups));
}

}  // namespace

PackedGram::PackedGram(std::size_t inputs, std::size_t in_use, std::size_t in_block)
    : inputs_(inputs),
      C_(inputs, usual_group(inputs), in_use),
      block_(C_, inputs, in_block),
      has_block_(in_block > 0),
      row_(C_.length()),
      column_(C_.length()) {
    pointers_.reserve(in_use);
    if (has_block_) {
        asked_.reserve(inputs);
        scratch_.reserve(inputs);
    }
}

std::size_t PackedGram::bytes_for(std::size_t inputs, std::size_t in_use, std::size_t in_block) {
    return PackedMatrix<double>::bytes_for(inputs, usual_group(inputs), in_use) +
           CurrentBlock::bytes_for(PendingRows<double>::groups_for(inputs, usual_group(inputs)), in_block);
}

void PackedGram::add_row(double weight, Workers& workers) {
    const double root = std::sqrt(weight);
    for (double& g : row_.all()) {
        g *= root;
    }
    C_.add_row(row_.data(), workers);
    block_.add_row(row_.data(), C_);
}

// With several threads columns are copied here, where the threads are at hand.
bool PackedGram::prepare(std::span<const std::size_t> inputs, std::span<const double> /*square*/, Workers& workers) {
    if (has_block_) {
        return block_.take(inputs, C_);
    }
    if (inputs_ >= PackedMatrix<double>::kLeastShared && workers.count() > 1) {
        (void)C_.take_current(inputs, workers);
    }
    return true;
}

// The current copy, or the scratch column.
const double* PackedGram::column_of(std::size_t j, bool current) const {
    if (current) {
        return C_.current(j);
    }
    C_.read_column(j, column_.data());
    return column_.data();
}

void PackedGram::list_columns(std::span<const std::size_t> support) const {
    pointers_.clear();
    for (const std::size_t j : support) {
        pointers_.push_back(C_.current(j));
    }
}

void PackedGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient,
                          std::size_t targets, double* out, std::size_t out_stride, Workers& workers) const {
    if (C_.take_current(support)) {
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
        C_.read_column(support[s], column_.data());
        for (std::size_t m = 0; m < targets; ++m) {
            double* to = out + (m * out_stride);
            const double factor = coefficient[(s * targets) + m];
            std::transform(to, to + inputs_, column_.data(), to,
                           [&](double sum, double c) { return sum + (c * factor); });
        }
    }
}

// Whether the block serves depends on how many inputs these are, not on which it holds: the other way rounds otherwise.
bool PackedGram::take_block(std::span<const std::size_t> support, std::span<const std::size_t> inputs) const {
    if (block_.has_all(support) && block_.has_all(inputs)) {
        return true;
    }
    asked_.assign(inputs.begin(), inputs.end());
    unite(asked_, support, scratch_);
    return block_.take(asked_, C_);
}

void PackedGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                             std::span<const std::size_t> inputs, std::span<double> out) const {
    if (has_block_ && take_block(support, inputs)) {
        block_.multiply_at(support, coefficient, inputs, out);
        return;
    }
    std::fill_n(out.begin(), inputs.size(), 0.0);
    const bool current = C_.take_current(support);
    for (std::size_t s = 0; s < support.size(); ++s) {
        const double* column = column_of(support[s], current);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[i] += column[inputs[i]] * coefficient[s];
        }
    }
}

void PackedGram::multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                  std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const {
    const bool current = C_.take_current(support);
    for (std::size_t s = 0; s < support.size(); ++s) {
        const double* column = column_of(support[s], current);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[(s * out_stride) + i] = column[inputs[i]] * coefficient[s];
        }
    }
}

void PackedGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t n = inputs.size();
    if (block_.has_all(inputs)) {
        for (std::size_t c = 0; c < n; ++c) {
            for (std::size_t i = 0; i < n; ++i) {
                out[(c * n) + i] = block_.entry(inputs[i], inputs[c]);
            }
        }
        return;
    }
    const bool current = n > 1 && C_.take_current(inputs);  // all C_jj are asked for one by one
    for (std::size_t c = 0; c < n; ++c) {
        const double* column = column_of(inputs[c], current);
        for (std::size_t i = 0; i < n; ++i) {  // both sides of the diagonal have the same bits
            out[(c * n) + i] = column[inputs[i]];
        }
    }
}

void PackedGram::scale(double factor) {
    C_.scale(factor);
    block_.scale(factor);
}

void PackedGram::scale_input(std::size_t j, double factor) {
    C_.scale_input(j, factor);
    block_.clear();
}

void PackedGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    C_.complete();
    block_.clear();
    PackedMatrix<double> theirs = dynamic_cast<const PackedGram&>(later).C_;
    theirs.complete();
    for (std::size_t j = 0; j < inputs_; ++j) {
        for (std::size_t i = j; i < inputs_; ++i) {
            C_.entry(i, j) = (factor * C_.stored(i, j)) + theirs.stored(i, j) + (weight * (h[i] * h[j]));
        }
    }
}

void PackedGram::rebuild_from(const History& history, Workers& workers) {
    for (std::size_t t = 0; t < history.length(); ++t) {
        add_row(history.row(t, row_.all()), workers);
    }
}

std::size_t PackedGram::bytes() const {
    return C_.bytes() + block_.bytes();
}

}  // namespace sluice::core
