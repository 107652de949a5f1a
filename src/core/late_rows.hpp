// late_rows.hpp -- the newest rows of the history, row by row, for columns of C that have not got them yet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "row_buffer.hpp"

namespace sluice::core {

/// Rows of deviations with their weights, the newest last.
struct RowList {
    static constexpr std::size_t kMost = 64;

    std::size_t count = 0;
    std::array<const double*, kMost> rows{};
    std::array<double, kMost> weights{};
};

/// A ring of RowList::kMost rows. Rows are numbered by History::archived(), the number of full row buffers so far.
class LateRows {
  public:
    LateRows() = default;
    explicit LateRows(std::size_t inputs);

    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs);

    /// Adds the rows of a full buffer, the next one after the first `archived`.
    void add(const RowBuffer& rows, std::uint64_t archived);
    /// The newest `count` rows of the first `archived` buffers.
    [[nodiscard]] RowList newest(std::size_t count, std::uint64_t archived) const;

    void scale_weights(double factor);
    void scale_input(std::size_t j, double factor);
    [[nodiscard]] std::size_t bytes() const { return rows_.bytes(); }

  private:
    std::size_t inputs_ = 0;
    std::size_t stride_ = 0;
    Buffer<double> rows_;
    std::vector<double> weights_;
};

}  // namespace sluice::core
