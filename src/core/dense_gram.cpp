// dense_gram.cpp -- engine `dense` with few inputs: all of C; rows are added two at a time.
//
//     C_ij = stored_ij + g_i g_j
//
//   code       meaning
//   g          pending_: sqrt(weight) h of a row that is not in `stored` yet, or zeros
//
// The nearest cache stores half as many numbers as it reads and multiplies: two rows at once take the time of one. Until
// then, a product with C costs one dot product and one multiple of g more.
#include "dense_gram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "history.hpp"
#include "kernels.hpp"
#include "row_buffer.hpp"
#include "small_numbers.hpp"
#include "sparse_vector.hpp"
#include "state.hpp"
#include "symmetric_state.hpp"

namespace sluice::core {

DenseGram::DenseGram(std::size_t inputs)
    : inputs_(inputs),
      stride_(column_stride(inputs)),
      C_(inputs * stride_),
      row_(padded(inputs)),
      pending_(padded(inputs)),
      product_(padded(inputs)) {
    pointers_.reserve(inputs);
}

std::size_t DenseGram::bytes_for(std::size_t inputs) {
    return (inputs + 2) * column_stride(inputs) * sizeof(double);
}

void DenseGram::add_row(double weight, Workers& /*workers*/) {
    kernels::scale(row_.data(), std::sqrt(weight), padded(inputs_));
    if (!pends_) {
        std::swap(pending_, row_);
        pends_ = true;
        return;
    }
    kernels::add_outer(pending_.data(), row_.data(), inputs_, padded(inputs_), stride_, C_.data());
    clear_pending();
}

void DenseGram::clear_pending() {
    std::ranges::fill(pending_.all(), 0.0);
    pends_ = false;
}

// Adds to C the row that it lacks.
void DenseGram::complete() {
    for (std::size_t j = 0; j < inputs_ && pends_; ++j) {
        for (std::size_t i = 0; i < inputs_; ++i) {
            column(j)[i] = entry(i, j);
        }
    }
    clear_pending();
}

void DenseGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                         double* out, std::size_t out_stride, Workers& /*workers*/) const {
    if (targets == 1) {
        multiply(support, coefficient, out);
        return;
    }
    pointers_.resize(support.size());
    for (std::size_t s = 0; s < support.size(); ++s) {
        pointers_[s] = column(support[s]);
    }
    kernels::columns_product(pointers_.data(), support.size(), coefficient.data(), targets, 0, padded(inputs_), out,
                             out_stride);
    for (std::size_t m = 0; m < targets && pends_; ++m) {
        double along = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s) {
            along += coefficient[(s * targets) + m] * pending_[support[s]];
        }
        for (std::size_t i = 0; i < inputs_; ++i) {
            out[(m * out_stride) + i] += along * pending_[i];
        }
    }
}

void DenseGram::multiply(std::span<const std::size_t> support, std::span<const double> coefficient, double* out) const {
    const double along = pends_ ? sparse_dot(coefficient, support, pending_.data()) : 0.0;
    kernels::matrix_product(C_.data(), stride_, support.data(), support.size(), coefficient.data(),
                            pends_ ? pending_.data() : nullptr, along, padded(inputs_), out);
}

void DenseGram::multiply_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, std::span<double> out) const {
    if (inputs.size() > inputs_ / kLanes) {  // a product at all inputs costs less
        multiply(support, coefficient, product_.data());
        gather(product_.data(), inputs, out.data());
        return;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        double sum = 0.0;
        for (std::size_t s = 0; s < support.size(); ++s) {
            sum += entry(inputs[i], support[s]) * coefficient[s];
        }
        out[i] = sum;
    }
}

void DenseGram::inner_products(std::span<const std::span<const std::size_t>> supports,
                               std::span<const std::span<const double>> coefficients,
                               std::span<const std::size_t> /*selected*/, std::span<double> A) const {
    const std::size_t R = supports.size();
    for (std::size_t r = 0; r < R; ++r) {
        multiply(supports[r], coefficients[r], product_.data());
        for (std::size_t s = 0; s <= r; ++s) {
            const double sum = sparse_dot(coefficients[s], supports[s], product_.data());
            A[(r * R) + s] = sum;
            A[(s * R) + r] = sum;
        }
    }
}

void DenseGram::multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                                 std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const {
    for (std::size_t s = 0; s < support.size(); ++s) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            out[(s * out_stride) + i] = entry(inputs[i], support[s]) * coefficient[s];
        }
    }
}

void DenseGram::block(std::span<const std::size_t> inputs, std::span<double> out) const {
    const std::size_t n = inputs.size();
    for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t i = 0; i <= c; ++i) {
            const double own = entry(inputs[i], inputs[c]);
            out[(c * n) + i] = own;
            out[(i * n) + c] = own;
        }
    }
}

void DenseGram::scale(double factor) {
    complete();
    core::multiply(C_.all(), factor);
}

void DenseGram::scale_input(std::size_t j, double factor) {
    for (std::size_t i = 0; i < inputs_; ++i) {
        column(i)[j] *= factor;
        column(j)[i] *= factor;
    }
    pending_[j] *= factor;
}

void DenseGram::append(const Gram& later, double factor, std::span<const double> h, double weight) {
    complete();
    const auto& theirs = dynamic_cast<const DenseGram&>(later);
    for (std::size_t j = 0; j < inputs_; ++j) {
        for (std::size_t i = 0; i < inputs_; ++i) {
            column(j)[i] = (factor * column(j)[i]) + theirs.entry(i, j) + (weight * (h[i] * h[j]));
        }
    }
}

void DenseGram::rebuild_from(const History& history, Workers& workers) {
    for (std::size_t j = 0; j < inputs_; ++j) {
        const double one = 1.0;
        history.multiply({&j, 1}, {&one, 1}, 1, column(j), stride_, workers);
        for (std::size_t i = 0; i < j; ++i) {  // the same bits on both sides of the diagonal
            column(i)[j] = column(j)[i];
        }
    }
    clear_pending();
}

// The rows after C, at most one and of weight 1, are those that it lacks.
void DenseGram::save(StateWriter& out) const {
    save_symmetric(out, C_.data(), inputs_, stride_);
    out.put(std::uint64_t{pends_ ? 1U : 0U});
    if (pends_) {
        out.put(1.0);
        out.put_all(pending_.all().first(inputs_));
    }
}

// Earlier versions saved fewer than RowBuffer::kMost rows, of any weight.
void DenseGram::load(StateReader& in) {
    const std::size_t stored = in.stored_inputs(inputs_);
    clear_pending();
    if (in.current()) {
        load_symmetric(in, C_.data(), stored, stride_);
    } else {
        for (std::size_t j = 0; j < stored; ++j) {
            in.get_all(std::span(column(j), stored));
        }
    }
    std::uint64_t rows = 0;
    in.get(rows);
    in.require(rows < RowBuffer::kMost, "it has more rows to be added than an engine with few inputs keeps");
    std::vector<double> h(stored);
    for (std::size_t b = 0; b < rows; ++b) {
        double weight = 0.0;
        in.get(weight);
        in.require(weight >= 0.0, "the weight of a row is negative");
        in.get_all(h);
        if (rows == 1 && weight == 1.0) {
            std::ranges::copy(h, pending_.data());
            pends_ = true;
            break;
        }
        for (std::size_t j = 0; j < stored; ++j) {
            for (std::size_t i = 0; i < stored; ++i) {
                column(j)[i] += weight * (h[i] * h[j]);
            }
        }
    }
}

}  // namespace sluice::core
