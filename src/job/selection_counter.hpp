// selection_counter.hpp -- counts which inputs are selected in which rows, in the columns of a SelectionLog.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "selection_log.hpp"

namespace sluice::job {

class SelectionCounter {
  public:
    void set_targets(std::vector<std::string> targets) { log_.targets = std::move(targets); }
    void begin_row(std::uint64_t row, std::string_view time);
    /// Selected in the row begun last. A name that is given twice in a row counts once.
    void count(std::string_view name);

    [[nodiscard]] SelectionLog finish() &&;

  private:
    void join_neighbours();

    SelectionLog log_;
    std::uint32_t rows_to_a_column_ = 1;
    std::unordered_map<std::string, std::size_t> known_;  // index of each variable
    std::vector<std::uint64_t> last_counted_;             // log_.rows when each was last counted
};

}  // namespace sluice::job
