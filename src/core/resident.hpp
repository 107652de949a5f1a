// resident.hpp -- which inputs have a place in a store of limited size, and which gives its place up for a newcomer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::core {

class StateReader;
class StateWriter;

/// The input not asked for longest leaves first; inputs of one request never push each other out.
class Resident {
  public:
    static constexpr std::uint32_t kNowhere = 0xffffffffU;
    static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

    Resident(std::size_t inputs, std::size_t room) : place_of_(inputs, kNowhere), room_(room) {
        input_at_.reserve(room);
        asked_.reserve(room);
        asked_row_.reserve(room);
        free_.reserve(room);
    }

    /// Begins a request. False where it asks for more than there is room for.
    [[nodiscard]] bool ask(std::span<const std::size_t> inputs);
    /// A place for an input of the request that has none yet.
    std::size_t admit(std::size_t input);

    /// Gives up the places of all inputs not asked for since so many calls of next_row().
    void next_row() { ++row_; }
    void release_unused(std::uint64_t rows);
    [[nodiscard]] std::uint64_t idle_rows(std::size_t place) const { return row_ - asked_row_[place]; }

    [[nodiscard]] bool has(std::size_t input) const { return place_of_[input] != kNowhere; }
    [[nodiscard]] std::size_t place(std::size_t input) const { return place_of_[input]; }
    /// Places in use are below count(); some of these may be free.
    [[nodiscard]] std::size_t count() const { return input_at_.size(); }
    [[nodiscard]] bool is_free(std::size_t place) const { return input_at_[place] == kNobody; }
    [[nodiscard]] std::size_t input(std::size_t place) const { return input_at_[place]; }
    [[nodiscard]] bool has_room() const { return !free_.empty() || count() < room_; }  ///< nobody needs to leave
    void clear();

    [[nodiscard]] std::size_t bytes() const { return place_of_.size() * sizeof(std::uint32_t); }
    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    std::vector<std::uint32_t> place_of_;
    std::size_t room_;
    std::vector<std::size_t> input_at_;
    std::vector<std::uint64_t> asked_;      // the request that last asked for the input at each place
    std::vector<std::uint64_t> asked_row_;  // and the row
    std::vector<std::size_t> free_;         // places given up
    std::uint64_t request_ = 0;
    std::uint64_t row_ = 0;
};

}  // namespace sluice::core
