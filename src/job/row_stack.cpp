#include "row_stack.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sluice::job {

RowStack::RowStack(std::size_t inputs, std::size_t targets, const RowLayout& layout)
    : inputs_(inputs, layout.lags), stacked_(layout.width(inputs, targets)) {
    if (!layout.target_lags.empty()) {
        std::vector<std::size_t> rows_back = layout.target_lags;
        std::ranges::transform(rows_back, rows_back.begin(), [&](std::size_t lag) { return layout.rows_back(lag); });
        assert(rows_back.front() > 0 || layout.horizon > 0);  // the value to predict is not among the inputs
        targets_.emplace(targets, std::move(rows_back));
    }
}

std::span<const double> RowStack::push(std::span<const double> row, std::span<const double> y) {
    if (!targets_ && inputs_.only_present_row()) {
        return row;
    }
    const auto stacked = std::span(stacked_);
    inputs_.push(row, stacked.first(inputs_.width()));
    if (targets_) {
        targets_->push(y, stacked.subspan(inputs_.width()));
    }
    return stacked_;
}

void RowStack::save(core::StateWriter& out) const {
    inputs_.save(out);
    if (targets_) {
        targets_->save(out);
    }
}

void RowStack::load(core::StateReader& in) {
    inputs_.load(in);
    if (targets_) {
        targets_->load(in);
    }
}

}  // namespace sluice::job
