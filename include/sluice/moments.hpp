// moments.hpp -- moments of rows that no machine holds at once, and the off-line fits from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sluice/fit.hpp"
#include "sluice/matrix.hpp"
#include "sluice/options.hpp"

namespace sluice {

/// Means and second moments of rows, all that an off-line fit needs of them. Two of them merge into the moments of all
/// their rows, so that each machine reads the rows that it has.
///
/// With w = inputs + outputs + inputs with missing values: 2 w^2 operations a row, 8 w^2 bytes and those of two blocks of
/// 256 rows, whatever the number of rows; while they are merged, saved or fitted, 8 w^2 bytes more. The second moments are kept as their triangular factor (src/batch/triangle.cpp), which
/// has the digits of the rows. The same rows in the same order give the same bits, however they are divided among calls
/// of add().
class BatchMoments {
  public:
    /// Throws OptionError where there are no inputs or outputs, or where they need more than `memory_limit` bytes.
    BatchMoments(std::size_t inputs, std::size_t outputs, std::size_t memory_limit = StreamOptions{}.memory_limit);
    ~BatchMoments();
    BatchMoments(const BatchMoments& other);
    BatchMoments& operator=(const BatchMoments& other);
    BatchMoments(BatchMoments&& other) noexcept;
    BatchMoments& operator=(BatchMoments&& other) noexcept;

    /// Missing values count as in fit(): an input as its column's mean over all rows; a row without outputs is left out;
    /// a partly missing row of outputs is an error. Throws DataError, and OptionError where missing values in further
    /// inputs need more than memory_limit; nothing has changed then.
    void add(const Rows& x, const Rows& y);

    /// The rows of `other` are added to these. Throws DataError where it has other numbers of inputs or outputs.
    void merge(const BatchMoments& other);

    [[nodiscard]] std::size_t inputs() const noexcept;
    [[nodiscard]] std::size_t outputs() const noexcept;
    [[nodiscard]] std::uint64_t rows() const noexcept;      ///< those with outputs
    [[nodiscard]] std::size_t bytes() const noexcept;       ///< in use, at most
    [[nodiscard]] std::vector<double> input_means() const;  ///< of the values that are not missing

    [[nodiscard]] std::vector<std::byte> save() const;
    /// Throws StateError, WrongKindError; OptionError where they need more than `memory_limit` bytes.
    [[nodiscard]] static BatchMoments load(std::span<const std::byte> saved,
                                           std::size_t memory_limit = StreamOptions{}.memory_limit);

  private:
    class Impl;
    friend Fit fit_moments(Method method, const BatchMoments& moments, const StreamOptions& options,
                           const FitControl& control);
    std::unique_ptr<Impl> impl_;
};

/// What fit() gives for the same rows, but for the rounding: coefficients within 1e-9. The scores are those of rows and
/// are left empty; Fit::scores_of() gives them in a second pass. Rows have no order here: `forgetting` must be 1.
/// Residuals and leverage of rows cannot be had from moments; cross-validation needs moments of each fold.
/// Throws OptionError or DataError.
[[nodiscard]] Fit fit_moments(Method method, const BatchMoments& moments, const StreamOptions& options,
                              const FitControl& control = {});

}  // namespace sluice
