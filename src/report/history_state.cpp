// history_state.cpp -- a history as bytes, so that a service that was stopped shows the rows before.
#include <algorithm>
#include <array>
#include <cmath>

#include "history.hpp"
#include "state.hpp"

namespace sluice::report {

namespace {

using core::StateReader;
using core::StateWriter;

constexpr std::uint64_t kMostNames = 10'000'000;

std::size_t get_size(StateReader& in, std::uint64_t most, const char* problem) {
    std::uint64_t size = 0;
    in.get(size);
    in.require(size <= most, problem);
    return static_cast<std::size_t>(size);
}

// NaN is kept.
void put_number(StateWriter& out, double value) {
    out.put_raw({&value, 1});
}
void get_number(StateReader& in, double& value) {
    in.get_raw({&value, 1});
}

void put_range(StateWriter& out, const Range& range) {
    out.put(range.count);
    if (range.count > 0) {
        out.put(range.min);
        out.put(range.max);
        out.put(range.mean);
    }
}
void get_range(StateReader& in, Range& range) {
    in.get(range.count);
    if (range.count > 0) {
        in.get(range.min);
        in.get(range.max);
        in.get(range.mean);
    }
}

void put_known(StateWriter& out, const std::vector<Known>& known) {
    for (const Known& one : known) {
        out.put(one.values);
        put_number(out, one.mean);
        put_number(out, one.last_value);
    }
}
void get_known(StateReader& in, std::vector<Known>& known) {
    for (Known& one : known) {
        in.get(one.values);
        get_number(in, one.mean);
        get_number(in, one.last_value);
    }
}

// Sums of squares of huge numbers may be infinite.
constexpr std::array<double TargetBin::*, 6> kSums = {&TargetBin::squares,      &TargetBin::squares_last_value,
                                                      &TargetBin::squares_mean, &TargetBin::centre,
                                                      &TargetBin::spread,       &TargetBin::peak};

void put_bin(StateWriter& out, const TargetBin& bin) {
    for (const Range* range : {&bin.predicted, &bin.observed, &bin.low, &bin.high}) {
        put_range(out, *range);
    }
    out.put(bin.with_interval);
    out.put(bin.inside);
    out.put(bin.scored);
    if (bin.scored > 0) {
        for (const auto sum : kSums) {
            put_number(out, std::isinf(bin.*sum) ? kUnknown : bin.*sum);
        }
        out.put(bin.peak_row);
    }
}
void get_bin(StateReader& in, TargetBin& bin) {
    for (Range* range : {&bin.predicted, &bin.observed, &bin.low, &bin.high}) {
        get_range(in, *range);
    }
    in.get(bin.with_interval);
    in.get(bin.inside);
    in.get(bin.scored);
    if (bin.scored > 0) {
        for (const auto sum : kSums) {
            get_number(in, bin.*sum);
        }
        in.get(bin.peak_row);
    }
}

void put_names(StateWriter& out, const std::vector<std::string>& names) {
    out.put(std::uint64_t{names.size()});
    for (const std::string& name : names) {
        out.put_text(name);
    }
}
void get_names(StateReader& in, std::vector<std::string>& names) {
    names.resize(get_size(in, EventHistory::kMostNames + 1, "an event of the history has too many names"));
    for (std::string& name : names) {
        name = in.get_text();
    }
}

}  // namespace

void TimeAxis::save(StateWriter& out) const {
    out.put(std::uint64_t{firsts_.size()});
    for (const First& first : firsts_) {
        out.put_text(first.text);
    }
    out.put_text(first_);
    out.put_text(last_);
    for (const State& state : states_) {
        out.put(static_cast<std::uint8_t>(state.possible ? 1 : 0));
        out.put(state.last);
    }
}

void TimeAxis::load(StateReader& in, std::size_t bins) {
    firsts_.resize(get_size(in, bins, "the history has more times than rows"));
    for (First& first : firsts_) {
        first.text = in.get_text();
    }
    first_ = in.get_text();
    last_ = in.get_text();
    for (State& state : states_) {
        state.possible = in.get_flag();
        in.get(state.last);
    }
}

void EventHistory::save(StateWriter& out) const {
    out.put(count_);
    out.put(apart_);
    out.put(std::uint64_t{events_.size()});
    for (const StreamEvent& event : events_) {
        out.put(event.row);
        out.put(event.last_row);
        out.put(event.count);
        for (const std::string* text : {&event.kind, &event.time, &event.text}) {
            out.put_text(*text);
        }
        for (const auto* names : {&event.columns, &event.entered, &event.left}) {
            put_names(out, *names);
        }
    }
}

void EventHistory::load(StateReader& in) {
    in.get(count_);
    in.get(apart_);
    events_.resize(get_size(in, most_, "the history has too many events"));
    for (StreamEvent& event : events_) {
        in.get(event.row);
        in.get(event.last_row);
        in.get(event.count);
        for (std::string* text : {&event.kind, &event.time, &event.text}) {
            *text = in.get_text();
        }
        for (auto* names : {&event.columns, &event.entered, &event.left}) {
            get_names(in, *names);
        }
    }
}

void Presence::save(StateWriter& out) const {
    out.put(gap_);
    out.put(std::uint64_t{bins_per_cell_});
    out.put(std::uint64_t{variables_.size()});
    for (const Variable& variable : variables_) {
        out.put_text(variable.name);
        out.put(variable.rows);
        out.put(variable.last_row);
        put_number(out, variable.error_without);
        put_number(out, variable.error_with);
        out.put(std::uint64_t{variable.tracks.size()});
        for (const Track& track : variable.tracks) {
            out.put(std::uint64_t{track.component});
            out.put(std::uint64_t{track.stays.size()});
            for (const Stay& stay : track.stays) {
                for (const std::uint64_t number : {stay.from, stay.to, stay.entries, stay.rows}) {
                    out.put(number);
                }
                put_number(out, stay.error_without);
                put_number(out, stay.error_with);
            }
            out.put(std::uint64_t{track.cells.size()});
            for (const Cell& cell : track.cells) {
                out.put(cell.index);
                out.put(cell.rows);
                out.put(std::isfinite(cell.weight) ? cell.weight : 0.0);
                put_number(out, std::isinf(cell.gain) ? kUnknown : cell.gain);
            }
        }
    }
}

void Presence::load(StateReader& in, std::uint64_t last_row, std::size_t bins) {
    std::uint64_t cell_bins = 0;
    in.get(gap_);
    in.get(cell_bins);
    in.require(cell_bins >= 1 && cell_bins <= (std::uint64_t{1} << 20U), "the history has cells of an impossible size");
    bins_per_cell_ = static_cast<std::size_t>(cell_bins);
    variables_.resize(get_size(in, std::min<std::uint64_t>(kMostNames, in.left()), "the history has too many inputs"));
    known_.clear();
    stays_ = 0;
    cells_ = 0;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
        Variable& variable = variables_[v];
        variable.name = in.get_text();
        in.require(known_.try_emplace(variable.name, v).second, "the history names an input twice");
        in.get(variable.rows);
        in.get(variable.last_row);
        in.require(variable.last_row <= last_row, "the history has rows after its last one");
        get_number(in, variable.error_without);
        get_number(in, variable.error_with);
        variable.tracks.resize(get_size(in, in.left(), "the history has too many components"));
        for (Track& track : variable.tracks) {
            std::uint64_t component = 0;
            in.get(component);
            track.component = static_cast<std::size_t>(component);
            track.stays.resize(get_size(in, in.left() / sizeof(Stay), "the history has too many stays"));
            in.require(!track.stays.empty(), "the history has a component without rows");
            stays_ += track.stays.size();
            std::uint64_t before = 0;
            for (Stay& stay : track.stays) {
                for (std::uint64_t* number : {&stay.from, &stay.to, &stay.entries, &stay.rows}) {
                    in.get(*number);
                }
                get_number(in, stay.error_without);
                get_number(in, stay.error_with);
                in.require(stay.from > before && stay.to >= stay.from && stay.to <= last_row,
                           "the history has stays in a wrong order");
                before = stay.to;
            }
            track.cells.resize(get_size(in, in.left() / sizeof(Cell), "the history has too many weights"));
            cells_ += track.cells.size();
            for (std::size_t i = 0; i < track.cells.size(); ++i) {
                Cell& cell = track.cells[i];
                in.get(cell.index);
                in.get(cell.rows);
                in.get(cell.weight);
                get_number(in, cell.gain);
                const bool in_order = i == 0 || cell.index > track.cells[i - 1].index;
                in.require(in_order && cell.index < bins && cell.rows > 0, "the history has weights in a wrong order");
            }
        }
    }
}

