// resident.cpp -- which inputs have a place in a store of limited size: a least-recently-used cache.
#include "resident.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::core {

bool Resident::request(std::span<const std::size_t> inputs) {
    if (inputs.size() > room_) {
        return false;
    }
    // The same request once more is the same request: a model that was loaded asks again for what it had asked for.
    const bool repeated = std::ranges::all_of(inputs,
                                              [&](std::size_t input) {
                                                  return has(input) && last_request_[place_of_[input]] == request_ &&
                                                         last_row_[place_of_[input]] == row_;
                                              }) &&
                          static_cast<std::size_t>(std::ranges::count(last_request_, request_)) == inputs.size();
    if (repeated) {
        return true;
    }
    ++request_;
    for (const std::size_t input : inputs) {
        if (has(input)) {
            last_request_[place_of_[input]] = request_;
            last_row_[place_of_[input]] = row_;
        }
    }
    return true;
}

std::size_t Resident::admit(std::size_t input) {
    std::size_t place = input_at_.size();
    if (!free_.empty()) {
        place = free_.back();
        free_.pop_back();
    } else if (place < room_) {
        input_at_.push_back(kNoInput);
        last_request_.push_back(0);
        last_row_.push_back(0);
    } else {
        place = static_cast<std::size_t>(std::ranges::min_element(last_request_) - last_request_.begin());
        place_of_[input_at_[place]] = kNoPlace;
    }
    input_at_[place] = input;
    last_request_[place] = request_;
    last_row_[place] = row_;
    place_of_[input] = static_cast<std::uint32_t>(place);
    return place;
}

void Resident::release_unused(std::uint64_t rows) {
    for (std::size_t place = 0; place < input_at_.size(); ++place) {
        if (!is_free(place) && last_row_[place] + rows < row_) {
            place_of_[input_at_[place]] = kNoPlace;
            input_at_[place] = kNoInput;
            free_.push_back(place);
        }
    }
}

std::uint64_t Resident::rows_unused() const {
    return has_room() || last_row_.empty() ? std::numeric_limits<std::uint64_t>::max()
                                           : row_ - std::ranges::min(last_row_);
}

void Resident::clear() {
    for (const std::size_t input : input_at_) {
        if (input != kNoInput) {
            place_of_[input] = kNoPlace;
        }
    }
    input_at_.clear();
    last_request_.clear();
    last_row_.clear();
    free_.clear();
}

void Resident::save(StateWriter& out) const {
    out.put(request_);
    out.put(row_);
    out.put_list(input_at_);
    out.put_all(last_request_);
    out.put_all(last_row_);
    out.put_list(free_);
}

void Resident::load(StateReader& in) {
    clear();
    in.get(request_);
    in.get(row_);
    const auto inputs = in.get_list();
    if (inputs.size() > room_ && in.added_inputs() > 0) {
        throw OptionError({"memory_limit: must be larger for more inputs; what the engine keeps no longer fits"});
    }
    in.require(inputs.size() <= room_, "the engine keeps more inputs than it has places for");
    for (const std::size_t input : inputs) {
        if (input != kNoInput) {
            in.require(input < place_of_.size(), "an input that the engine keeps does not exist");
            in.require(!has(input), "the engine keeps an input at two places");
            place_of_[input] = static_cast<std::uint32_t>(input_at_.size());
        }
        input_at_.push_back(input);
    }
    last_request_.resize(input_at_.size());
    last_row_.resize(input_at_.size());
    in.get_all(last_request_);
    in.get_all(last_row_);
    free_ = in.get_list();
    in.require(static_cast<std::size_t>(std::ranges::count(input_at_, kNoInput)) == free_.size() &&
                   std::ranges::all_of(free_, [&](std::size_t place) { return place < count() && is_free(place); }) &&
                   std::set<std::size_t>(free_.begin(), free_.end()).size() == free_.size(),
               "the list of free places does not match the places in use");
}

}  // namespace sluice::core
