// block.hpp -- the block function: one key, many rows, one call. Every engine (Spark, Kafka, a program) is a thin layer over
// it.
//
//     state of the key, rows of the key  ->  state of the key, one answer for each row
//
// Nothing is thrown because of one key: a state that cannot be read, or columns that are not those of the key, refuse all
// rows of the block with one event, and the state stays as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config.hpp"
#include "member.hpp"
#include "row_reader.hpp"

namespace sluice::fleet {

/// Rows of one key, as whoever has them stores them.
class Block {
  public:
    Block() = default;
    virtual ~Block() = default;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    Block(Block&&) = delete;
    Block& operator=(Block&&) = delete;

    [[nodiscard]] virtual const std::vector<std::string>& columns() const = 0;
    [[nodiscard]] virtual std::size_t rows() const = 0;
    /// Which columns are read as numbers. Throws DataError where one cannot be.
    virtual void want(const std::vector<std::size_t>& numbers) = 0;
    /// `row.numbers` has as many numbers as are wanted. What is no finite number and not missing is NaN and listed in
    /// `row.unreadable`.
    virtual void read(std::size_t index, io::Row& row) = 0;
    /// Whole numbers. Nothing where it is missing or no whole number.
    [[nodiscard]] virtual std::optional<std::int64_t> sequence(std::size_t index, std::size_t column) = 0;
    /// Empty where there is none, or where it is no text.
    [[nodiscard]] virtual std::string_view text(std::size_t index, std::size_t column) = 0;
};

struct Stepped {
    std::vector<std::byte> state;      ///< replaces the one before
    std::vector<std::string> targets;  ///< those of the answers, in their order
};

/// `state` is empty for a new key. `answer` is called for every row, in order; what it gets is valid during the call.
/// The numbers of an answer are empty where all rows are refused.
[[nodiscard]] Stepped step_block(const Config& config, const std::string& key, std::span<const std::byte> state,
                                 Block& block, const std::function<void(const Answer&)>& answer);

/// Which column of rows with these columns is what. Throws UsageError.
[[nodiscard]] Roles roles_of(const Config& config, const std::vector<std::string>& columns);

}  // namespace sluice::fleet
