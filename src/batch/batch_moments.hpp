// batch_moments.hpp -- what is inside BatchMoments: a factor, and the rows of a block that is not full yet.
#pragma once

#include <vector>

#include "row_moments.hpp"
#include "sluice/moments.hpp"

namespace sluice {

class BatchMoments::Impl {
  public:
    Impl(std::size_t input_count, std::size_t output_count, std::size_t limit);

    void add_block(batch::RowMoments& to) const;  ///< the pending rows
    [[nodiscard]] batch::RowMoments all() const;  ///< with the pending rows
    /// Throws OptionError where further inputs with missing values need more than memory_limit.
    void allow_gaps(const std::vector<std::size_t>& more);
    [[nodiscard]] static std::vector<std::size_t> gaps_of(const Rows& x, const std::vector<std::size_t>& counted);

    std::size_t inputs;
    std::size_t outputs;
    std::size_t memory_limit;
    batch::RowMoments total;
    std::vector<double> pending;    ///< whole rows: inputs, then outputs
    std::vector<std::size_t> gaps;  ///< inputs with missing values in the factor or in pending rows, ascending
};

}  // namespace sluice
