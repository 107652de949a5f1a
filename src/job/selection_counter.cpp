#include "selection_counter.hpp"

namespace sluice::job {

void SelectionCounter::begin_row(std::uint64_t row, std::string_view time) {
    if (log_.columns.empty() || log_.columns.back().rows >= rows_to_a_column_) {
        if (log_.columns.size() == SelectionLog::kMostColumns) {
            join_neighbours();
        }
        log_.columns.push_back({.row = row, .time = std::string(time)});
    }
    ++log_.rows;
    log_.last_row = row;
    ++log_.columns.back().rows;
}

void SelectionCounter::join_neighbours() {
    const std::size_t half = SelectionLog::kMostColumns / 2;
    for (std::size_t i = 0; i < half; ++i) {
        if (i > 0) {
            log_.columns[i] = std::move(log_.columns[2 * i]);
        }
        log_.columns[i].rows += log_.columns[(2 * i) + 1].rows;
    }
    log_.columns.resize(half);
    for (auto& variable : log_.variables) {
        variable.by_column.resize(2 * half);
        for (std::size_t i = 0; i < half; ++i) {
            variable.by_column[i] = variable.by_column[2 * i] + variable.by_column[(2 * i) + 1];
        }
        variable.by_column.resize(half);
    }
    rows_to_a_column_ *= 2;
}

void SelectionCounter::count(std::string_view name) {
    const auto [at, is_new] = known_.try_emplace(std::string(name), known_.size());
    if (is_new) {
        log_.variables.push_back({.name = std::string(name), .rows = 0, .by_column = {}});
        last_counted_.push_back(0);
    }
    if (std::exchange(last_counted_[at->second], log_.rows) == log_.rows) {
        return;
    }
    auto& variable = log_.variables[at->second];
    variable.by_column.resize(log_.columns.size());
    ++variable.by_column.back();
    ++variable.rows;
}

SelectionLog SelectionCounter::finish() && {
    for (auto& variable : log_.variables) {
        variable.by_column.resize(log_.columns.size());
    }
    return std::move(log_);
}

}  // namespace sluice::job
