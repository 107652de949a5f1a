// presence.hpp -- when an input was selected, and with what weight.
//
// A stay [from, to] is kept with its exact rows. Where a stream has too many stays, those of an input with short gaps
// between them become one, which counts how often the input entered and in how many rows it was selected: no entry is
// lost. Weights and gains are means over cells of rows, which are joined in the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stream_row.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::report {

struct Stay {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t entries = 1;        ///< how often the input entered in these rows
    std::uint64_t rows = 1;           ///< in which it was selected
    double error_without = kUnknown;  ///< why it entered last, where that is known
    double error_with = kUnknown;
};

struct Cell {
    std::uint32_t index = 0;  ///< it begins with bin index * Presence::bins_per_cell()
    std::uint32_t rows = 0;
    double weight = 0.0;  ///< sums over the rows
    double gain = 0.0;
};

/// An input in one component.
struct Track {
    std::size_t component = 0;
    std::vector<Stay> stays;
    std::vector<Cell> cells;  ///< by index; none where weights are not known
};

struct Variable {
    std::string name;
    std::uint64_t rows = 0;           ///< in which any component has it
    std::uint64_t last_row = 0;       ///< of them
    double error_without = kUnknown;  ///< the reason that came last and belongs to no stay yet
    double error_with = kUnknown;
    std::vector<Track> tracks;
};

class Presence {
  public:
    struct Limits {
        std::size_t stays = 60'000;
        std::size_t cells = 300'000;
    };
    explicit Presence(Limits limits) : limits_(limits) {}

    [[nodiscard]] std::size_t variable(std::string_view name);
    /// The uses of a row in `bin`; `previous` is the row before it, 0 for the first.
    void add(const StreamRow& row, std::uint64_t previous, std::size_t bin);
    /// Why inputs entered, where that is known before the row in which they are first used.
    void note(std::span<const Reason> reasons);
    /// Each two neighbouring bins have become one.
    void join_bins();
    /// The same inputs by the same numbers, selected in no row yet.
    [[nodiscard]] Presence continued() const;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in, std::uint64_t last_row, std::size_t bins);

    [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
    [[nodiscard]] std::size_t bins_per_cell() const { return bins_per_cell_; }
    [[nodiscard]] std::uint64_t shortest_gap() const { return gap_; }  ///< in rows: shorter ones are closed
    [[nodiscard]] std::size_t stays() const { return stays_; }
    [[nodiscard]] std::size_t cells() const { return cells_; }

  private:
    void extend(Track& track, Variable& variable, std::uint64_t row, std::uint64_t previous);
    void add_to_cell(Track& track, const Use& use, std::size_t bin);
    void close_gaps();
    void join_cells();

    Limits limits_;
    std::vector<Variable> variables_;
    std::unordered_map<std::string, std::size_t> known_;
    std::string room_;
    std::size_t stays_ = 0;
    std::size_t cells_ = 0;
    std::uint64_t gap_ = 0;
    std::size_t bins_per_cell_ = 1;
};

}  // namespace sluice::report
