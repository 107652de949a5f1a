// fleet.hpp -- all keys of a fleet in one process: their models in memory or in the folder of states, and blocks of rows
// through them on several threads.
//
// A block has rows of any keys, in the order in which they came. Each key's rows go through its model in that order; keys
// are independent of each other, so that threads take keys and the records are the same whatever their number. Models
// that were not used for the longest time go to the folder of states when memory is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config.hpp"
#include "member.hpp"
#include "row_reader.hpp"
#include "state_store.hpp"

namespace sluice::fleet {

/// Rows as they came.
class RowBlock {
  public:
    struct Row {
        std::string key;  ///< empty: it has none, and `refusal` says why
        std::optional<std::int64_t> sequence = {};
        std::string time = {};
        std::vector<std::string> new_columns = {};  ///< of the input, first seen with this row
        std::string refusal = {};
        std::uint64_t line = 0;
        std::size_t first = 0;           ///< of its numbers
        std::size_t unreadable = 0;      ///< first of its places in unreadable()
        std::size_t unreadable_end = 0;  ///< after the last of them
        std::string unreadable_value = {};
    };

    void add(Row about, const io::Row& row);
    void refuse(std::string key, std::uint64_t line, std::string why);
    void clear();

    [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return (rows_.size() * sizeof(Row)) + (8 * numbers_.size()); }
    /// The row as Member::step() takes it, `width` numbers.
    void copy(const Row& about, std::size_t width, io::Row& row) const;

  private:
    std::vector<Row> rows_;
    std::vector<double> numbers_;
    std::vector<std::size_t> unreadable_;
};

struct FleetCounts {
    std::uint64_t rows = 0;
    std::uint64_t refused = 0;
    std::uint64_t repeated = 0;
    std::uint64_t with_events = 0;
};

class Fleet {
  public:
    /// `store` may be null: every model then stays in memory. `memory`: bytes of models that may. `threads` at once; nothing
    /// depends on their number.
    Fleet(Config config, StateStore* store, std::size_t memory, std::size_t threads);

    [[nodiscard]] const Config& config() const noexcept { return config_; }
    /// The columns of the rows that follow. Throws UsageError, for a new fleet.
    void use_columns(const std::vector<std::string>& columns);
    [[nodiscard]] const Roles& roles() const noexcept { return names_->roles; }
    void use_roles(Roles roles);
    /// Columns that the input lacks, by their places among the inputs and targets.
    void set_absent(std::span<const std::size_t> absent) { absent_.assign(absent.begin(), absent.end()); }

    /// Appends one record for each row, in their order.
    void step(const RowBlock& block, std::string& records);

    /// Puts every model that changed into the store; returns the manifest, which load() takes, with further sections.
    /// Throws io::DiskError.
    [[nodiscard]] std::vector<std::byte> save(std::vector<std::pair<std::string, std::vector<std::byte>>> more);
    /// Throws StateError.
    void load(std::span<const std::byte> saved);

    [[nodiscard]] std::size_t keys() const noexcept { return slots_.size(); }
    [[nodiscard]] std::size_t resident() const noexcept { return resident_; }
    [[nodiscard]] std::size_t resident_bytes() const noexcept { return resident_bytes_; }
    [[nodiscard]] const FleetCounts& counts() const noexcept { return counts_; }

  private:
    struct Slot {
        std::string key;
        std::unique_ptr<Member> member = {};  // null: in the store
        StatePlace place = {};
        bool changed = false;  // since it was put into the store
        bool refused = false;  // its state cannot be read: said once
        std::uint64_t used = 0;
        std::size_t bytes = 0;
    };
    struct Text {  // a row's record, in the buffer of the thread that wrote it
        std::size_t thread = 0;
        std::size_t first = 0;
        std::size_t length = 0;
    };
    [[nodiscard]] std::uint32_t slot_of(const std::string& key);
    void step_key(Slot& slot, const RowBlock& block, std::span<const std::uint32_t> rows, std::size_t thread,
                  std::string& text, std::vector<Text>& texts, FleetCounts& counts);
    void evict();
    void put(std::span<Slot* const> slots);

    Config config_;
    StateStore* store_;
    std::size_t memory_;
    std::size_t threads_;
    std::shared_ptr<const MemberNames> names_;
    std::vector<std::string> json_targets_;
    std::vector<std::size_t> absent_;
    std::vector<Slot> slots_;
    std::unordered_map<std::string, std::uint32_t> by_key_;
    std::uint64_t blocks_ = 0;
    std::size_t resident_ = 0;
    std::size_t resident_bytes_ = 0;
    FleetCounts counts_;
};

}  // namespace sluice::fleet