void History::save(StateWriter& out) const {
    out.put(bins_.first_row());
    out.put(bins_.rows_per_bin());
    out.put(rows_);
    out.put(last_row_);
    out.put(revision_);
    for (const bool flag : {has_forecast_, has_interval_, has_weights_, has_tuning_, forecasts_arrive_}) {
        out.put(static_cast<std::uint8_t>(flag ? 1 : 0));
    }
    out.put(std::uint64_t{settings_.targets.size()});
    out.put(std::uint64_t{row_bins_.size()});
    for (const RowBin& bin : row_bins_) {
        out.put(bin.rows);
        for (const Range* range : {&bin.forgetting, &bin.shrinkage, &bin.last_value_share, &bin.names}) {
            put_range(out, *range);
        }
    }
    for (const std::vector<TargetBin>& line : lines_) {
        for (const TargetBin& bin : line) {
            put_bin(out, bin);
        }
    }
    time_.save(out);
    presence_.save(out);
    events_.save(out);
    out.put(std::uint64_t{last_uses_.size()});
    for (const Use& use : last_uses_) {
        out.put(std::uint64_t{use.variable});
        out.put(std::uint64_t{use.component});
        put_number(out, std::isinf(use.weight) ? kUnknown : use.weight);
        put_number(out, std::isinf(use.gain) ? kUnknown : use.gain);
    }
    put_known(out, known_);
    out.put(std::uint64_t{made_.size()});
    for (const std::vector<Known>& known : made_) {
        put_known(out, known);
    }
    out.put(std::uint64_t{unlabelled_.size()});
    for (const auto& [row, known] : unlabelled_) {
        out.put(row);
        put_known(out, known);
    }
}

