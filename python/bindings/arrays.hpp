// arrays.hpp -- numpy arrays in and out, without a copy of what comes in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::python {

/// Rows of doubles, one after the other in memory: any array that is so, read-only ones too.
using Table = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Column = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using NewArray = nanobind::ndarray<nanobind::numpy, double>;

[[nodiscard]] inline Rows rows_of(const Table& table) {
    return {{table.data(), table.size()}, table.shape(1)};
}

/// numpy's own arrays: those derived from it can mean more than their memory shows, as masked arrays do.
[[nodiscard]] inline bool is_plain_array(nanobind::handle object) {
    static const nanobind::handle ndarray =
        nanobind::object(nanobind::module_::import_("numpy").attr("ndarray")).release();
    return object.type().is(ndarray);
}

/// The array as it is; nothing where it would have to be converted.
template <typename Array>
[[nodiscard]] std::optional<Array> as_it_is(nanobind::handle object) {
    Array array;
    if (!is_plain_array(object) || !nanobind::try_cast(object, array, false)) {
        return std::nullopt;
    }
    return array;
}

/// Memory that a new numpy array will own.
class Filled {
  public:
    explicit Filled(std::size_t size) : values_(new double[size]) {}  // not initialised: its maker fills it
    [[nodiscard]] double* data() noexcept { return values_.get(); }
    [[nodiscard]] NewArray release(std::initializer_list<std::size_t> shape) {
        double* const values = values_.release();
        const nanobind::capsule owner(values, [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
        return {values, shape, owner};
    }

  private:
    std::unique_ptr<double[]> values_;
};

[[nodiscard]] inline NewArray new_array(std::span<const double> values) {
    Filled filled(values.size());
    std::copy(values.begin(), values.end(), filled.data());
    return filled.release({values.size()});
}

/// Row by row, as numpy has it.
[[nodiscard]] inline NewArray new_array(const Matrix& matrix) {
    Filled filled(matrix.rows() * matrix.cols());
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
        for (std::size_t col = 0; col < matrix.cols(); ++col) {
            filled.data()[(row * matrix.cols()) + col] = matrix(row, col);
        }
    }
    return filled.release({matrix.rows(), matrix.cols()});
}

}  // namespace sluice::python
