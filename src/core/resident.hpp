// resident.hpp -- which inputs have a place in a store of limited size: a least-recently-used cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::core {

class StateReader;
class StateWriter;

/// The input that was requested least recently is evicted first; inputs of one request never evict each other.
class Resident {
  public:
    static constexpr std::uint32_t kNoPlace = 0xffffffffU;
    static constexpr std::size_t kNoInput = static_cast<std::size_t>(-1);

    Resident(std::size_t inputs, std::size_t room) : place_of_(inputs, kNoPlace), room_(room) {
        input_at_.reserve(room);
        last_request_.reserve(room);
        last_row_.reserve(room);
        free_.reserve(room);
    }

    /// Begins a request. False where it names more inputs than there is room for.
    [[nodiscard]] bool request(std::span<const std::size_t> inputs);
    /// Gives a place to an input of the request that has none yet; returns the place.
    std::size_t admit(std::size_t input);

    void next_row() { ++row_; }
    /// Frees the places of all inputs that were not requested in the last `rows` rows.
    void release_unused(std::uint64_t rows);
    [[nodiscard]] std::uint64_t idle_rows(std::size_t place) const { return row_ - last_row_[place]; }

    /// For how many rows the input that would be evicted next was not requested; many where there is room.
    [[nodiscard]] std::uint64_t rows_unused() const;

    [[nodiscard]] bool has(std::size_t input) const { return place_of_[input] != kNoPlace; }
    [[nodiscard]] std::size_t place(std::size_t input) const { return place_of_[input]; }
    /// All places in use are below count(); some below it may be free.
    [[nodiscard]] std::size_t count() const { return input_at_.size(); }
    [[nodiscard]] bool is_free(std::size_t place) const { return input_at_[place] == kNoInput; }
    [[nodiscard]] std::size_t input(std::size_t place) const { return input_at_[place]; }
    [[nodiscard]] bool has_room() const {
        return !free_.empty() || count() < room_;
    }  ///< for one input more, without eviction
    void clear();

    [[nodiscard]] std::size_t bytes() const { return place_of_.size() * sizeof(std::uint32_t); }
    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    std::vector<std::uint32_t> place_of_;
    std::size_t room_;
    std::vector<std::size_t> input_at_;
    std::vector<std::uint64_t> last_request_;  // that named the input at each place
    std::vector<std::uint64_t> last_row_;      // of that request
    std::vector<std::size_t> free_;            // places that were freed
    std::uint64_t request_ = 0;
    std::uint64_t row_ = 0;
};

}  // namespace sluice::core
