// single_gram.cpp -- all of C in single precision: where to look for candidates, never a result.
//
// With `deflation = refit` the direction of a component needs products with C at all inputs, but only to see which few
// inputs it may choose (refit_screen.cpp). Half of the digits do for that, at half of the cost.
//
//     |C'_ij - C_ij| <= (rows + c) 2^-24 sqrt(C_ii C_jj)
//
// C' is a sum of one product per row, each rounded when it is added. What row s has rounded is at most 2^-24 |C_ij(s)|,
// and has since lost weight as the rows before it have: lambda^(t-s) |C_ij(s)| <= sqrt(C_ii(t) C_jj(t)). Rows beyond
// the history weigh nothing. c: the two roundings of a row's own numbers, those of a change of scale, and some to spare.
// Errors of random sign are a hundred times smaller; nothing rests on that.
#include "single_gram.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "column_units.hpp"
#include "history.hpp"
#include "kernels.hpp"
#include "state.hpp"

namespace sluice::core {

namespace {

constexpr double kOtherRoundings = 16.0;

// The largest deviation times its unit. Its square times the largest weight, 2^64, leaves room for a sum over all rows.
constexpr double kMostScaled = 0x1p20;
// A column whose weighted variance times its squared unit has fallen below this gets a larger unit.
constexpr double kLeastSquare = 0x1p-30;
constexpr std::uint64_t kRowsBetweenLooks = 32;

// Numbers of a group: smaller ones make more rows pend, which costs where a column comes into use. (Measured: 10
// microseconds a row with 16 and 12 with 32 at 1,000 inputs; 240, 240, 270 and 380 with 16, 32, 48 and 64 at 5,000.)
std::size_t group_for(std::size_t inputs) {
    return inputs <= 2000 ? 16 : 32;
}

double unit_for(double deviation) {
    return power_of_two(-exponent_of(deviation));
}

}  // namespace

SingleGram::SingleGram(std::size_t inputs, std::size_t in_use, std::size_t rows)
    : inputs_(inputs),
      error_((static_cast<double>(rows) + kOtherRoundings) * kRounding),
      C_(inputs, group_for(inputs), in_use),
      unit_(C_.length()),
      inverse_(C_.length()),
      row_(C_.length()) {}

std::size_t SingleGram::bytes_for(std::size_t inputs, std::size_t in_use) {
    return PackedMatrix<float>::bytes_for(inputs, group_for(inputs), in_use) + (2 * inputs * sizeof(double));
}

void SingleGram::add_row(const double* h, double weight, Workers& workers) {
    const double root = std::sqrt(weight);
    weight_ = weight;
    ++rows_since_look_;
    std::atomic<bool> fits = true;
    auto convert = [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
        const std::size_t first = from * kPiece;
        if (!kernels::to_single(h + first, unit_.data() + first, root, kMostScaled,
                                std::min(to * kPiece, padded(inputs_)) - first, row_.data() + first)) {
            fits.store(false, std::memory_order_relaxed);
        }
    };
    workers.share_inputs(inputs_, convert);
    if (!fits) {
        adapt_units(h);
        workers.share_inputs(inputs_, convert);
    }
    C_.add_row(row_.data(), workers);
}

// First deviations, and ones that are much larger than those before.
void SingleGram::adapt_units(const double* h) {
    for (std::size_t j = 0; j < inputs_; ++j) {
        if (h[j] != 0.0 && (unit_[j] == 0.0 || std::abs(h[j] * unit_[j]) > kMostScaled)) {
            set_unit(j, unit_for(h[j]));
        }
    }
}

void SingleGram::keep_in_range(std::span<const double> square) {
    if (rows_since_look_ < kRowsBetweenLooks) {
        return;
    }
    rows_since_look_ = 0;
    for (std::size_t j = 0; j < inputs_; ++j) {
        const double variance = square[j] / weight_;  // in sum over the rows
        if (variance > 0.0 && unit_[j] > 0.0 && variance * unit_[j] * unit_[j] < kLeastSquare) {
            set_unit(j, unit_for(std::sqrt(variance)));
        }
    }
}

void SingleGram::set_unit(std::size_t j, double unit) {
    if (unit_[j] > 0.0) {
        C_.scale_input(j, static_cast<float>(unit / unit_[j]));
    }
    unit_[j] = unit;
    inverse_[j] = 1.0 / unit;
}

void SingleGram::scale(double factor) {
    C_.scale(factor);
    weight_ *= factor;
}

// C'_ij stays: its unit takes in the factor.
void SingleGram::scale_input(std::size_t j, double factor) {
    unit_[j] /= factor;
    inverse_[j] *= factor;
}

void SingleGram::add_rows_of(const History& history) {
    Workers alone(1);
    Buffer<double> h(padded(inputs_));
    for (std::size_t t = 0; t < history.length(); ++t) {
        const double weight = history.row(t, h.all());
        add_row(h.data(), weight, alone);
    }
}

void SingleGram::append(const History& later, double factor, std::span<const double> row, double weight) {
    C_.complete();  // the factor is any number
    scale(factor);
    add_rows_of(later);
    Workers alone(1);
    Buffer<double> h(padded(inputs_));
    std::ranges::copy(row.first(inputs_), h.data());
    add_row(h.data(), weight, alone);
}

// Column by column with the rows that pend: which of them do is not part of the state.
void SingleGram::save(StateWriter& out) const {
    Buffer<float> column(C_.length());
    for (std::size_t j = 0; j < inputs_; ++j) {
        C_.read_column(j, column.data());
        out.put_all(std::span<const float>(column.data(), j + 1));
    }
    out.put_all(unit_.all().first(inputs_));
    out.put(weight_);
    out.put(rows_since_look_);
}

void SingleGram::load(StateReader& in) {
    const std::size_t inputs = in.stored_inputs(inputs_);
    Buffer<float> column(C_.length());
    C_.clear_rows();
    for (std::size_t j = 0; j < inputs; ++j) {
        in.get_all(std::span(column.data(), j + 1));
        for (std::size_t i = 0; i <= j; ++i) {
            C_.entry(i, j) = column[i];
        }
    }
    in.get_all(unit_.all().first(inputs));
    for (std::size_t j = 0; j < inputs; ++j) {
        inverse_[j] = unit_[j] == 0.0 ? 0.0 : 1.0 / unit_[j];
        in.require(unit_[j] >= 0.0 && std::isfinite(inverse_[j]), "the unit of a column is out of range");
    }
    in.get(weight_);
    in.require(weight_ > 0.0, "the weight of a row is not positive");
    in.get(rows_since_look_);
}

}  // namespace sluice::core