void History::load(StateReader& in) {
    std::uint64_t first = 0;
    std::uint64_t rows_per_bin = 0;
    in.get(first);
    in.get(rows_per_bin);
    in.get(rows_);
    in.get(last_row_);
    in.get(revision_);
    in.require(rows_per_bin >= 1 && (rows_ == 0 || (first >= 1 && first <= last_row_)), "the history has no rows");
    bins_ = Bins(bins_.most(), first, rows_per_bin);
    for (bool* flag : {&has_forecast_, &has_interval_, &has_weights_, &has_tuning_, &forecasts_arrive_}) {
        *flag = in.get_flag();
    }
    std::uint64_t targets = 0;
    in.get(targets);
    in.require(targets == settings_.targets.size(), "the history has other targets");
    row_bins_.resize(get_size(in, bins_.most(), "the history has too many bins"));
    in.require(row_bins_.size() == (rows_ == 0 ? 0 : bins_.of(last_row_) + 1), "the history has bins without rows");
    for (RowBin& bin : row_bins_) {
        in.get(bin.rows);
        for (Range* range : {&bin.forgetting, &bin.shrinkage, &bin.last_value_share, &bin.names}) {
            get_range(in, *range);
        }
    }
    for (std::vector<TargetBin>& line : lines_) {
        line.resize(row_bins_.size());
        for (TargetBin& bin : line) {
            get_bin(in, bin);
        }
    }
    time_.load(in, row_bins_.size());
    presence_.load(in, last_row_, row_bins_.size());
    events_.load(in);
    last_uses_.resize(get_size(in, in.left(), "the history has too many inputs in use"));
    for (Use& use : last_uses_) {
        std::uint64_t variable = 0;
        std::uint64_t component = 0;
        in.get(variable);
        in.get(component);
        in.require(variable < presence_.variables().size(), "the history uses an input that it does not know");
        use.variable = static_cast<std::size_t>(variable);
        use.component = static_cast<std::size_t>(component);
        get_number(in, use.weight);
        get_number(in, use.gain);
    }
    get_known(in, known_);
    made_.assign(
        get_size(in, std::min<std::uint64_t>(kMostPendingRows, in.left()), "the history waits for too many forecasts"),
        std::vector<Known>(known_.size()));
    for (std::vector<Known>& known : made_) {
        get_known(in, known);
    }
    unlabelled_.clear();
    const std::size_t waiting = get_size(in, kMostPendingRows, "the history waits for too many labels");
    for (std::size_t i = 0; i < waiting; ++i) {
        std::uint64_t row = 0;
        in.get(row);
        std::vector<Known> known(known_.size());
        get_known(in, known);
        unlabelled_.emplace(row, std::move(known));
    }
    oldest_label_ = 0;
}

}  // namespace sluice::report
