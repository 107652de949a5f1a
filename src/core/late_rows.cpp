// late_rows.cpp -- the newest rows of the history, row by row.
#include "late_rows.hpp"

#include <algorithm>
#include <cassert>

namespace sluice::core {

LateRows::LateRows(std::size_t inputs)
    : inputs_(inputs), stride_(column_stride(inputs)), rows_(RowList::kMost * stride_), weights_(RowList::kMost, 0.0) {}

std::size_t LateRows::bytes_for(std::size_t inputs) {
    return RowList::kMost * column_stride(inputs) * sizeof(double);
}

void LateRows::add(const RowBuffer& rows, std::uint64_t archived) {
    for (std::size_t b = 0; b < RowBuffer::kMost; ++b) {
        const std::size_t slot = ((archived * RowBuffer::kMost) + b) % RowList::kMost;
        std::copy_n(rows.row(b), inputs_, rows_.data() + (slot * stride_));
        weights_[slot] = rows.weight(b);
    }
}

RowList LateRows::newest(std::size_t count, std::uint64_t archived) const {
    assert(count <= RowList::kMost);
    RowList list;
    list.count = count;
    for (std::size_t b = 0; b < count; ++b) {
        const std::size_t slot = ((archived * RowBuffer::kMost) - count + b) % RowList::kMost;
        list.rows[b] = rows_.data() + (slot * stride_);
        list.weights[b] = weights_[slot];
    }
    return list;
}

void LateRows::scale_weights(double factor) {
    for (double& weight : weights_) {
        weight *= factor;
    }
}

void LateRows::scale_input(std::size_t j, double factor) {
    for (std::size_t slot = 0; slot < weights_.size(); ++slot) {
        rows_[(slot * stride_) + j] *= factor;
    }
}

}  // namespace sluice::core
