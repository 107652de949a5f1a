// current_columns.hpp -- copies of the columns of C in use that are up to date with every row.
#pragma once

#include <cstddef>
#include <span>

#include "buffer.hpp"
#include "resident.hpp"
#include "workers.hpp"

namespace sluice::core {

/// Products with them need no further rows. Each row costs one pass over the columns kept.
template <typename Number>
class CurrentColumns {
  public:
    /// `length`: numbers of a column, at least the padded inputs and whole cache lines.
    CurrentColumns(std::size_t inputs, std::size_t length, std::size_t room);

    [[nodiscard]] static std::size_t bytes_for(std::size_t length, std::size_t room);

    /// False where there is no room for these columns. Those without has() are to be started before they are read.
    [[nodiscard]] bool request(std::span<const std::size_t> inputs) { return resident_.request(inputs); }
    [[nodiscard]] bool has(std::size_t j) const { return resident_.has(j); }
    /// Where the column of a requested input goes.
    [[nodiscard]] Number* start(std::size_t j) { return at(resident_.admit(j)); }
    [[nodiscard]] const Number* column(std::size_t j) const { return columns_.data() + (resident_.place(j) * stride_); }

    /// C_j += g_j g for every column kept; those not requested recently are released.
    void add_row(const Number* g, Workers& workers);
    void scale(Number factor);
    void clear() { resident_.clear(); }
    [[nodiscard]] std::size_t bytes() const { return columns_.bytes() + resident_.bytes(); }

  private:
    void add_row_at(const Number* g, std::size_t first, std::size_t last);
    [[nodiscard]] Number* at(std::size_t place) { return columns_.data() + (place * stride_); }

    std::size_t length_;
    std::size_t stride_;
    Resident resident_;
    Buffer<Number> columns_;
};

}  // namespace sluice::core
