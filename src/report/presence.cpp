#include "presence.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::report {

namespace {

void append(Stay& stay, const Stay& next) {
    stay.to = next.to;
    stay.entries += next.entries;
    stay.rows += next.rows;
    if (!std::isnan(next.error_with)) {
        stay.error_without = next.error_without;
        stay.error_with = next.error_with;
    }
}

// Cells that have the same index become one.
void unite(std::vector<Cell>& cells) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (kept > 0 && cells[kept - 1].index == cells[i].index) {
            cells[kept - 1].rows += cells[i].rows;
            cells[kept - 1].weight += cells[i].weight;
            cells[kept - 1].gain += cells[i].gain;
        } else {
            cells[kept++] = cells[i];
        }
    }
    cells.resize(kept);
}

}  // namespace

std::size_t Presence::variable(std::string_view name) {
    room_.assign(name);
    const auto [at, is_new] = known_.try_emplace(room_, variables_.size());
    if (is_new) {
        variables_.push_back({.name = room_, .tracks = {}});
    }
    return at->second;
}

Presence Presence::continued() const {
    Presence next(limits_);
    for (const Variable& variable : variables_) {
        next.variables_.push_back({.name = variable.name, .tracks = {}});
    }
    next.known_ = known_;
    return next;
}

void Presence::note(std::span<const Reason> reasons) {
    for (const Reason& reason : reasons) {
        variables_[reason.variable].error_without = reason.error_without;
        variables_[reason.variable].error_with = reason.error_with;
    }
}

void Presence::add(const StreamRow& row, std::uint64_t previous, std::size_t bin) {
    note(row.reasons);
    for (const Use& use : row.uses) {
        Variable& variable = variables_[use.variable];
        auto track = std::ranges::find(variable.tracks, use.component, &Track::component);
        if (track == variable.tracks.end()) {
            variable.tracks.push_back({.component = use.component, .stays = {}, .cells = {}});
            track = variable.tracks.end() - 1;
        }
        if (!track->stays.empty() && track->stays.back().to == row.row) {
            continue;  // a component has it twice
        }
        extend(*track, variable, row.row, previous);
        add_to_cell(*track, use, bin);
        if (variable.last_row != row.row) {
            ++variable.rows;
            variable.last_row = row.row;
        }
    }
    while (stays_ > limits_.stays && gap_ < row.row) {
        close_gaps();
    }
    while (cells_ > limits_.cells && bins_per_cell_ < (std::size_t{1} << 20U)) {
        join_cells();
    }
}

void Presence::extend(Track& track, Variable& variable, std::uint64_t row, std::uint64_t previous) {
    Stay* last = track.stays.empty() ? nullptr : &track.stays.back();
    const bool continues = last != nullptr && last->to == previous;
    if (continues) {
        last->to = row;
        ++last->rows;
    } else if (last != nullptr && row - last->to <= gap_) {
        last->to = row;
        ++last->rows;
        ++last->entries;
    } else {
        track.stays.push_back({.from = row, .to = row});
        last = &track.stays.back();
        ++stays_;
    }
    if (!std::isnan(variable.error_with)) {
        last->error_without = variable.error_without;
        last->error_with = variable.error_with;
        variable.error_with = kUnknown;
    }
}

void Presence::add_to_cell(Track& track, const Use& use, std::size_t bin) {
    if (!std::isfinite(use.weight)) {
        return;
    }
    const auto index = static_cast<std::uint32_t>(bin / bins_per_cell_);
    if (track.cells.empty() || track.cells.back().index != index) {
        track.cells.push_back({.index = index});
        ++cells_;
    }
    Cell& cell = track.cells.back();
    ++cell.rows;
    cell.weight += use.weight;
    cell.gain += use.gain;
}

void Presence::close_gaps() {
    gap_ = gap_ == 0 ? 2 : gap_ * 2;
    stays_ = 0;
    for (Variable& variable : variables_) {
        for (Track& track : variable.tracks) {
            std::vector<Stay>& stays = track.stays;
            std::size_t kept = 0;
            for (std::size_t i = 0; i < stays.size(); ++i) {
                if (kept > 0 && stays[i].from - stays[kept - 1].to <= gap_) {
                    append(stays[kept - 1], stays[i]);
                } else {
                    stays[kept++] = stays[i];
                }
            }
            stays.resize(kept);
            stays_ += kept;
        }
    }
}

void Presence::join_cells() {
    bins_per_cell_ *= 2;
    cells_ = 0;
    for (Variable& variable : variables_) {
        for (Track& track : variable.tracks) {
            for (Cell& cell : track.cells) {
                cell.index /= 2;
            }
            unite(track.cells);
            cells_ += track.cells.size();
        }
    }
}

void Presence::join_bins() {
    if (bins_per_cell_ > 1) {
        bins_per_cell_ /= 2;  // a cell has the same rows as before
        return;
    }
    join_cells();
    bins_per_cell_ = 1;
}

}  // namespace sluice::report
