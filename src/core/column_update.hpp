// column_update.hpp -- adds the rows that columns of C have not got yet, several rows and columns at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "late_rows.hpp"
#include "workers.hpp"

namespace sluice::core {

/// A column of C without the newest `lacks` rows.
struct LaggingColumn {
    double* column;
    std::size_t place;
    std::size_t input;
    std::size_t lacks;
};

class ColumnUpdate {
  public:
    explicit ColumnUpdate(std::size_t inputs);

    /// Adds to each column the rows that it lacks, which are the last ones of `rows`. Sorts the columns.
    void run(std::span<LaggingColumn> columns, const RowList& rows, Workers& workers);

  private:
    std::size_t inputs_;
    std::vector<double> shares_;  // of the columns in each row: weight_b h_bj
};

}  // namespace sluice::core
