// label_rows.hpp -- which rows the last learnt labels belong to. A model counts what it learns; people count rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class LabelRows {
  public:
    explicit LabelRows(std::size_t window) : rows_(window) {}

    void add(std::uint64_t row) { rows_[learned_++ % rows_.size()] = row; }
    /// The row of the label that was learnt `labels` before the last one; of the oldest known where that is longer ago.
    [[nodiscard]] std::uint64_t before_last(std::uint64_t labels) const {
        return rows_[(learned_ - 1 - std::min(labels, known() - 1)) % rows_.size()];
    }
    [[nodiscard]] std::uint64_t learned() const noexcept { return learned_; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    [[nodiscard]] std::uint64_t known() const { return std::min<std::uint64_t>(learned_, rows_.size()); }

    std::uint64_t learned_ = 0;
    std::vector<std::uint64_t> rows_;  // a ring by label
};

}  // namespace sluice::job
