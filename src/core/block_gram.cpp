// block_gram.cpp -- engine `screened`: the small block of C that the screen leaves to be known.
//
// Per row: the row at the resident inputs is gathered and added, n^2 multiplications for n residents. A newcomer costs
// one dot product with the history for each resident.
#include "block_gram.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

BlockGram::BlockGram(std::size_t inputs, std::size_t room, std::optional<History> history)
    : inputs_(inputs),
      resident_(inputs, room),
      stride_(column_stride(room)),
      C_(room * stride_),
      history_(std::move(history)),
      gathered_(stride_),
      series_(history_ ? history_->room() : 0),
      spread_(stride_) {
    if (!history_) {
        last_.emplace(inputs, 1);
    }
}

std::size_t BlockGram::bytes_for(std::size_t inputs, std::size_t room) {
    return (room * column_stride(room) * sizeof(double)) + (inputs * sizeof(std::uint32_t));
}

double* BlockGram::row() {
    return recent().next();
}

void BlockGram::take(double weight, Workers& /*workers*/) {
    const double root = std::sqrt(weight);
    const double* h = recent().next();
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        gathered_[place] = root * h[resident_.input(place)];
    }
    kernels::add_outer(gathered_.data(), resident_.count(), padded(resident_.count()), stride_, C_.data());
    if (history_) {
        history_->recent().push(weight);
        if (history_->recent().full()) {
            history_->archive();
        }
    }
}

bool BlockGram::prepare(std::span<const std::size_t> inputs, std::span<const double> square, Workers& /*workers*/) {
    if (!resident_.ask(inputs)) {
        return false;
    }
    for (const std::size_t input : inputs) {
        if (!resident_.has(input)) {
            enter(input, square[input]);
        }
    }
    return true;
}

// The newcomer's row and column of the block: from the history, or from now on.
void BlockGram::enter(std::size_t input, double square) {
    const std::size_t place = resident_.admit(input);
    double* own = column(place);
    std::fill(own, own + stride_, 0.0);
    gathered_[place] = 0.0;  // places beyond the residents stay zero
    if (!history_) {
        for (std::size_t other = 0; other < resident_.count(); ++other) {
            column(other)[place] = 0.0;
        }
        own[place] = square;
        return;
    }
    history_->ring_series(input, series_);
    const RecentRows& rows = history_->recent();
    for (std::size_t other = 0; other < resident_.count(); ++other) {
        double sum = history_->ring_dot(resident_.input(other), series_);
        for (std::size_t b = 0; b < rows.count(); ++b) {
            sum += rows.weight(b) * rows.row(b)[resident_.input(other)] * rows.row(b)[input];
        }
        own[other] = sum;
        column(other)[place] = sum;
    }
}

void BlockGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, std::span<double> out) const {
    for (std::size_t s = 0; s < support.size(); ++s) {
        spread_[resident_.place(support[s])] = coefficient[s];
    }
    const std::size_t n = resident_.count();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        out[i] = kernels::dot(column(resident_.place(inputs[i])), spread_.data(), n);
    }
    for (const std::size_t j : support) {
        spread_[resident_.place(j)] = 0.0;
    }
}

void BlockGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t n = inputs.size();
    for (std::size_t c = 0; c < n; ++c) {
        const double* own = column(resident_.place(inputs[c]));
        for (std::size_t i = 0; i < n; ++i) {
            out[(c * n) + i] = own[resident_.place(inputs[i])];
        }
    }
}

void BlockGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient,
                         std::size_t targets, double* out, std::size_t out_stride, Workers& workers) const {
    if (history_) {
        history_->multiply(support, coefficient, targets, out, out_stride, workers);
        return;
    }
    for (std::size_t m = 0; m < targets; ++m) {  // what has not entered the block counts as unrelated
        double* to = out + (m * out_stride);
        std::fill(to, to + inputs_, 0.0);
        for (std::size_t place = 0; place < resident_.count(); ++place) {
            double sum = 0.0;
            for (std::size_t s = 0; s < support.size(); ++s) {
                sum += column(place)[resident_.place(support[s])] * coefficient[(s * targets) + m];
            }
            to[resident_.input(place)] = sum;
        }
    }
}

void BlockGram::scale(double factor) {
    for (double& v : C_.all()) {
        v *= factor;
    }
    if (history_) {
        history_->scale_weights(factor);
    }
}

void BlockGram::scale_input(std::size_t j, double factor) {
    if (resident_.has(j)) {
        const std::size_t place = resident_.place(j);
        for (std::size_t other = 0; other < resident_.count(); ++other) {
            column(place)[other] *= factor;
            column(other)[place] *= factor;
        }
    }
    if (history_) {
        history_->scale_input(j, factor);
    }
}

void BlockGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    if (history_) {  // the block comes anew from the history
        history_->append(*later.history(), factor, h, weight);
        resident_.clear();
        return;
    }
    const auto& theirs = dynamic_cast<const BlockGram&>(later);
    for (std::size_t a = 0; a < resident_.count(); ++a) {
        for (std::size_t b = 0; b < resident_.count(); ++b) {
            const std::size_t i = resident_.input(a);
            const std::size_t j = resident_.input(b);
            const bool known = theirs.resident_.has(i) && theirs.resident_.has(j);
            const double added =
                known ? theirs.column(theirs.resident_.place(i))[theirs.resident_.place(j)] : 0.0;
            column(a)[b] = (factor * column(a)[b]) + added + (weight * h[i] * h[j]);
        }
    }
}

std::size_t BlockGram::bytes() const {
    return C_.bytes() + resident_.bytes() + (history_ ? history_->bytes() : last_->bytes());
}

void BlockGram::save(StateWriter& out) const {
    resident_.save(out);
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        out.put_all(std::span(column(place), resident_.count()));
    }
    if (history_) {
        history_->save(out);
    }
}

void BlockGram::load(StateReader& in) {
    resident_.load(in);
    for (std::size_t place = 0; place < resident_.count(); ++place) {
        in.get_all(std::span(column(place), resident_.count()));
    }
    if (history_) {
        history_->load(in);
    }
}

}  // namespace sluice::core
